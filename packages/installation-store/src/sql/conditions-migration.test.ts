/** What migration 0016 fills for installations that exist already. Why: docs/decisions/0041-read-model.md. */
import { Secret } from '@dowel/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createKeyring } from '../sealing/keyring.ts';
import { placeOf, type SecretColumn } from '../sealing/sealed-columns.ts';
import { migrateTo } from '../testing/former-schema.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';

interface Former {
  id: string;
  status: string;
  error?: { reason: string; at: number };
  brokenSince?: number;
  grant?: { isRenewable: boolean; failingSince?: number };
}

const issuer = 'https://acme.example.com';
const pluginId = 'p';
const createdAt = 10;
const former: Former[] = [
  { id: 'healthy', status: 'active', grant: { isRenewable: true } },
  { id: 'expiring', status: 'active', grant: { isRenewable: false } },
  { id: 'failing', status: 'active', grant: { isRenewable: true, failingSince: 50 } },
  { id: 'dead', status: 'awaiting_event', error: { reason: 'invalid_grant', at: 30 } },
  {
    id: 'told',
    status: 'awaiting_event',
    error: { reason: 'invalid_grant', at: 90 },
    brokenSince: 40,
  },
  { id: 'pending', status: 'pending' },
  { id: 'gone', status: 'uninstalled', error: { reason: 'scope_missing', at: 30 } },
];
const quote = (value: string | number | null | undefined) =>
  typeof value === 'string' ? `'${value}'` : String(value ?? null);

async function write(
  database: TestDatabase,
  { id, status, error, brokenSince, grant }: Former,
): Promise<void> {
  const values = [id, issuer, id, pluginId, status, 1, 1, 1, createdAt];
  await database.execute(`insert into installations (id, issuer, tenant_id, plugin_id, status,
      generation, token_version, began_iat, created_at, error_reason, error_at, broken_since)
    values (${[...values, error?.reason, error?.at, brokenSince].map(quote).join()})`);
  if (!grant) return;
  const keyring = createKeyring(database.encryptionKey);
  const owner = { issuer, tenantId: id, pluginId, generation: 1 };
  const seal = (column: SecretColumn) =>
    keyring.encrypt(new Secret(column), placeOf(owner, column));
  const secrets = {
    client: seal('client_secret_sealed'),
    access: seal('access_token_sealed'),
    refresh: grant.isRenewable ? seal('refresh_token_sealed') : null,
  };
  await database.execute(`insert into grants (installation_id, generation, token_version, base_url,
      client_id, client_secret_sealed, token_endpoint_url, access_token_sealed,
      refresh_token_sealed, granted_scopes, issued_at, expires_at, failing_since)
    values (${[id, 1, 1, 'https://a', 'c', secrets.client, 't', secrets.access, secrets.refresh, 'a b', 20, 99, grant.failingSince].map(quote).join()})`);
}

for (const kind of testDatabases) {
  describe.skipIf(!kind.isAvailable)(`the conditions of a former schema on ${kind.name}`, () => {
    let database: TestDatabase;

    beforeEach(async () => {
      database = await kind.createEmpty();
      await migrateTo(database.location, '0015_hooks');
      for (const each of former) await write(database, each);
    });

    afterEach(() => database.destroy());

    test('each installation has its condition, cause and time, and is counted', async () => {
      const { reports } = await database.open();

      const rows = await reports.readRows(former.map(({ id }) => id));
      expect(
        rows.map(({ id, condition, cause, accessEndsAt }) => [id, condition, cause, accessEndsAt]),
      ).toEqual([
        ['healthy', 'healthy', null, null],
        ['expiring', 'expiring', null, null],
        ['failing', 'failing', null, 99],
        ['dead', 'awaiting', 'invalid_grant', 30],
        ['told', 'awaiting', 'invalid_grant', 40],
        ['pending', 'pending', null, createdAt],
        ['gone', 'uninstalled', null, null],
      ]);
      const counts = await reports.countConditions();
      expect(new Map(counts.map(({ condition, n }) => [condition, n]))).toEqual(
        new Map([
          ['healthy', 1],
          ['expiring', 1],
          ['failing', 1],
          ['awaiting', 2],
          ['pending', 1],
          ['uninstalled', 1],
        ]),
      );
    });

    test('scopes and the end of the token come from the grant', async () => {
      const { reports } = await database.open();

      const facts = await reports.describe('healthy');
      expect(facts?.installation.tokenExpiresAt).toBe(99);
      expect(facts?.scopes).toMatchObject({ granted: ['a', 'b'], at: 20 });
      expect((await reports.describe('pending'))?.scopes).toMatchObject({ granted: [], at: null });
    });

    test('what is broken has an open outage since then', async () => {
      const { reports } = await database.open();

      const outagesOf = async (id: string) => (await reports.describe(id))?.outages;
      expect(await outagesOf('told')).toMatchObject([
        { generation: 1, cause: 'invalid_grant', beganAt: 40, endedAt: null },
      ]);
      expect(await outagesOf('failing')).toMatchObject([{ beganAt: 50, endedAt: null }]);
      expect(await outagesOf('pending')).toEqual([]);
    });

    test('the index that no query reads is gone', async () => {
      await database.open();

      await expect(database.execute('drop index installations_failed')).rejects.toThrow();
    });
  });
}
