/** What operators see of the encryption keys, before, during and after a rotation. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openKeyAdmin } from '../keyring-admin.ts';
import { openKeyring, removeKeys } from '../sealing/keyring-file.ts';
import { sealedColumns } from '../sealing/sealed-columns.ts';
import type { Store } from '../store.ts';
import { type FilledDatabase, fillDatabase } from '../testing/filled-database.ts';
import { canary } from '../testing/seed-grants.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';

/** More than one page. */
const installationCount = 110;
const valuesEach = Object.values(sealedColumns).flatMap((columns) => Object.keys(columns)).length;
const all = installationCount * valuesEach;

for (const kind of testDatabases) {
  describe.skipIf(!kind.isAvailable)(`the report of the keys on ${kind.name}`, () => {
    let filled: FilledDatabase;
    let database: TestDatabase;
    let store: Store;
    let keyFile: { path: string; production: boolean };

    beforeAll(async () => {
      filled = await fillDatabase(kind, installationCount);
    });

    beforeEach(async () => {
      const copy = await filled.copy();
      ({ database, keyFile } = copy);
      store = await open();
      return copy.destroy;
    });

    afterAll(() => filled.drop());

    const open = () => database.open({ keyring: openKeyring(keyFile) });

    /** A process that has not counted yet. */
    async function countAnew() {
      const fresh = await open();
      await expect.poll(async () => (await fresh.describeKeys()).countedAt).not.toBeNull();
      return fresh.describeKeys();
    }

    async function rotate({ reseals }: { reseals: boolean }): Promise<string> {
      const admin = await openKeyAdmin({ database: database.location, keyFile });
      const id = await admin.rotate();
      if (reseals) await admin.reencrypt();
      await admin.close();
      return id;
    }

    test('counts every sealed value once', async () => {
      const [id] = openKeyring(keyFile).keyIds();

      const report = await countAnew();

      expect(report).toEqual({
        keys: [
          {
            id,
            state: 'active',
            values: all,
            isSealing: false,
            since: expect.any(Number),
          },
        ],
        unnamedValues: 0,
        countedAt: expect.any(Number),
        counting: null,
      });
      expect(JSON.stringify(report)).not.toContain(canary);
    });

    test('shows a rotation in its steps', async () => {
      const [old] = openKeyring(keyFile).keyIds();
      const id = await rotate({ reseals: false });
      expect((await countAnew()).keys).toMatchObject([
        { id, state: 'active', values: 0 },
        { id: old, state: 'old', values: all },
      ]);

      await rotate({ reseals: true });

      expect((await countAnew()).keys).toMatchObject([
        { state: 'active', values: all },
        { id, state: 'old', values: 0 },
        { id: old, state: 'old', values: 0 },
      ]);
    });

    test('says which processes must start again: this one, or others', async () => {
      const [old = ''] = openKeyring(keyFile).keyIds();
      await store.reportKey();
      const id = await rotate({ reseals: false });

      expect((await store.describeKeys()).keys).toMatchObject([
        { id: old, state: 'active', isSealing: true },
        { id, state: 'next', isSealing: false },
      ]);
      expect((await (await open()).describeKeys()).keys).toMatchObject([
        { id, state: 'active', isSealing: false },
        { id: old, state: 'old', isSealing: true },
      ]);
    });

    test('names a key that the file lacks although values need it', async () => {
      const [old = ''] = openKeyring(keyFile).keyIds();
      await rotate({ reseals: false });
      removeKeys(keyFile.path, [old]);
      // A start with this file would be refused.
      await database.execute(`delete from key_checks where key_id = '${old}'`);

      expect((await countAnew()).keys).toContainEqual(
        expect.objectContaining({ id: old, state: 'missing', values: all }),
      );
    });

    test('counts values that name no key', async () => {
      await database.execute(
        "update grants set access_token_sealed = 'no ciphertext' where installation_id = (select min(installation_id) from grants)",
      );

      expect((await countAnew()).unnamedValues).toBe(1);
    });

    test('a store that closes ends the count', async () => {
      const fresh = await open();
      const asked = fresh.describeKeys().catch(() => 'ended');

      await fresh.close();

      await asked;
      await expect(fresh.describeKeys()).rejects.toThrow();
    });

    test('the database names its kind, version and newest migration', async () => {
      expect(await store.describeDatabase()).toEqual({
        engine: kind.name,
        version: expect.stringMatching(/^\d+\.\d+/),
        migration: expect.stringMatching(/^\d{4}/),
        risk: null,
      });
    });
  });
}
