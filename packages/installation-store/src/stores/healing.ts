/**
 * Decides when an installation is checked that only a new event can repair: its grant is dead, or its exchange
 * left an intent behind. `heal_at` has its own index, so that the query that each process repeats every few
 * seconds costs the same for any number of installations. An index on the status is no substitute: without statistics
 * SQLite prefers it to any partial index on a time, and reads all that have the status. A claim moves the time 5 s
 * ahead, so several processes get different installations. An exchange that begins sets the time to 45 s later.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../sql/database.ts';
import { hasLapsed } from './lapse.ts';

type Clock = Pick<Database, 'now'>;
type DatabaseClock = Pick<Database, 'db' | 'now'>;

/**
 * After this time an exchange has certainly ended. If its intent remains, the installation is repaired within
 * a minute.
 */
const staleIntentMs = 45_000;
/** A claimed installation is due again after this time. */
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

/** Updates `heal_at` from the status and the intent of an installation. */
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
 * Installations whose next trigger is due, each for one of the processes that ask. Rows that another process
 * has locked are skipped; rows that it has just changed are checked again.
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

/** PostgreSQL compares each row with a clock that moves, instead of using the index, unless it is read once. */
function readOnce(now: Clock['now']): RawBuilder<number> {
  return sql`(select ${now()})`;
}
