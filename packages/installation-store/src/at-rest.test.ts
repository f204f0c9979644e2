/** Row E01: the database, its log and a backup contain no readable secret. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { encodingsOf } from './testing/encodings-of.ts';
import { canary, seedGrants, tokensOf } from './testing/seed-grants.ts';
import { testDatabases } from './testing/test-databases.ts';

const isIn = (bytes: Buffer) => encodingsOf(canary).some((encoded) => bytes.includes(encoded));

describe('E01: a stolen database', () => {
  test('the search finds a secret in each encoding', () => {
    for (const encoded of encodingsOf(`x${canary}y`)) {
      expect(isIn(Buffer.concat([Buffer.from('…'), encoded, Buffer.from('…')]))).toBe(true);
    }
  });

  for (const { name, isAvailable, create } of testDatabases) {
    test.skipIf(!isAvailable)(
      `E01 on ${name}: contains none of its secrets in clear text`,
      async () => {
        const database = await create();
        const folder = await mkdtemp(join(tmpdir(), 'dowel-backup-'));
        const store = await database.open();
        for (const { id, tenantId } of await seedGrants(store, 20)) {
          const grant = await store.grants.load(id);
          if (!grant) throw new Error('A grant is gone');
          await store.transaction(({ grants }) => grants.commitRefresh(grant, tokensOf(tenantId)));
        }

        const { location } = database;
        if ('path' in location) {
          const source = new DatabaseSync(location.path);
          await backup(source, join(folder, 'backup.sqlite'));
          source.close();
          const beside = join(location.path, '..');
          const files = (await readdir(beside)).map((file) => join(beside, file));
          files.push(join(folder, 'backup.sqlite'));
          expect(files.map((file) => file.replace(/.*\./, ''))).toEqual(
            expect.arrayContaining(['sqlite', 'sqlite-wal', 'sqlite-shm']),
          );
          for (const file of files) expect(isIn(await readFile(file)), file).toBe(false);
        }
        const dump = await database.dump();
        expect(dump).toContain('client_secret_sealed');
        expect(isIn(Buffer.from(dump))).toBe(false);

        await database.destroy();
        await rm(folder, { recursive: true });
      },
    );
  }
});
