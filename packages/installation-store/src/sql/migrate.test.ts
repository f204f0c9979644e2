import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listKeys } from '../keyring-admin.ts';
import { createKeyring } from '../sealing/keyring.ts';
import { migrateTo } from '../testing/former-schema.ts';
import { sqlite, type TestDatabase, testDatabases } from '../testing/index.ts';
import { startStoreProcess } from '../testing/start-store-process.ts';

const processes = Array.from({ length: 3 }, () => startStoreProcess());
afterAll(() => Promise.all(processes.map((each) => each.kill())));

for (const { name, isAvailable, createEmpty } of testDatabases) {
  describe.skipIf(!isAvailable)(`the schema on ${name}`, () => {
    let database: TestDatabase;

    beforeEach(async () => {
      database = await createEmpty();
    });

    afterEach(() => database.destroy());

    test('is created once by three processes that start at once', async () => {
      const answers = await Promise.all(processes.map((each) => each.tell('open', database)));

      expect(answers).toEqual(Array(3).fill('opened'));
      const applied = await database.execute('select name from kysely_migration order by name');
      expect(applied[0]).toMatchObject({ name: '0001_installations' });
      expect(new Set(applied.map((row) => row.name)).size).toBe(applied.length);
    });

    test('is created by the next start if a process is killed during the migration', async () => {
      const killed = startStoreProcess();
      expect(await killed.tell('migrate', database)).toBe('half');
      await killed.kill();

      const store = await database.open();

      expect(await store.installations.listAfter('', 1)).toEqual([]);
    });

    test('keeps what was stored before searches and the history lost their tables', async () => {
      await migrateTo(database.location, '0043_operator_identities');
      const rows = ['texted', 'late'].map(
        (id) =>
          `('${id}', 'https://${id}.example.com', 't', 'P', 'pending', 1, 0, 1, 1, 'Ä ${id}')`,
      );
      await database.execute(`insert into installations (id, issuer, tenant_id, plugin_id, status,
        generation, token_version, began_iat, created_at, name) values ${rows.join()}`);
      await database.execute(`insert into search_texts (installation_id, text, name)
        values ('texted', 'ä texted\ntexted.example.com\nt\ntexted', 'ä texted')`);
      const counts = '1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0';
      await database.execute(`insert into fleet_samples (at, refreshed, refresh_failed, events,
        refused, shed, working, risk, broken, pending, paused, uninstalled)
        values (7200000, ${counts})`);
      await database.execute("insert into fleet_cause_samples values (7200000, 'expired', 8)");
      const hours = [3_600_000, 7_200_000].map((at) => `(${at}, 60, 30, 60, 0, 0, 0, 29, 4.4)`);
      await database.execute(`insert into fleet_hours (at, minutes, sampled, refreshed,
        refresh_failed, events, refused, shed, broken_mean) values ${hours.join()}`);
      await database.execute("insert into fleet_cause_hours values (3600000, 'expired', 9, 3.6)");
      if ('path' in database.location) {
        await database.execute(`create virtual table search_trigrams using fts5(text, content='',
          detail=none, tokenize='trigram case_sensitive 1')`);
      }

      const store = await database.open();

      for (const id of ['texted', 'late']) {
        for (const search of [`Ä ${id}`, `${id}.example`, id]) {
          const { rows } = await store.reports.listFleet({
            limit: 9,
            sort: 'began',
            now: 0,
            search,
          });
          expect([search, rows.map((row) => row.id)]).toEqual([search, [id]]);
        }
      }
      const span = { from: 0, until: 10_800_000, stepMs: 3_600_000, ratesUntil: 10_800_000 };
      const { groups, causes, rates } = await store.samples.readSeries(span);
      expect(groups.broken).toEqual([null, 4, 8]);
      expect(causes).toEqual([{ cause: 'expired', values: [null, 4, 8] }]);
      expect([rates.refreshed, rates.shed]).toEqual([
        [null, 1, 1],
        [null, 0, 5],
      ]);
      const stored = await database.execute('select search_text from installations order by id');
      expect(stored.map((row) => row.search_text)).toEqual(
        ['late', 'texted'].map((id) => `\nä ${id}\n${id}.example.com\nt\n${id}\np`),
      );
    });

    test('keeps alerts without their silences, reminders and tests', async () => {
      await migrateTo(database.location, '0047_fleet_minutes');
      await database.execute(`insert into alerts (id, rule, subject, since, opened_at, facts, peak,
        tellings, told_at, told_count) values ('old', 'hook_parked', '', 1, 2,
        '{"count":1,"isAtLeast":false,"of":null,"limit":null,"worst":[]}', 3, 2, 9, 1)`);
      const messages = ['opened', 'reminder', 'test'].map(
        (kind, at) => `('${kind}', 'mail', '${kind}', 'old', '{}', 'waiting', 0, ${at}, ${at})`,
      );
      await database.execute(`insert into alert_messages (id, channel, kind, alert_id, body, state,
        attempts, created_at, due_at) values ${messages.join()}`);
      await database.execute(
        "insert into alert_silences values ('hook_parked', '', 1, 2, 'a', 'b')",
      );

      const store = await database.open();

      expect(await store.alerts.report()).toMatchObject({
        open: [{ id: 'old', rule: 'hook_parked', openedAt: 2, peak: 3 }],
        channels: [{ channel: 'mail', last: { id: 'opened' }, waiting: 1 }],
      });
      await expect(database.execute('select * from alert_silences')).rejects.toThrow();
    });

    test('keeps the counts of refusals by hour', async () => {
      await migrateTo(database.location, '0049_plain_alerts');
      const rows = [3_900_000, 6_900_000, 7_200_000].map(
        (at, n) => `(${at}, 'expired', 'event', 'a', 'b${n}', '', ${n + 1}, ${at}, ${at + 9})`,
      );
      await database.execute(`insert into refusals values ${rows.join()}`);

      const store = await database.open();

      const expired = { reason: 'expired', firstAt: 3_900_000, lastAt: 7_200_009 };
      expect(await store.reports.reportRefusals(0)).toEqual([{ ...expired, count: 6 }]);
      expect(await store.reports.reportRefusals(7_200_000)).toMatchObject([{ count: 3 }]);
    });

    test('keeps accounts, sessions, samples and counts from before calls and deliveries were listed', async () => {
      await migrateTo(database.location, '0051_call_evidence');
      await database.execute(`insert into operator_accounts (name, role, password_hash, revision, created_at)
        values ('grace', 'viewer', 'scrypt', 'first', 1)`);
      await database.execute(`insert into admin_sessions (id, token_hash, name, role, method, identity,
          account_revision, created_at, expires_at, idle_at)
        values ('session', 'hash', 'grace', 'viewer', 'password',
          '{"method":"password","issuer":null,"subject":"grace"}', 'first', 1, 100, 100)`);
      await database.execute("insert into fleet_minutes (at, cause, refreshed) values (0, '', 5)");
      await database.execute("insert into refusal_counts values (0, 'expired', 3, 1, 2)");
      await database.execute(
        "insert into last_refusals values ('old', 1, 'expired', 'event', 'a', '192.0.2.7', '')",
      );

      const store = await database.open();

      const device = { address: null, browser: null, system: null };
      expect(await store.sessions.findAdminSession('hash', 99)).toMatchObject(device);
      expect(await store.accounts.listAccounts()).toEqual([
        { name: 'grace', role: 'viewer', createdAt: 1, hasPassword: true, linkExpiresAt: null },
      ]);
      const span = { from: 0, until: 60_000, stepMs: 60_000, ratesUntil: 60_000 };
      const { rates, callMs } = await store.samples.readSeries(span);
      expect([rates.refreshed, rates.callsFailed, callMs.p95]).toEqual([[5], [0], [null]]);
      expect(await store.reports.reportRefusals(0)).toMatchObject([{ count: 3 }]);
      expect(await database.dump()).not.toContain('192.0.2.7');
    });

    test('before the newest migration has keys that can be listed, and re-encryptions that end with it', async () => {
      await migrateTo(database.location, '0043_operator_identities');
      await database.execute(
        "insert into key_checks (key_id, value_sealed, created_at, uses) values ('deadbeef', 'x', 1, 7)",
      );
      await database.execute(`insert into runs (id, action, reason, who, role, way, state, is_whole,
          started_at, refusals, total, position, done, unchanged, refused, failed, leased_until)
        values ('run', 'reencrypt', 'old', 'ada', 'owner', 'page', 'running', 1,
          1, '{}', 9, 0, 0, 0, 0, 0, 0)`);
      const keyFile = { path: join(tmpdir(), 'no.key'), production: true };
      expect(await listKeys({ database: database.location, keyFile })).toMatchObject([
        { id: 'deadbeef', state: 'missing' },
      ]);
      await database.execute('delete from key_checks');

      const store = await database.open();

      expect(await store.runs.list()).toEqual([]);
      expect((await store.describeKeys()).keys).toMatchObject([{ isSealing: false }]);
    });

    test('P7: of a newer version is not changed', async () => {
      await (await database.open()).close();
      await database.execute(
        "insert into kysely_migration (name, timestamp) values ('9999_future', '2099-01-01')",
      );
      const before = await database.dump();

      await expect(database.open()).rejects.toMatchObject({
        code: 'SCHEMA_TOO_NEW',
        message: expect.stringContaining('9999_future'),
      });

      expect(await database.dump()).toBe(before);
    });
  });
}

