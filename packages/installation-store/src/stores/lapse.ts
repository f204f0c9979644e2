/**
 * Whether a right has lapsed. A lease, a claim, a hold and a back-off each end at a stored time, by the
 * database's clock.
 */
import type * as port from '@dowel/token-client';
import { sql } from 'kysely';
import type { Database } from '../sql/database.ts';

// Typed by the port, whose values these are: loading the token client for two numbers would slow down every command.
export const longestLeaseMs: typeof port.longestLeaseMs = 60_000;
const longestPauseMs: typeof port.longestPauseMs = 1_200_000;

/**
 * The longest time that each column can be in the future. A later time was written before the clock was set
 * back, so it has lapsed.
 */
const maxAheadMs = {
  lease_until: longestLeaseMs,
  held_until: longestLeaseMs,
  'exchange_intents.held_until': longestLeaseMs,
  'inbox.claimed_until': longestLeaseMs,
  bucket_full_at: longestLeaseMs,
  next_refresh_at: longestPauseMs,
  'installations.next_trigger_at': longestPauseMs,
  'runs.leased_until': longestLeaseMs,
};

type EndColumn = keyof typeof maxAheadMs;

/** True if the column has lapsed or is null. */
export function hasLapsed(now: Database['now'], column: EndColumn) {
  return sql<boolean>`(${sql.ref(column)} is null or ${sql.ref(column)} <= ${now()}
    or ${sql.ref(column)} > ${now()} + ${maxAheadMs[column]})`;
}

/** Milliseconds until the column lapses; 0 when it has. */
export function msUntilLapse(now: Database['now'], column: EndColumn) {
  return sql<number>`case when ${hasLapsed(now, column)} then 0
    else ${sql.ref(column)} - ${now()} end`;
}

/**
 * A pause before the next trigger, no longer than its column allows. Rounded, because PostgreSQL cannot add a
 * fraction.
 */
export function triggerPauseMs(ms: number): number {
  return Math.round(Math.min(ms, longestPauseMs));
}
