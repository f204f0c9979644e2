/** How long rows are kept. Why: docs/decisions/0014-tombstones-and-retention.md. */
import { type RawBuilder, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';

export interface RetentionRule {
  table: keyof Tables;
  key: readonly string[];
  /** The column with the row's time, epoch milliseconds. An index begins with it, or the table is small. */
  at: string;
  /** `history`: as long as the caller keeps the history. */
  keepMs?: number | 'history';
  /** Only so many rows are kept, the newest by `at`, of those that `where` names. */
  keepRows?: number;
  /** Which rows expire. Of an index, the same text: SQLite compares it. */
  where?: (before: number) => RawBuilder<boolean>;
  /**
   * Rows are numbered on arrival, so the lowest numbers are the oldest, and `at` has no index. Rows from a clock that
   * ran ahead expire, too: they would come before all later ones until that date.
   */
  isNumbered?: true;
  /** Rows of one transaction, if those are not 500. */
  batch?: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export const retentionRules: readonly RetentionRule[] = [
  // A row also records its init JWT, which could open a session for an hour and ten minutes. The session itself ends
  // after a quarter of an hour.
  { table: 'plugin_sessions', key: ['token_hash'], at: 'expires_at', keepMs: hourMs },
  { table: 'admin_sessions', key: ['token_hash'], at: 'expires_at', keepMs: 0 },
  { table: 'admin_sessions', key: ['token_hash'], at: 'idle_at', keepMs: 0 },
  { table: 'sign_in_codes', key: ['digest'], at: 'expires_at', keepMs: 0 },
  // After this time without use, a location counts as unknown again.
  { table: 'key_locations', key: ['location'], at: 'used_at', keepMs: 180 * dayMs },
  // An event can be delivered for an hour and ten minutes, and a platform's own queue may hold it for longer.
  { table: 'inbox', key: ['installation_id', 'digest'], at: 'received_at', keepMs: 7 * dayMs },
  { table: 'events', key: ['id'], at: 'received_at', keepMs: 'history', isNumbered: true },
  { table: 'token_operations', key: ['id'], at: 'started_at', keepMs: 'history', isNumbered: true },
  {
    table: 'outages',
    key: ['id'],
    at: 'began_at',
    keepMs: 'history',
    where: (before) => sql`ended_at < ${before}`,
  },
  // Processes read it several times a second; one that slept longer notices that rows are missing.
  { table: 'changes', key: ['id'], at: 'id', keepRows: 10_000 },
  // The newest of each installation are cut when others are settled.
  {
    table: 'hook_deliveries',
    key: ['installation_id', 'sequence'],
    at: 'settled_at',
    keepMs: 7 * dayMs,
    where: () => sql`state in ('delivered', 'superseded')`,
  },
  // How long an operator may replay it.
  {
    table: 'hook_deliveries',
    key: ['installation_id', 'sequence'],
    at: 'settled_at',
    keepMs: 30 * dayMs,
    where: () => sql`state = 'parked'`,
  },
  // More than a year, so that a yearly audit finds it.
  { table: 'audit', key: ['id'], at: 'at', keepMs: 400 * dayMs },
  // As long as the longest chart.
  { table: 'fleet_minutes', key: ['at', 'cause'], at: 'at', keepMs: 30 * dayMs },
  {
    table: 'call_evidence',
    key: ['installation_id', 'process'],
    at: 'written_at',
    keepMs: hourMs,
  },
  // So many rows take about 50 MB, and a mass outage adds 3,000 per minute and process.
  {
    table: 'call_log',
    key: ['id'],
    at: 'at',
    keepMs: 7 * dayMs,
    keepRows: 100_000,
    where: () => sql`reason is not null`,
  },
  // The sample of calls that succeeded.
  {
    table: 'call_log',
    key: ['id'],
    at: 'at',
    keepMs: dayMs,
    where: () => sql`reason is null`,
  },
  { table: 'refusal_counts', key: ['hour_at'], at: 'hour_at', keepMs: 'history' },
  // Long enough to look into what went wrong: claims are kept no longer than they are needed.
  { table: 'deliveries', key: ['id'], at: 'at', keepMs: 7 * dayMs },
  { table: 'alerts', key: ['id'], at: 'recovered_at', keepMs: 'history' },
  { table: 'alert_messages', key: ['id', 'channel'], at: 'settled_at', keepMs: 'history' },
  // It may have many parts, which are deleted with it.
  { table: 'runs', key: ['id'], at: 'ended_at', keepMs: dayMs, batch: 1 },
];
