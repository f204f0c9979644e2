/** What migration 0029 changes for installations that are in trouble already. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrateTo } from '../testing/former-schema.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';

interface Former {
  id: string;
  condition: 'healthy' | 'failing' | 'awaiting' | 'pending' | 'paused';
  /** The first failure, as the list had it. */
  unhealthySince?: number;
  /** As the platform named it. */
  tokenExpiresAt?: number;
  grant?: { expiresAt?: number; failingSince?: number };
  outage?: { generation?: number; beganAt: number; endedAt?: number };
}

const generation = 2;
const dead = { expiresAt: 80, failingSince: 50 };
const former: Former[] = [
  { id: 'healthy', condition: 'healthy', tokenExpiresAt: 90, grant: { expiresAt: 90 } },
  {
    id: 'failing',
    condition: 'failing',
    unhealthySince: 50,
    tokenExpiresAt: 90,
    grant: { expiresAt: 90, failingSince: 50 },
    outage: { beganAt: 50 },
  },
  {
    id: 'endless',
    condition: 'failing',
    unhealthySince: 50,
    grant: { failingSince: 50 },
    outage: { beganAt: 50 },
  },
  {
    id: 'died-first',
    condition: 'awaiting',
    unhealthySince: 50,
    tokenExpiresAt: 90,
    grant: dead,
    outage: { beganAt: 50 },
  },
  {
    id: 'ended-first',
    condition: 'awaiting',
    unhealthySince: 50,
    tokenExpiresAt: 70,
    grant: dead,
    outage: { beganAt: 50 },
  },
  { id: 'without-grant', condition: 'awaiting', unhealthySince: 50 },
  { id: 'pending', condition: 'pending', unhealthySince: 40 },
  {
    id: 'paused',
    condition: 'paused',
    tokenExpiresAt: 90,
    grant: dead,
    outage: { beganAt: 50, endedAt: 85 },
  },
  {
    id: 'paused-later',
    condition: 'paused',
    grant: { expiresAt: 190, failingSince: 95 },
    outage: { beganAt: 50, endedAt: 85 },
  },
  {
    id: 'paused-again',
    condition: 'paused',
    grant: dead,
    outage: { generation: 1, beganAt: 50, endedAt: 85 },
  },
];

const quote = (value: string | number | null | undefined) =>
  typeof value === 'string' ? `'${value}'` : String(value ?? null);
const listed = (values: readonly (string | number | null | undefined)[]) =>
  values.map(quote).join();

async function write(database: TestDatabase, each: Former): Promise<void> {
  const { id, condition, grant, outage } = each;
  const status = condition === 'awaiting' ? 'awaiting_event' : 'active';
  const row = [id, 'https://a', id, 'p', status, generation, 1, 1, 10, condition];
  const died = condition === 'awaiting' ? 80 : null;
  await database.execute(`insert into installations (id, issuer, tenant_id, plugin_id, status,
      generation, token_version, began_iat, created_at, condition, unhealthy_since,
      token_expires_at, error_at)
    values (${listed([...row, each.unhealthySince, each.tokenExpiresAt, died])})`);
  if (grant) {
    const values = [id, generation, 1, 'https://a', 'c', 's', 't', 'a', '', 20];
    await database.execute(`insert into grants (installation_id, generation, token_version,
        base_url, client_id, client_secret_sealed, token_endpoint_url, access_token_sealed,
        granted_scopes, issued_at, expires_at, failing_since)
      values (${listed([...values, grant.expiresAt, grant.failingSince])})`);
  }
  if (!outage) return;
  const { beganAt, endedAt } = outage;
  const endedBy = endedAt === undefined ? null : 'pause';
  await database.execute(`insert into outages (installation_id, generation, cause, began_at,
      ended_at, ended_by)
    values (${listed([id, outage.generation ?? generation, 'why', beganAt, endedAt, endedBy])})`);
}

for (const kind of testDatabases) {
  describe.skipIf(!kind.isAvailable)(
    `the loss of access of a former schema on ${kind.name}`,
    () => {
      let database: TestDatabase;

      beforeEach(async () => {
        database = await kind.createEmpty();
        await migrateTo(database.location, '0030_audit_meanings');
        for (const each of former) await write(database, each);
        await migrateTo(database.location, '0031_access_ends');
      });

      afterEach(() => database.destroy());

      test('it is the end of the token or of the grant, or the first failure after them', async () => {
        const rows = await database.execute(
          'select id, unhealthy_since as since from installations order by id',
        );

        expect(rows.map(({ id, since }) => [id, since === null ? null : Number(since)])).toEqual([
          ['died-first', 80],
          ['ended-first', 70],
          ['endless', 50],
          ['failing', 90],
          ['healthy', null],
          ['paused', null],
          ['paused-again', null],
          ['paused-later', null],
          ['pending', 40],
          ['without-grant', 50],
        ]);
      });

      test('open outages have it, and a pause has ended none whose trouble goes on', async () => {
        const rows = await database.execute(`select installation_id as id, ended_by as by,
        access_ends_at as since from outages order by installation_id`);

        const found = rows.map(({ id, by, since }) => [
          id,
          by,
          since === null ? null : Number(since),
        ]);
        expect(found).toEqual([
          ['died-first', null, 80],
          ['ended-first', null, 70],
          ['endless', null, 50],
          ['failing', null, 90],
          ['paused', null, 80],
          ['paused-again', 'pause', null],
          ['paused-later', 'pause', null],
        ]);
      });
    },
  );
}
