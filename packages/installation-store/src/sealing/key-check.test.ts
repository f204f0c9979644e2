import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createFirstKey, openServerKeyring } from '../keyring-first.ts';
import { assertGrantOf, seedGrants } from '../testing/seed-grants.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';
import { createKeyring } from './keyring.ts';
import { openKeyring } from './keyring-file.ts';

// Databases are made for each test, and others use the machine too.
const right = createKeyring(randomBytes(32));
const wrong = createKeyring(randomBytes(32));

for (const { name, isAvailable, createEmpty } of testDatabases) {
  describe.skipIf(!isAvailable)(`the key check on ${name}`, () => {
    let database: TestDatabase;
    let folder: string;
    let keyFile: { path: string; production: boolean };

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'dowel-check-'));
    });

    afterAll(() => rm(folder, { recursive: true }));

    beforeEach(async () => {
      database = await createEmpty();
      keyFile = { path: join(folder, `${Math.random()}.key`), production: false };
      return () => database.destroy();
    });

    const rows = async (table: string) =>
      JSON.stringify(await database.execute(`select * from ${table} order by 1`));
    const everything = async () =>
      Promise.all(['installations', 'grants', 'exchange_intents', 'key_checks'].map(rows));

    async function seed(): Promise<void> {
      const store = await database.open({ keyring: right });
      await seedGrants(store, 3);
      await store.close();
    }

    test('E06: refuses a wrong key with both ids, and changes no row', async () => {
      await seed();
      const before = await everything();

      await expect(database.open({ keyring: wrong })).rejects.toMatchObject({
        code: 'KEY_WRONG',
        message: expect.stringMatching(`${right.activeKeyId()}.*${wrong.activeKeyId()}`),
      });

      expect(await everything()).toEqual(before);
    });

    test('refuses a wrong key for a database that contains only the check', async () => {
      await database.open({ keyring: right });

      await expect(database.open({ keyring: wrong })).rejects.toMatchObject({ code: 'KEY_WRONG' });
    });

    test('uses the stored values if an older version left no check', async () => {
      await seed();
      await database.execute('delete from key_checks');

      await expect(database.open({ keyring: wrong })).rejects.toMatchObject({ code: 'KEY_WRONG' });
      expect(await rows('key_checks')).toBe('[]');
      await database.open({ keyring: right });
      expect(await rows('key_checks')).toContain(right.activeKeyId());
    });

    test('comes before the migrations', async () => {
      await seed();
      await database.execute('delete from key_checks');
      await database.execute('drop table key_checks');

      await expect(database.open({ keyring: wrong })).rejects.toMatchObject({ code: 'KEY_WRONG' });
    });

    test('E12: values that do not open with the right key count as damaged', async () => {
      await seed();
      const damage = (column: string) => `${column} = substr(${column}, 1, 40) || 'AAAA'`;
      const grants = ['client_secret_sealed', 'access_token_sealed', 'refresh_token_sealed'];
      for (const [table, columns] of [
        ['key_checks', ['value_sealed']],
        ['grants', [...grants, 'trigger_body_sealed']],
        ['exchange_intents', ['trigger_body_sealed']],
        ['plugin_sessions', ['claims_sealed']],
        ['admin_sessions', ['id_token_sealed']],
      ] as const) {
        await database.execute(`update ${table} set ${columns.map(damage).join(', ')}`);
      }

      const opening = database.open({ keyring: right });

      await expect(opening).rejects.toMatchObject({ code: 'SECRET_INTEGRITY' });
      await expect(opening).rejects.toThrow(right.activeKeyId());
      await expect(opening).rejects.toThrow(/Leave the key file as it is/);
      await expect(opening).rejects.not.toThrow(/Put the right key file back/);
    });

    test('E12: a damaged check or a damaged value does not prevent the start', async () => {
      await seed();
      await database.execute(`update key_checks set value_sealed = '${right.activeKeyId()}.AAAA'`);
      await database.execute(`update grants set client_secret_sealed = 'deadbeef.AAAA'
        where installation_id = (select min(installation_id) from grants)`);

      await database.open({ keyring: right });
      // Repaired by the start before.
      await database.open({ keyring: right });
    });

    test('refuses if one of two keys is lost, but not if no value is sealed with it', async () => {
      const [first, second] = [randomBytes(32), randomBytes(32)];
      const store = await database.open({ keyring: createKeyring(first) });
      await seedGrants(store, 1);
      await database.open({ keyring: createKeyring(second, first) });
      const onlySecond = createKeyring(second);

      await expect(database.open({ keyring: onlySecond })).rejects.toMatchObject({
        code: 'KEY_WRONG',
        message: expect.stringContaining(createKeyring(first).activeKeyId()),
      });
      await database.execute('delete from exchange_intents');
      await database.execute('delete from plugin_sessions');
      await database.execute('delete from admin_sessions');
      await database.execute('delete from grants');
      await database.open({ keyring: onlySecond });
    });

    test('a first start creates the key file once', async () => {
      const settings = { database: database.location, keyFile };
      const keyrings = await Promise.all([
        openServerKeyring(settings),
        openServerKeyring(settings),
      ]);

      expect(keyrings[0]?.keyIds()).toEqual(keyrings[1]?.keyIds());
      const store = await database.open({ keyring: keyrings[0] ?? right });
      const [installation] = await seedGrants(store, 1);
      assertGrantOf(installation?.tenantId ?? '', await store.grants.load(installation?.id ?? ''));
    });

    test('E02: production creates no key file and no database', async () => {
      const settings = { database: database.location, keyFile: { ...keyFile, production: true } };

      await expect(openServerKeyring(settings)).rejects.toMatchObject({ code: 'KEY_MISSING' });
      expect(existsSync(keyFile.path)).toBe(false);
      if ('path' in database.location) expect(existsSync(database.location.path)).toBe(false);
    });

    test.each([openServerKeyring, createFirstKey])(
      'no key is created beside a database whose key is lost (%#)',
      async (start) => {
        await seed();
        const before = await everything();

        await expect(start({ database: database.location, keyFile })).rejects.toMatchObject({
          code: 'KEY_MISSING',
          message: expect.stringContaining(right.activeKeyId()),
        });

        expect(existsSync(keyFile.path)).toBe(false);
        expect(await everything()).toEqual(before);
      },
    );

    test('a new key file with an old database is refused', async () => {
      await seed();
      await createFirstKey({ database: { path: join(folder, 'none.sqlite') }, keyFile });

      await expect(database.open({ keyring: openKeyring(keyFile) })).rejects.toMatchObject({
        code: 'KEY_WRONG',
      });
    });
  });
}
