/** Key commands read whole tables, which may take long, but block no other process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { listKeys, openKeyAdmin } from '../keyring-admin.ts';
import { createKeyFile, openKeyring } from '../sealing/keyring-file.ts';
import type { Store } from '../store.ts';
import { seedGrants } from '../testing/seed-grants.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';

/** Longer than the time limit of a request's statement. */
const longMs = 5_500;
const values = 7;
const silent = () => {};

/** Another process's transaction, open until it is committed. */
async function beginElsewhere({ location }: TestDatabase, ...statements: string[]) {
  if ('path' in location) {
    const database = new DatabaseSync(location.path);
    for (const statement of ['begin immediate', ...statements]) database.exec(statement);
    return async () => {
      database.exec('commit');
      database.close();
    };
  }
  const client = new pg.Client({ connectionString: location.url });
  await client.connect();
  for (const statement of ['begin', ...statements]) await client.query(statement);
  return async () => {
    await client.query('commit');
    await client.end();
  };
}

/** Until a statement waits for the other transaction. SQLite does not say so. */
async function untilBlocked({ location, execute }: TestDatabase): Promise<void> {
  if ('path' in location) return sleep(300);
  const count = `select count(*) as waiting from pg_locks join pg_database d on d.oid = database
    where datname = current_database() and not granted`;
  await expect.poll(async () => Number((await execute(count))[0]?.waiting)).toBeGreaterThan(0);
}

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`key commands on ${name}`, () => {
    let database: TestDatabase;
    let store: Store;
    let keyFile: { path: string; production: boolean };

    beforeEach(async () => {
      database = await create();
      const folder = await mkdtemp(join(tmpdir(), 'dowel-locks-'));
      keyFile = { path: join(folder, 'encryption.key'), production: true };
      createKeyFile(keyFile.path);
      store = await database.open({ keyring: openKeyring(keyFile) });
      await seedGrants(store, 1);
      return async () => {
        await database.destroy();
        await rm(folder, { recursive: true });
      };
    });

    const settings = () => ({ database: database.location, keyFile });

    async function rotate(): Promise<void> {
      const admin = await openKeyAdmin(settings());
      await admin.rotate();
      await admin.close();
    }

    test('prune waits for no writer when there is nothing to remove', async () => {
      const [old] = openKeyring(keyFile).keyIds();
      await rotate();
      const admin = await openKeyAdmin(settings());
      const commit = await beginElsewhere(database, 'update grants set failures = failures + 1');

      const outcome = await admin.prune().finally(commit);

      expect(outcome).toEqual({
        removed: [],
        kept: [{ id: old, values, isSealing: false }],
      });
      await admin.close();
    });

    test('prune keeps a key if a value is sealed with it during the wait', async () => {
      const [old] = openKeyring(keyFile).keyIds();
      const [row] = await database.execute('select access_token_sealed as sealed from grants');
      await rotate();
      const admin = await openKeyAdmin(settings());
      await admin.reencrypt();
      const commit = await beginElsewhere(
        database,
        `update grants set access_token_sealed = '${String(row?.sealed)}'`,
      );

      const [outcome] = await Promise.all([admin.prune(), untilBlocked(database).then(commit)]);

      expect(outcome).toEqual({
        removed: [],
        kept: [{ id: old, values: 1, isSealing: false }],
      });
      await admin.close();
    });

    test('E04: prune keeps a key for two minutes after a process has said that it seals with it', async () => {
      const [old = ''] = openKeyring(keyFile).keyIds();
      await store.reportKey();
      await rotate();
      const admin = await openKeyAdmin(settings());
      await admin.reencrypt();

      const early = await admin.prune();
      expect(early).toEqual({ removed: [], kept: [{ id: old, values: 0, isSealing: true }] });
      expect(openKeyring(keyFile).keyIds()).toContain(old);
      await database.execute('update key_checks set sealing_at = sealing_at - 120000');

      expect(await admin.prune()).toEqual({ removed: [old], kept: [] });
      await admin.close();
    });

    test('E04: a process that seals with a removed key names it again', async () => {
      const [old = ''] = openKeyring(keyFile).keyIds();
      await rotate();
      const admin = await openKeyAdmin(settings());
      await admin.reencrypt();
      await admin.prune();

      await store.reportKey();

      expect(await listKeys(settings())).toHaveLength(1);
      const [row] = await database.execute(`select key_id from key_checks where key_id = '${old}'`);
      expect(row).toEqual({ key_id: old });
      await admin.close();
    });

    // SQLite's statements wait for no table.
    test.skipIf(name === 'SQLite')('have more time than a request', async () => {
      const admin = await openKeyAdmin(settings());
      const commit = await beginElsewhere(database, 'lock table grants in access exclusive mode');

      const [listed, reencrypted] = await Promise.all([
        listKeys(settings()),
        admin.reencrypt(),
        Promise.all([sleep(longMs), store.grants.load('none').catch(silent)]).then(commit),
      ]);

      expect(listed).toMatchObject([{ state: 'active', values }]);
      expect(reencrypted).toMatchObject({ resealed: 0 });
      await admin.close();
    });
  });
}
