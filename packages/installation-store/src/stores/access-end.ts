/**
 * From when an installation whose grant is in trouble is without access (docs/glossary.md): from the end of its
 * token or the death of its grant, or from the first failure if that came later. Before the first failure there
 * was no call, or a refresh would have helped.
 */
import { sql } from 'kysely';

/** Another process may be able to read the token of a dead grant, but no process can renew it. */
const usableUntil = sql<number>`case
  when installations.status = 'awaiting_event' and installations.error_at < grants.expires_at
  then installations.error_at else grants.expires_at end`;

/**
 * When access ends, for an installation joined with its grant; null: no refresh of the token set has failed. A
 * token without a named end is renewed when the platform refuses it, so it ends with the failure.
 */
export const accessEnd = sql<number>`case when ${usableUntil} > grants.failing_since
  then ${usableUntil} else grants.failing_since end`;
