/** Deliveries that are not tried again by themselves: listed, and replayed by hand. */
import { sql } from 'kysely';
import type { HookStore, ParkedHook } from '../hook-store.ts';
import { lockInstallation } from '../sql/database.ts';
import { rowOf } from './hook-claims.ts';
import type { StoreContext } from './store-context.ts';

type Context = Pick<StoreContext, 'db' | 'now' | 'locksRows' | 'changed'>;

export async function listParked(
  { db }: Pick<Context, 'db'>,
  { installationId, after, limit }: Parameters<HookStore['listParked']>[0],
): Promise<ParkedHook[]> {
  const rows = await db
    .selectFrom('hook_deliveries')
    .selectAll()
    // As in the index: SQLite compares the text.
    .where('state', '=', sql.lit('parked'))
    .$if(installationId !== undefined, (query) =>
      query.where('installation_id', '=', installationId ?? ''),
    )
    .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
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
  const known = await findById(context, id);
  if (!known) return 'unknown';
  const { installation_id: installationId, sequence } = known;
  await lockInstallation(context, installationId);
  await lockStream(context, installationId);
  const row = await findById(context, id);
  if (row?.state === 'superseded') return 'superseded';
  if (row?.state !== 'parked') return 'unknown';
  const isOver = row.event !== 'uninstalled' && (await hasEnded(context, row));
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
  if (!isOver) await makeDue(context, installationId);
  changed(installationId);
  return isOver ? 'superseded' : 'queued';
}

function findById({ db }: Context, id: string) {
  return (
    db
      .selectFrom('hook_deliveries')
      .select(['installation_id', 'sequence', 'state', 'event', 'generation'])
      .where('id', '=', id)
      // As in the index.
      .where('state', '<>', sql.lit('delivered'))
      .executeTakeFirst()
  );
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

async function hasEnded(
  { db }: Context,
  { installation_id: id, generation }: { installation_id: string; generation: number },
): Promise<boolean> {
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
async function makeDue({ db, now }: Context, id: string): Promise<void> {
  await db
    .updateTable('hook_streams')
    .set({ due_at: sql`case when lease_owner is null then ${now()} else due_at end` })
    .where('installation_id', '=', id)
    .execute();
}
