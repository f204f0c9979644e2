/** Rows E03 and E12: a damaged or moved value affects only its own installation. */
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { request } from './contract/check.ts';
import { createKeyring } from './sealing/keyring.ts';
import { sealedColumns } from './sealing/sealed-columns.ts';
import type { Store } from './store.ts';
import type { Installation } from './stores/find-installation.ts';
import { accessOf, assertGrantOf, claimsOf, seedGrants, tokensOf } from './testing/seed-grants.ts';
import { type TestDatabase, testDatabases } from './testing/test-databases.ts';

// Each test creates a database, and the machine may be busy.
const columns = Object.entries(sealedColumns)
  .filter(([table]) => !table.endsWith('_sessions'))
  .flatMap(([table, places]) => Object.keys(places).map((column) => ({ table, column })));

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`one damaged value on ${name}`, () => {
    let database: TestDatabase;
    let store: Store;
    let damaged: Installation;
    let others: Installation[];

    beforeEach(async () => {
      database = await create();
      store = await database.open();
      const [first, ...rest] = await seedGrants(store, 4);
      if (!first) throw new Error('Nothing was seeded');
      damaged = first;
      others = rest;
      return () => database.destroy();
    });

    /** The code that reads the column in a running process. */
    const read = (table: string, { id }: Installation) =>
      table === 'grants' ? store.grants.load(id) : store.renewals.loadTrigger(id);

    async function expectOnlyDamagedToFail(table: string): Promise<void> {
      await expect(read(table, damaged)).rejects.toMatchObject({
        code: 'SECRET_INTEGRITY',
        installationId: damaged.id,
        message: expect.stringMatching(/access_token event, or install again/),
      });
      for (const other of others) {
        assertGrantOf(other.tenantId, await store.grants.load(other.id));
        await store.renewals.loadTrigger(other.id);
      }
      expect(await store.installations.get(damaged.id)).toMatchObject({ status: 'active' });
    }

    test.each(columns)('E12: a bit flipped in $table.$column', async ({ table, column }) => {
      const where = `where installation_id = '${damaged.id}'`;
      const [row] = await database.execute(`select ${column} as sealed from ${table} ${where}`);
      const bytes = Buffer.from(String(row?.sealed));
      bytes[30] = bytes[30] === 65 ? 66 : 65;
      await database.execute(`update ${table} set ${column} = '${bytes.toString()}' ${where}`);

      await expectOnlyDamagedToFail(table);
    });

    test.each(columns)('E03: another installation’s $table.$column', async ({ table, column }) => {
      await database.execute(`update ${table} set ${column} =
        (select ${column} from ${table} where installation_id = '${others[0]?.id}')
        where installation_id = '${damaged.id}'`);

      await expectOnlyDamagedToFail(table);
    });

    test('E03: the value of another column, or of another life', async () => {
      const where = `where installation_id = '${damaged.id}'`;
      await database.execute(
        `update grants set access_token_sealed = refresh_token_sealed ${where}`,
      );
      await expectOnlyDamagedToFail('grants');

      await database.execute(`update installations set generation = 2 where id = '${damaged.id}'`);
      await database.execute(`update exchange_intents set generation = 2 ${where}`);
      await expectOnlyDamagedToFail('exchange_intents');
    });

    test('returns the lease under which it was found, and nothing counts as presented', async () => {
      const { id } = damaged;
      const version = { installationId: id, generation: 1, tokenVersion: 1 };
      const where = `where installation_id = '${id}'`;
      const [row] = await database.execute(`select access_token_sealed from grants ${where}`);
      await database.execute(`update grants set access_token_sealed = 'x' ${where}`);
      const once = request({ maxPresentations: 1, burst: 1 });

      await expect(store.renewals.acquire(version, once)).rejects.toMatchObject({
        code: 'SECRET_INTEGRITY',
      });

      await database.execute(
        `update grants set access_token_sealed = '${String(row?.access_token_sealed)}' ${where}`,
      );
      expect(await store.renewals.acquire(version, once)).toMatchObject({ outcome: 'acquired' });
    });

    test('is repaired by the next access_token event', async () => {
      await database.execute(`update grants set client_secret_sealed = 'x', refresh_token_sealed = 'x',
        access_token_sealed = 'x' where installation_id = '${damaged.id}'`);
      const { id, tenantId } = damaged;

      const order = { iat: 20, newestIat: 26 };
      await store.transaction(({ grants }) =>
        grants.replace(damaged, accessOf(tenantId), tokensOf(tenantId), order),
      );

      assertGrantOf(tenantId, await store.grants.load(id));
    });
  });

  describe.skipIf(!isAvailable)(`a value that another process can read on ${name}`, () => {
    let database: TestDatabase;

    beforeEach(async () => {
      database = await create();
      return () => database.destroy();
    });

    test('is not damaged: the error names the key that this process does not have', async () => {
      const [first, second] = [randomBytes(32), randomBytes(32)];
      const behind = await database.open({ keyring: createKeyring(first) });
      const keyring = createKeyring(second, first);
      const ahead = await database.open({ keyring });
      const [installation] = await seedGrants(ahead, 1);
      const { id = '', tenantId = '' } = installation ?? {};
      const version = { installationId: id, generation: 1, tokenVersion: 1 };
      const once = request({ maxPresentations: 1, burst: 1 });

      for (const open of [
        () => behind.grants.load(id),
        () => behind.renewals.loadTrigger(id),
        () => behind.renewals.acquire(version, once),
        () => behind.sessions.findPluginSession(tenantId, 0),
      ]) {
        await expect(open()).rejects.toMatchObject({
          code: 'KEY_UNKNOWN',
          installationId: id,
          message: expect.stringMatching(`${keyring.activeKeyId()}.* restart this process`),
        });
      }
      assertGrantOf(tenantId, await ahead.grants.load(id));
      expect(await ahead.sessions.findPluginSession(tenantId, 0)).toMatchObject({
        claims: claimsOf(tenantId),
      });
      expect(await ahead.renewals.acquire(version, once)).toMatchObject({ outcome: 'acquired' });
    });

    test('a session whose key is gone, or whose claims are damaged, has ended', async () => {
      const store = await database.open();
      const [installation] = await seedGrants(store, 1);
      const { tenantId = '' } = installation ?? {};
      for (const sealed of ['deadbeef.AAAA', 'x']) {
        await database.execute(`update plugin_sessions set claims_sealed = '${sealed}'`);

        expect(await store.sessions.findPluginSession(tenantId, 0)).toBeUndefined();
      }
    });

    test('opens while its installation begins the next life', async () => {
      const store = await database.open();
      const [installation] = await seedGrants(store, 1);
      const { id = '', tenantId = '' } = installation ?? {};
      const version = { installationId: id, generation: 1, tokenVersion: 1 };

      await database.execute(`update installations set generation = 2 where id = '${id}'`);

      assertGrantOf(tenantId, await store.grants.load(id));
      expect(await store.renewals.loadTrigger(id)).toMatchObject({
        baseUrl: accessOf(tenantId).baseUrl,
      });
      expect(await store.renewals.acquire(version, request())).toMatchObject({
        outcome: 'acquired',
      });
    });
  });
}
