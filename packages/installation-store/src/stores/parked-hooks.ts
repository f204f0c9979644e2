/** Deliveries that are not tried again by themselves: listed, and replayed by hand. */
import { sql } from 'kysely';
import { lockInstallation } from '../sql/database.ts';
import { type HookPlace, placeOfId } from '../sql/hook-id.ts';
import { type HookRow, rowOf } from './outbox.ts';
import type { StoreContext } from './store-context.ts';

export interface ParkedHook extends HookRow {
  parkedAt: number;
  /** Why: the last error, at most 500 characters. */
  lastError: string;
}

export interface ParkedHookQuery {
  installationId?: string | undefined;
  /** The id of the last one of the previous page. */
  after?: string | undefined;
  limit: number;
}

type Context = Pick<StoreContext, 'db' | 'now' | 'locksRows' | 'changed'>;

export async function listParked(
  { db }: Pick<Context, 'db'>,
  { installationId, after, limit }: ParkedHookQuery,
): Promise<ParkedHook[]> {
  const last = after === undefined ? undefined : placeOfId(after);
  if (after !== undefined && !last) throw new TypeError('after is no id of a delivery');
  const rows = await db
    .selectFrom('hook_deliveries')
    .selectAll()
    // As in the index: SQLite compares the text.
    .where('state', '=', sql.lit('parked'))
    .$if(installationId !== undefined, (query) =>
      query.where('installation_id', '=', installationId ?? ''),
    )
    .$if(last !== undefined, (query) =>
      query.where((eb) =>
        eb(
          eb.refTuple('installation_id', 'sequence'),
          '>',
          eb.tuple(last?.installationId ?? '', last?.sequence ?? 0),
        ),
      ),
    )
    .orderBy('installation_id')
    .orderBy('sequence')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ...rowOf(row),
    parkedAt: row.settled_at ?? row.occurred_at,
    lastError: row.last_error ?? '',
  }));
}

export async function replayHook(
  context: Context,
  id: string,
): Promise<'queued' | 'superseded' | 'unknown'> {
  const { db, changed } = context;
  const place = placeOfId(id);
  if (!place) return 'unknown';
  const { installationId, sequence } = place;
  await lockInstallation(context, installationId);
  await lockStream(context, installationId);
  const row = await findDelivery(context, place);
  if (row?.state === 'superseded') return 'superseded';
  if (row?.state !== 'parked') return 'unknown';
  const isOver =
    row.event !== 'uninstalled' && (await hasEnded(context, installationId, row.generation));
  await db
    .updateTable('hook_deliveries')
    .set(
      isOver
        ? { state: 'superseded' }
        : {
            state: 'waiting',
            attempts: 0,
            replays: sql`replays + 1`,
            unhandled_since: null,
            settled_at: null,
          },
    )
    .where('installation_id', '=', installationId)
    .where('sequence', '=', sequence)
    .execute();
  if (!isOver) await makeDue(context, place);
  changed(installationId);
  return isOver ? 'superseded' : 'queued';
}

export async function dropHook(context: Context, id: string): Promise<boolean> {
  const { db, now, changed } = context;
  const place = placeOfId(id);
  if (!place) return false;
  const { installationId, sequence } = place;
  await lockInstallation(context, installationId);
  const { numUpdatedRows } = await db
    .updateTable('hook_deliveries')
    .set({ state: 'superseded', settled_at: now() })
    .where('installation_id', '=', installationId)
    .where('sequence', '=', sequence)
    .where('state', '=', sql.lit('parked'))
    .executeTakeFirst();
  if (numUpdatedRows > 0n) changed(installationId);
  return numUpdatedRows > 0n;
}

function findDelivery({ db }: Context, { installationId, sequence }: HookPlace) {
  return db
    .selectFrom('hook_deliveries')
    .select(['state', 'event', 'generation'])
    .where('installation_id', '=', installationId)
    .where('sequence', '=', sequence)
    .executeTakeFirst();
}

async function lockStream({ db, locksRows }: Context, id: string): Promise<void> {
  if (!locksRows) return;
  await db
    .selectFrom('hook_streams')
    .select('installation_id')
    .where('installation_id', '=', id)
    .forNoKeyUpdate()
    .execute();
}

async function hasEnded({ db }: Context, id: string, generation: number): Promise<boolean> {
  const live = await db
    .selectFrom('installations')
    .select('id')
    .where('id', '=', id)
    .where('generation', '=', generation)
    .where('status', '!=', 'uninstalled')
    .executeTakeFirst();
  return live === undefined;
}

/** A delivery that runs keeps its lease; its end sees the one that waits. */
async function makeDue(
  { db, now }: Context,
  { installationId, sequence }: HookPlace,
): Promise<void> {
  await db
    .updateTable('hook_streams')
    .set({
      due_at: sql`case when lease_owner is null then ${now()} else due_at end`,
      head_sequence: sql`case when head_sequence > ${sequence} then ${sequence}
        else head_sequence end`,
    })
    .where('installation_id', '=', installationId)
    .execute();
}
