/** Writes the outbox, in the transactions in which things happen; its ids and rows. */
import { type Selectable, sql } from 'kysely';
import { hookIdOf } from '../sql/hook-id.ts';
import { type Parameter, prepare } from '../sql/prepare.ts';
import type { HookEvent, Tables } from '../sql/tables.ts';
import type { StoreContext } from './store-context.ts';

/** The facts of one delivery: JSON of at most 4 KB, without secrets. */
export type HookFacts = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface HookEntry {
  installationId: string;
  generation: number;
  event: HookEvent;
  data: HookFacts;
}

/** A change, for the function that decides whether a hook receives it. */
export interface HookChange extends HookEntry {
  /** The plug-in of the installation, by the name that the back end gave it. */
  plugin: string;
}

export interface HookRow extends HookEntry {
  /** The same for each attempt and replay. Made of the installation's id and the sequence. */
  id: string;
  /** The place in the installation's order of commits, from 1. */
  sequence: number;
  /** Runs that began, this one included. */
  attempts: number;
  occurredAt: number;
}

type Context = Pick<StoreContext, 'db' | 'now' | 'changed'>;

export type StoredDelivery = Selectable<Tables['hook_deliveries']>;

const maxFactsBytes = 4_096;

/** The row of the stream is locked until the commit, so the numbers have the order of the commits. */
export async function appendHook(
  context: Context,
  { installationId, generation, event, data }: HookEntry,
): Promise<{ id: string; sequence: number }> {
  const facts = JSON.stringify(data);
  if (Buffer.byteLength(facts) > maxFactsBytes) {
    throw new TypeError(`The facts of ${event} have more than ${maxFactsBytes} bytes`);
  }
  const { rows } = await takeSequence(context, { installationId });
  const { sequence } = rows[0] as { sequence: number };
  await insertDelivery(context, { installationId, sequence, generation, event, facts });
  context.changed(installationId);
  return { id: hookIdOf({ installationId, sequence }), sequence };
}

export function rowOf(row: StoredDelivery): HookRow {
  const place = { installationId: row.installation_id, sequence: row.sequence };
  return {
    ...place,
    id: hookIdOf(place),
    generation: row.generation,
    event: row.event,
    data: JSON.parse(row.data),
    attempts: row.attempts,
    occurredAt: row.occurred_at,
  };
}

const takeSequence = prepare(
  ({ db, now }: Context, stream: Parameter<Pick<HookEntry, 'installationId'>>) =>
    db
      .insertInto('hook_streams')
      .values({ installation_id: stream('installationId'), next_sequence: 2, due_at: now() })
      .onConflict((conflict) =>
        conflict.column('installation_id').doUpdateSet({
          next_sequence: sql`hook_streams.next_sequence + 1`,
          // A lease, or the pause after a failure, continues.
          due_at: sql`coalesce(hook_streams.due_at, ${now()})`,
        }),
      )
      .returning(sql<number>`next_sequence - 1`.as('sequence')),
);

type Row = Omit<HookEntry, 'data'> & { sequence: number; facts: string };

const insertDelivery = prepare(({ db, now }: Context, row: Parameter<Row>) =>
  db.insertInto('hook_deliveries').values({
    installation_id: row('installationId'),
    sequence: row('sequence'),
    generation: row('generation'),
    event: row('event'),
    data: row('facts'),
    occurred_at: now(),
    state: sql.lit('waiting'),
  }),
);
