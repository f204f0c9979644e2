/** A database with sealed values and its key file, filled once for a file of tests and copied for each of them. */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyFile, openKeyring } from '../sealing/keyring-file.ts';
import type { Installation } from '../stores/find-installation.ts';
import { seedGrants } from './seed-grants.ts';
import { type TestDatabase, type TestDatabaseKind, templateOf } from './test-databases.ts';

interface FilledCopy {
  database: TestDatabase;
  keyFile: { path: string; production: boolean };
  destroy(): Promise<void>;
}

export interface FilledDatabase {
  installations: Installation[];
  copy(): Promise<FilledCopy>;
  drop(): Promise<void>;
}

/** @param count of installations, each with a value in every sealed column */
export async function fillDatabase(kind: TestDatabaseKind, count: number): Promise<FilledDatabase> {
  const database = await kind.create();
  const { path, remove } = await makeKeyPath();
  createKeyFile(path);
  const store = await database.open({ keyring: openKeyring({ path, production: true }) });
  const installations = await seedGrants(store, count);
  await store.close();
  return {
    installations,

    async copy() {
      const copied = await kind.create(templateOf(database.location));
      const key = await makeKeyPath();
      await copyFile(path, key.path);
      return {
        database: copied,
        keyFile: { path: key.path, production: true },
        async destroy() {
          await copied.destroy();
          await key.remove();
        },
      };
    },

    async drop() {
      await database.destroy();
      await remove();
    },
  };
}

async function makeKeyPath() {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-key-'));
  return { path: join(folder, 'encryption.key'), remove: () => rm(folder, { recursive: true }) };
}
