/**
 * Whether a right has lapsed. A lease, a claim, a hold and a back-off each end at a stored time, by the
 * database's clock.
 */
import { sql } from 'kysely';
import type { Database } from '../sql/database.ts';

/** The longest lease, hold, claim or filled token bucket, in milliseconds. A longer one counts as lapsed at once. */
export const longestLeaseMs = 60_000;
/** The longest time before the next refresh or trigger, in milliseconds. A longer one counts as lapsed at once. */
export const longestPauseMs = 20 * 60_000;

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