test('a SQLite file of the first version keeps its data', async () => {
  const database = await sqlite.createEmpty();
  const { path } = database.location as { path: string };
  const raw = new DatabaseSync(path);
  raw.exec(await readFile(new URL('../testing/schema-0001.sql', import.meta.url), 'utf8'));
  raw.close();

  const store = await database.open({
    keyring: createKeyring(randomBytes(32), new Uint8Array(32).fill(7)),
  });

  const id = 'de4568d5-1598-4d52-b19f-63e16f1f9831';
  const grant = await store.grants.load(id);
  expect(grant?.refreshToken?.reveal()).toBe('refresh');
  const installation = await store.installations.get(id);
  expect(installation).toMatchObject({ status: 'active', generation: 1 });
  const { issuer = '', tenantId = '' } = installation ?? {};
  const find = (instanceId: string) =>
    store.installations.findByInstance(issuer, tenantId, instanceId);
  expect(await find('instance-1')).toMatchObject({ outcome: 'found', installation: { id } });
  expect(await find('made-up')).toMatchObject({ outcome: 'found', match: 'unmatched' });
  const request = { owner: 'o', leaseMs: 1, maxPresentations: 1, burst: 1, intervalMs: 1 };
  const version = { installationId: id, generation: 1, tokenVersion: 1 };
  const search = { limit: 9, sort: 'began', now: 0, search: issuer } as const;
  expect(await store.reports.listFleet(search)).toMatchObject({ rows: [{ id }] });
  expect(await store.renewals.acquire(version, request)).toMatchObject({ outcome: 'acquired' });
  expect(await store.backEnd.findAdminUrl()).toBeUndefined();
  await database.destroy();
});
