/**
 * When an installation is looked at because only a new event can repair it: its grant is dead, or its exchange
 * left an intent behind. `heal_at` has an index of its own, so that what every process asks every few seconds
 * costs the same for any number of installations (docs/decisions/0032-healing.md).
 */
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../sql/database.ts';
import { hasLapsed, longestPauseMs } from './lapse.ts';

type Clock = Pick<Database, 'now'>;
type DatabaseClock = Pick<Database, 'db' | 'now'>;

/**
 * After this time an exchange has certainly ended. If its intent remains, the installation is repaired within
 * a minute.
 */
const staleIntentMs = 45_000;
/** What is claimed is due again after this time. */
const claimMs = 5_000;

/** When the exchange that an intent announces has certainly ended; null without an intent. */
export const abandonedAt = sql<number | null>`(select intent.started_at + ${sql.lit(staleIntentMs)}
  from exchange_intents as intent where intent.installation_id = installations.id
    and intent.generation = installations.generation)`;

/** When the next trigger may be sent. */
export function nextTurnAt(now: Clock['now']): RawBuilder<number> {
  return sql`case when ${hasLapsed(now, 'installations.next_trigger_at')}
    then ${now()} else next_trigger_at end`;
}

/** Brings `heal_at` in step with the status and the intent of an installation. */
export async function settleHealing({ db, now }: DatabaseClock, id: string): Promise<void> {
  await db
    .updateTable('installations')
    .set({
      heal_at: sql`case status when 'awaiting_event' then coalesce(heal_at, ${now()})
        when 'uninstalled' then null else ${abandonedAt} end`,
    })
    .where('id', '=', id)
    .execute();
}

/**
 * Installations whose next trigger is due, each for one of the processes that ask. What another process holds is passed
 * over; what it has moved is looked at again.
 */
export function claimDue(
  { db, now, skipsLocked }: DatabaseClock & Pick<Database, 'skipsLocked'>,
  limit: number,
) {
  return db
    .updateTable('installations')
    .set({ heal_at: sql`${now()} + ${claimMs}` })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('installations')
        .select('id')
        .where('paused_at', 'is', null)
        .where('heal_at', '<=', readOnce(now))
        .orderBy('heal_at')
        .limit(limit)
        .$if(skipsLocked, (query) => query.forNoKeyUpdate().skipLocked()),
    )
    .returning(['id as installationId', 'generation', 'token_version as tokenVersion']);
}

/** What is further ahead than it can be was written before the clock was set back: it is due. */
export function recallHealing({ db, now }: DatabaseClock) {
  return db
    .updateTable('installations')
    .set({ heal_at: now() })
    .where('heal_at', '>', sql<number>`${readOnce(now)} + ${longestPauseMs}`);
}

/** PostgreSQL compares each row with a clock that moves, instead of using the index, unless it is read once. */
function readOnce(now: Clock['now']): RawBuilder<number> {
  return sql`(select ${now()})`;
}
