/**
 * Decides when a grant whose refresh failed is looked at without a call: its renewal is tried, and its installation
 * may count as broken (docs/decisions/0036-hooks.md). `probe_at` has its own index, so the query that each process
 * repeats every few seconds costs the same for any number of installations.
 */

import type { GrantVersion } from '@dowel/token-client';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../sql/database.ts';
import { isNotPaused } from './pause.ts';

type Clock = Pick<Database, 'now'>;
type DatabaseClock = Pick<Database, 'db' | 'now'>;

/** Null during a pause. A token that is still valid needs no renewal without a call. */
function firstProbeAt(now: Clock['now']): RawBuilder<number | null> {
  return sql`case when ${isNotPaused('grants.installation_id')}
    then case when expires_at > ${now()} then expires_at else ${now()} end end`;
}

/** The first failure of a token set counts. */
export function failingFrom(now: Clock['now']) {
  return {
    failing_since: sql<number>`coalesce(failing_since, ${now()})`,
    probe_at: sql<number | null>`case when failing_since is null then ${firstProbeAt(now)}
      else probe_at end`,
  };
}

/** Updates `probe_at` after a pause began or ended. */
export async function settleProbing({ db, now }: DatabaseClock, id: string): Promise<void> {
  await db
    .updateTable('grants')
    .set({ probe_at: firstProbeAt(now) })
    .where('installation_id', '=', id)
    .where('failing_since', 'is not', null)
    .execute();
}

/**
 * One statement claims and moves, so several processes get different grants: those that have failed, without a
 * valid token, for at least `afterMs`.
 */
export function claimDueProbes(
  { db, now, skipsLocked }: DatabaseClock & Pick<Database, 'skipsLocked'>,
  { afterMs, everyMs, limit }: { afterMs: number; everyMs: number; limit: number },
) {
  // PostgreSQL compares each row with a clock that moves, instead of using the index, unless it is read once.
  const clock = sql<number>`(select ${now()})`;
  return db
    .updateTable('grants')
    .set({ probe_at: sql`${now()} + ${everyMs}` })
    .where('installation_id', 'in', (eb) =>
      eb
        .selectFrom('grants as due')
        .select('due.installation_id')
        .where('due.probe_at', '<=', clock)
        .where(isNotPaused('due.installation_id'))
        .where('due.failing_since', '<=', sql<number>`${clock} - ${afterMs}`)
        .where((due) =>
          due.or([
            due('due.expires_at', 'is', null),
            due('due.expires_at', '<=', sql<number>`${clock} - ${afterMs}`),
          ]),
        )
        .orderBy('due.probe_at')
        .limit(limit)
        .$if(skipsLocked, (query) => query.forNoKeyUpdate().skipLocked()),
    )
    .returning(['installation_id', 'generation', 'token_version']);
}

/**
 * Ends the probes of a dead grant that has nothing left to report: its installation counts as broken, or was never
 * usable. Only new tokens help, and these end the failure.
 */
export async function endProbing(
  { db }: Pick<Database, 'db'>,
  { installationId, generation, tokenVersion }: GrantVersion,
): Promise<void> {
  await db
    .updateTable('grants')
    .set({ probe_at: null })
    .where('installation_id', '=', installationId)
    .where('generation', '=', generation)
    .where('token_version', '=', tokenVersion)
    .where('probe_at', 'is not', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('installations')
          .select('id')
          .where('id', '=', installationId)
          .where('status', '=', 'awaiting_event')
          .where(({ eb, or }) =>
            or([eb('broken_since', 'is not', null), eb('usable_generation', '<', generation)]),
          ),
      ),
    )
    .execute();
}
