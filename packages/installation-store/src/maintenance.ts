/**
 * Deletes what nobody needs any more: old history, the memory of events and init JWTs that cannot come
 * again, tombstones whose time is up (docs/decisions/0014). In small batches, each its own transaction
 * with a pause behind it, so that no request waits long for SQLite's one writer.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import {
  type Batch,
  deleteAdminSessions,
  deleteEvents,
  deleteInboxEntries,
  deletePluginSessions,
  deleteTokenOperations,
} from './maintenance-batches.ts';
import { purgeTombstones } from './maintenance-tombstones.ts';
import type { MaintenanceReport, MaintenanceRequest } from './store.ts';
import type { Tables } from './tables.ts';

export interface MaintainedDatabase {
  /** Rows must be locked before a transaction decides by them. */
  locksRows: boolean;
  transaction<Result>(work: (db: Kysely<Tables>) => Promise<Result>): Promise<Result>;
}

const pauseMs = 10;
const dayMs = 24 * 60 * 60 * 1000;
/** How often it is due, for all processes together. */
const everyMs = 10 * 60 * 1000;
/** An event can be delivered for an hour and ten minutes; a platform's own queue may hold it for longer. */
const inboxMs = 7 * dayMs;
/**
 * The row of a plug-in's session remembers its init JWT, which can open one for an hour and ten minutes;
 * the session itself ends after a quarter of an hour.
 */
const initMemoryMs = 60 * 60 * 1000;
/** How long an install takes up again what an uninstall ended. */
const tombstoneMs = 30 * dayMs;

export function createMaintenance({ transaction, locksRows }: MaintainedDatabase) {
  /** True for one process, when it is due; also after the clock was set back. */
  function takeTurn(now: number): Promise<boolean> {
    return transaction(async (db) => {
      const { numUpdatedRows } = await db
        .updateTable('maintenance')
        .set({ due_at: now + everyMs })
        .where('name', '=', 'retention')
        .where((eb) => eb.or([eb('due_at', '<=', now), eb('due_at', '>', now + everyMs)]))
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    });
  }

  async function inBatches(
    signal: AbortSignal | undefined,
    deleteSome: (db: Kysely<Tables>) => Promise<Batch>,
  ): Promise<number> {
    let total = 0;
    while (!signal?.aborted) {
      const { deleted, isLast } = await transaction(deleteSome);
      total += deleted;
      if (isLast) break;
      await pause(pauseMs);
    }
    return total;
  }

  return async ({
    now,
    historyDays,
    signal,
  }: MaintenanceRequest): Promise<MaintenanceReport | undefined> => {
    if (!(await takeTurn(now))) return undefined;
    const run = (deleteSome: (db: Kysely<Tables>) => Promise<Batch>) =>
      inBatches(signal, deleteSome);
    const historyBegins = now - historyDays * dayMs;
    return {
      pluginSessions: await run((db) => deletePluginSessions(db, now - initMemoryMs)),
      adminSessions: await run((db) => deleteAdminSessions(db, now)),
      inboxEntries: await run((db) => deleteInboxEntries(db, now - inboxMs)),
      events: await run((db) => deleteEvents(db, historyBegins)),
      tokenOperations: await run((db) => deleteTokenOperations(db, historyBegins)),
      installations: await run((db) => purgeTombstones(db, locksRows, now - tombstoneMs)),
    };
  };
}
