import type { EventDetail, LifecycleEventName } from '@dowel/schema';
import type { TokenOperationEntry } from '@dowel/token-client';
import { sql } from 'kysely';
import { type Parameter, prepare } from '../sql/prepare.ts';
import { settleCondition } from './condition.ts';
import { cutHistory } from './history.ts';
import type { StoreContext } from './store-context.ts';

export interface EventEntry {
  installationId: string;
  event: LifecycleEventName;
  receivedAt: number;
  durationMs: number;
  status: number;
  reason: string | null;
  /** The life that shows a refusal as its error; null: none. Default: the current one. */
  generation?: number | null;
  /** For operators. Contains no secret. Default: none. */
  detail?: EventDetail;
}

type Context = Omit<StoreContext, 'keyring'>;

/** The time of the newest event has an index, so it is written at most once in this time. */
const eventResolutionMs = 60_000;
/** Refusals that are no failure of the installation: another delivery decides. */
const passing = new Set<string | null>(['in_progress', 'superseded']);

/** The histories. About a thousand entries of each installation are kept, for `historyDays`. */
export function createEventStore(context: Context) {
  return {
    recordEvent: (entry: EventEntry) => recordEvent(context, entry),
    recordTokenOperation: (entry: TokenOperationEntry) => recordTokenOperation(context, entry),
  };
}

async function recordEvent(context: Context, entry: EventEntry): Promise<void> {
  const { db, changed } = context;
  const { installationId, status, generation, receivedAt } = entry;
  const durationMs = storedDuration(entry);
  const detail = entry.detail ? JSON.stringify(entry.detail) : null;
  const { rows } = await insertEvent({ db }, { ...entry, durationMs, detail });
  const { id: entryId } = rows[0] as { id: number };
  await cutHistory(db, 'events', { installationId, entryId });
  await noteEvent({ db }, { installationId, receivedAt, before: receivedAt - eventResolutionMs });
  if (status >= 400 && generation !== null) await noteFailure(context, entry);
  changed(installationId);
}

/** The column has 32 bits. A clock that was set meanwhile makes a duration of any length, also below 0. */
function storedDuration({ durationMs }: Pick<EventEntry, 'durationMs'>): number {
  const longestMs = 2 ** 31 - 1;
  return Math.round(Math.max(-longestMs, Math.min(durationMs, longestMs)));
}

/** The latest failure. It is also the cause, if the installation is in trouble and the event could have ended that. */
async function noteFailure(
  context: Context,
  { installationId, generation, event, reason, receivedAt }: EventEntry,
): Promise<void> {
  const { numUpdatedRows } = await context.db
    .updateTable('installations')
    .set({ error_reason: reason, error_at: receivedAt })
    .where('id', '=', installationId)
    .$if(generation !== undefined, (query) => query.where('generation', '=', generation ?? 0))
    .executeTakeFirst();
  const isOfTokens = event === 'access_token' || event === 'install';
  if (numUpdatedRows === 0n || !isOfTokens || passing.has(reason)) return;
  await settleCondition(context, installationId, { cause: reason, endedBy: 'uninstall' });
}

async function recordTokenOperation(
  { db, changed }: Context,
  entry: TokenOperationEntry,
): Promise<void> {
  const { installationId } = entry;
  const { id: entryId } = await db
    .insertInto('token_operations')
    .values({
      installation_id: installationId,
      operation: entry.operation,
      started_at: entry.startedAt,
      duration_ms: storedDuration(entry),
      succeeded: entry.succeeded ? 1 : 0,
      token_version: entry.tokenVersion,
      reason: entry.reason,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await cutHistory(db, 'token_operations', { installationId, entryId });
  changed(installationId);
}

type EventRow = Omit<EventEntry, 'detail'> & { detail: string | null };

const insertEvent = prepare(({ db }: Pick<StoreContext, 'db'>, entry: Parameter<EventRow>) =>
  db
    .insertInto('events')
    .values({
      installation_id: entry('installationId'),
      event: entry('event'),
      received_at: entry('receivedAt'),
      duration_ms: entry('durationMs'),
      status: entry('status'),
      reason: entry('reason'),
      detail: entry('detail'),
    })
    .returning('id'),
);

interface NotedEvent {
  installationId: string;
  receivedAt: number;
  before: number;
}

const noteEvent = prepare(({ db }: Pick<StoreContext, 'db'>, event: Parameter<NotedEvent>) =>
  db
    .updateTable('installations')
    .set({ last_event_at: event('receivedAt') })
    .where('id', '=', event('installationId'))
    .where(
      sql<boolean>`(last_event_at is null or last_event_at < cast(${event('before')} as bigint))`,
    ),
);
