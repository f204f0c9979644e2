/** How long rows of each table are kept, on each kind of database. Why: docs/decisions/0014-tombstones-and-retention.md. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MaintenanceReport } from '../store.ts';
import {
  createMaintenanceWorld,
  dayMs,
  historyDays,
  type MaintenanceWorld,
  minuteMs,
} from '../testing/maintenance-world.ts';
import { testDatabases } from '../testing/test-databases.ts';
import { retentionRules } from './retention-rules.ts';

type Values = Record<string, string | number | null>;

interface Case {
  table: (typeof retentionRules)[number]['table'];
  at: string;
  days: number;
  /** The column that names the row. */
  mark: string;
  row: Values;
  /** Makes a row stay, however old it is. */
  open?: Values;
}

const later = 9_000_000_000_000;
const duration = { duration_ms: 1 };
const adminSession = { expires_at: later, idle_at: later, id: 'i', name: 'n', created_at: 1 };
const hook = { generation: 1, event: 'installed', occurred_at: 1 };
const actor = { role: 'operator', way: 'page', action: 'pause' };
const counts = { total: 1, position: 1, done: 1, unchanged: 0, refused: 0, failed: 0 };
const message = { channel: 'mail', kind: 'opened', body: '{}', state: 'sent', attempts: 1 };
const delivery = {
  event: 'install',
  plugin: '',
  host: 'a',
  is_verified: 1,
  status: 201,
  is_repeat: 0,
  sender: '',
  request_id: 'r',
};

const loggedCall = { first_at: 1, n: 1, method: 'GET', path: '/', duration_ms: 1, attempts: 1 };

const cases: Case[] = [
  {
    table: 'plugin_sessions',
    at: 'expires_at',
    days: 1 / 24,
    mark: 'token_hash',
    row: { generation: 1, user_id: 'u', instance_id: 'i' },
  },
  { table: 'admin_sessions', at: 'expires_at', days: 0, mark: 'token_hash', row: adminSession },
  { table: 'admin_sessions', at: 'idle_at', days: 0, mark: 'token_hash', row: adminSession },
  { table: 'sign_in_codes', at: 'expires_at', days: 0, mark: 'digest', row: { name: 'n' } },
  { table: 'key_locations', at: 'used_at', days: 180, mark: 'location', row: {} },
  { table: 'inbox', at: 'received_at', days: 7, mark: 'digest', row: {} },
  {
    table: 'events',
    at: 'received_at',
    days: historyDays,
    mark: 'reason',
    row: { ...duration, event: 'install', status: 400 },
  },
  {
    table: 'token_operations',
    at: 'started_at',
    days: historyDays,
    mark: 'reason',
    row: { ...duration, operation: 'refresh', succeeded: 0 },
  },
  {
    table: 'outages',
    at: 'began_at',
    days: historyDays,
    mark: 'cause',
    row: { generation: 1, ended_at: 1 },
    open: { ended_at: null },
  },
  {
    table: 'hook_deliveries',
    at: 'settled_at',
    days: 7,
    mark: 'data',
    row: { ...hook, state: 'delivered' },
    open: { state: 'waiting' },
  },
  {
    table: 'hook_deliveries',
    at: 'settled_at',
    days: 30,
    mark: 'data',
    row: { ...hook, state: 'parked' },
    open: { state: 'waiting' },
  },
  { table: 'audit', at: 'at', days: 400, mark: 'who', row: { ...actor, result: 'done' } },
  { table: 'fleet_minutes', at: 'at', days: 30, mark: 'cause', row: {} },
  {
    table: 'refusal_counts',
    at: 'hour_at',
    days: historyDays,
    mark: 'reason',
    row: { n: 1, first_at: 1, last_at: 1 },
  },
  { table: 'call_evidence', at: 'written_at', days: 1 / 24, mark: 'process', row: { failures: 0 } },
  {
    table: 'call_log',
    at: 'at',
    days: 7,
    mark: 'id',
    row: { ...loggedCall, reason: 'timed_out' },
  },
  { table: 'call_log', at: 'at', days: 1, mark: 'id', row: loggedCall },
  { table: 'deliveries', at: 'at', days: 7, mark: 'id', row: delivery },
  {
    table: 'alerts',
    at: 'recovered_at',
    days: historyDays,
    mark: 'id',
    row: { rule: 'broken_for', subject: '', since: 1, facts: '{}', peak: 1 },
    open: { recovered_at: null },
  },
  {
    table: 'alert_messages',
    at: 'settled_at',
    days: historyDays,
    mark: 'id',
    row: { ...message, created_at: 1, due_at: 1 },
    open: { settled_at: null },
  },
  {
    table: 'runs',
    at: 'ended_at',
    days: 1,
    mark: 'id',
    row: { ...actor, ...counts, reason: 'r', who: 'w', state: 'done', started_at: 1 },
    open: { ended_at: null },
  },
];

/** What no case needs to name. */
const always: Readonly<Record<string, Values>> = {
  admin_sessions: { role: 'owner', method: 'code' },
  runs: { refusals: '{}', leased_until: 1 },
};
const ofInstallation = [
  'plugin_sessions',
  'inbox',
  'events',
  'token_operations',
  'outages',
  'call_evidence',
  'call_log',
  'hook_deliveries',
];

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`retention on ${name}`, () => {
    let world: MaintenanceWorld;
    let report: MaintenanceReport | undefined;

    beforeAll(async () => {
      world = await createMaintenanceWorld(create);
      const { id } = await world.begin();
      for (const [index, each] of cases.entries()) await plant(each, index, id);
      report = await world.maintain(world.now);
    });

    afterAll(() => world.database.destroy());

    async function plant({ table, at, days, mark, row, open }: Case, index: number, id: string) {
      const limit = world.now - days * dayMs;
      const rows: Values[] = [
        { [mark]: `${index} old`, [at]: limit - minuteMs },
        { [mark]: `${index} young`, [at]: limit + minuteMs },
        ...(open ? [{ [mark]: `${index} open`, [at]: limit - minuteMs, ...open }] : []),
      ];
      for (const [number, own] of rows.entries()) {
        const values: Values = { ...row, ...always[table], ...own };
        if (ofInstallation.includes(table)) values.installation_id = id;
        if (table === 'plugin_sessions') values.init_jti = `${index} ${number}`;
        if (table === 'hook_deliveries') values.sequence = index * 10 + number;
        const texts = Object.values(values).map((value) =>
          typeof value === 'string' ? `'${value}'` : String(value),
        );
        await world.database.execute(
          `insert into ${table} (${Object.keys(values).join()}) values (${texts.join()})`,
        );
      }
    }

    test.each(cases)('rows of $table by $at stay for $days days', async (each) => {
      const { table, mark, open } = each;
      const index = cases.indexOf(each);
      const left = await world.database.execute(
        `select ${mark} as mark from ${table} where ${mark} like '${index} %' order by ${mark}`,
      );

      const kept = open ? [`${index} open`, `${index} young`] : [`${index} young`];
      expect(left.map((row) => row.mark)).toEqual(kept);
      expect(report?.deleted[table]).toBe(cases.filter((other) => other.table === table).length);
    });

    test('each rule has a case', () => {
      const named = cases.map(({ table, at }) => `${table} ${at}`);
      // Of changes, a number of rows is kept.
      const rules = retentionRules.map(({ table, at }) => `${table} ${at}`);
      expect(['changes id', ...named].toSorted()).toEqual(rules.toSorted());
    });
  });
}
