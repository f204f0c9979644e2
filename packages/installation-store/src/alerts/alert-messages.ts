/** The outbox of alerts: each message is claimed, sent and settled, or due again when its lease has ended. */
import type { AlertAnswer, AlertChannel, AlertMessageKind } from '@dowel/admin-api';
import { sql } from 'kysely';
import type { Database } from '../sql/database.ts';

export interface NewAlertMessage {
  /** Unique. The same for all channels. */
  id: string;
  kind: AlertMessageKind;
  alertId: string;
  channel: AlertChannel;
  /** What is sent, at each attempt the same. Contains no secret. */
  body: string;
}

/** The right to send one message. It ends with its lease. */
export interface ClaimedAlertMessage extends Pick<NewAlertMessage, 'id' | 'channel' | 'body'> {
  /** Attempts that began, this one included. */
  attempts: number;
  /** Since it was written. */
  ageMs: number;
}

export type AlertOutcome =
  | { state: 'delivered' }
  | { state: 'waiting'; error: string; answer: AlertAnswer; retryInMs: number }
  /** Not tried again. */
  | { state: 'failed'; error: string; answer: AlertAnswer };

type Context = Pick<Database, 'db' | 'now'>;

/** Longer than any wait between two attempts. A message that is due later was dated by a clock that ran ahead. */
const furthestMs = 8 * 60 * 60 * 1000;

export async function addMessages(
  { db, now }: Context,
  messages: readonly NewAlertMessage[],
): Promise<void> {
  for (const { alertId, ...message } of messages) {
    const row = { ...message, alert_id: alertId, state: 'waiting', attempts: 0 } as const;
    await db
      .insertInto('alert_messages')
      .values({ ...row, created_at: now(), due_at: now() })
      .execute();
  }
}

/** Two processes may see the same one. Its number of attempts decides which of them has it. */
export async function claimMessage(
  { db, now }: Context,
  channel: AlertChannel,
  leaseMs: number,
): Promise<ClaimedAlertMessage | undefined> {
  const due = await findDue({ db, now }, channel);
  if (!due) return undefined;
  return db
    .updateTable('alert_messages')
    .set({ attempts: due.attempts + 1, due_at: sql`${now()} + cast(${leaseMs} as bigint)` })
    .where('id', '=', due.id)
    .where('channel', '=', channel)
    .where('state', '=', 'waiting')
    .where('attempts', '=', due.attempts)
    .returning(['id', 'channel', 'body', 'attempts'])
    .returning(sql<number>`${now()} - created_at`.as('ageMs'))
    .executeTakeFirst();
}

function findDue({ db, now }: Context, channel: NewAlertMessage['channel']) {
  return db
    .selectFrom('alert_messages as due')
    .select(['due.id', 'due.attempts'])
    .where('due.channel', '=', channel)
    .where('due.state', '=', 'waiting')
    .where((eb) =>
      eb.or([
        eb('due.due_at', '<=', now()),
        eb('due.due_at', '>', sql<number>`${now()} + cast(${furthestMs} as bigint)`),
      ]),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('alert_messages as earlier')
            .select('earlier.id')
            .whereRef('earlier.alert_id', '=', 'due.alert_id')
            .whereRef('earlier.channel', '=', 'due.channel')
            .whereRef('earlier.created_at', '<', 'due.created_at')
            .where('earlier.state', '=', 'waiting'),
        ),
      ),
    )
    .orderBy('due.due_at')
    .limit(1)
    .executeTakeFirst();
}

export async function settleMessage(
  { db, now }: Context,
  { id, channel, attempts }: ClaimedAlertMessage,
  outcome: AlertOutcome,
): Promise<boolean> {
  const { state } = outcome;
  const { numUpdatedRows } = await db
    .updateTable('alert_messages')
    .set({
      state,
      ...(state === 'delivered'
        ? {}
        : { last_error: outcome.error, last_answer: JSON.stringify(outcome.answer) }),
      ...(state === 'waiting'
        ? { due_at: sql`${now()} + cast(${outcome.retryInMs} as bigint)` }
        : { settled_at: now() }),
    })
    .where('id', '=', id)
    .where('channel', '=', channel)
    .where('state', '=', 'waiting')
    .where('attempts', '=', attempts)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
