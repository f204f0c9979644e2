/** Purges expired tombstones and all rows that refer to them, but never one that was installed again. */
import { sql } from 'kysely';
import { countMove } from '../sql/condition-counts.ts';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import { batchSize } from './delete-oldest.ts';

const tombstonesPerBatch = 20;

interface PurgeContext extends Pick<Database, 'db' | 'now' | 'locksRows'> {
  /** Announces it after the commit. */
  changed: (installationId: string) => void;
}

/** The tables that refer to an installation, with their keys. */
export const dependents = {
  outages: ['id'],
  events: ['id'],
  deliveries: ['id'],
  token_operations: ['id'],
  call_log: ['id'],
  inbox: ['installation_id', 'digest'],
  instances: ['installation_id', 'instance_id'],
  plugin_sessions: ['token_hash'],
  grants: ['installation_id'],
  exchange_intents: ['installation_id'],
  hook_deliveries: ['installation_id', 'sequence'],
  hook_streams: ['installation_id'],
} as const satisfies Partial<Record<keyof Tables, readonly string[]>>;

/** Epoch milliseconds. */
interface TombstoneAge {
  /** Those that an operator keeps longer than that stay. */
  now: number;
  endedBefore: number;
  /** Only tombstones of installations that sent nothing but the uninstall. */
  neverBegun?: boolean;
}

/**
 * Deletes one batch of dependent rows, and the tombstones that have none left; only the change log still names
 * these.
 */
export async function purgeTombstones(
  { db, locksRows, changed }: Omit<PurgeContext, 'now'>,
  { now, endedBefore, neverBegun = false }: TombstoneAge,
): Promise<{ deleted: number; isLast: boolean }> {
  const due = await db
    .selectFrom('installations')
    .select(['id', 'condition', 'cause'])
    .where('status', '=', sql.lit('uninstalled'))
    // The same text as in the index: SQLite compares the text.
    .$if(neverBegun, (query) => query.where('generation', '=', sql.lit(0)))
    .where('ended_at', '<', endedBefore)
    .where((eb) => eb.or([eb('kept_until', 'is', null), eb('kept_until', '<=', now)]))
    // The plug-in has not received all deliveries, or an operator may still replay some.
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('hook_deliveries')
            .select('sequence')
            .whereRef('hook_deliveries.installation_id', '=', 'installations.id')
            .where('state', 'in', ['waiting', 'parked']),
        ),
      ),
    )
    .orderBy('ended_at')
    .limit(tombstonesPerBatch)
    // An install that arrives in the meantime waits for the lock, and then finds a tombstone or nothing.
    .$if(locksRows, (query) => query.forUpdate().skipLocked())
    .execute();
  if (due.length === 0) return { deleted: 0, isLast: true };
  const ids = due.map(({ id }) => id);
  let isBare = true;
  for (const [table, key] of Object.entries(dependents)) {
    const { numAffectedRows = 0n } = await deleteDependents(table, key, ids).execute(db);
    if (Number(numAffectedRows) === batchSize) isBare = false;
  }
  if (!isBare) return { deleted: 0, isLast: false };
  // Without an index: maintenance keeps the log short.
  await db.deleteFrom('changes').where('installation_id', 'in', ids).execute();
  await db.deleteFrom('installations').where('id', 'in', ids).execute();
  for (const from of due) await countMove(db, { from });
  for (const id of ids) changed(id);
  return { deleted: ids.length, isLast: false };
}

export function deleteDependents(table: string, key: readonly string[], ids: string[]) {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  return sql`delete from ${sql.table(table)} where (${columns}) in (
    select ${columns} from ${sql.table(table)}
    where installation_id in (${sql.join(ids)}) limit ${batchSize})`;
}

/**
 * Purges one tombstone at once, with hook deliveries that wait or are parked, too. False: it is no tombstone, or
 * its life ended later than `endedForMs` ago.
 */
export async function purgeTombstone(
  { db, now, locksRows, changed }: PurgeContext,
  { id, endedForMs }: { id: string; endedForMs: number },
): Promise<boolean> {
  const due = await db
    .selectFrom('installations')
    .select(['condition', 'cause'])
    .where('id', '=', id)
    .where('status', '=', 'uninstalled')
    .where('ended_at', '<=', sql<number>`${now()} - ${endedForMs}`)
    .$if(locksRows, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!due) return false;
  for (const table of Object.keys(dependents)) {
    await sql`delete from ${sql.table(table)} where installation_id = ${id}`.execute(db);
  }
  await db.deleteFrom('installations').where('id', '=', id).execute();
  await countMove(db, { from: due });
  changed(id);
  return true;
}
