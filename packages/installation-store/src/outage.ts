/** What an outage of the database means for this process: which leases it may take, and what it has lost. */
import { sql } from 'kysely';
import type { Announcer } from './announcer.ts';
import type { Engine } from './sql/database.ts';
import type { RefreshHold } from './stores/store-context.ts';

/** Longer than another process takes to notice that the database is back: two seconds of a connect without an answer. */
const holdMs = 3_000;
/** The retry of a refresh whose process does not hear changes yet. */
const unheardMs = 250;

/** What is seen of a database that others run. */
export type DatabaseObservation =
  /**
   * The database has lost committed changes of so many installations. Of so many, this process has written the tokens
   * again; of so many, nothing is stored any more.
   */
  | { type: 'went_back'; changed: number; restored: number; gone: number }
  /** Seen once: the connection goes through a pooler in transaction mode. */
  | { type: 'pooled' };

/** Until when no lease is given, by `performance.now()`, because other processes write again what was lost. */
export interface LossHold {
  until: number;
}

/**
 * After an outage, a process with tokens that it could not save must be first: for a while, no other one takes over a lease
 * that was not returned. No process refreshes before it knows whether the database has lost changes. If it has, other
 * processes may know more of them, and write them again first.
 */
export function holdRefresh(
  { silentMs, outageEnd }: Pick<Engine, 'silentMs' | 'outageEnd'>,
  loss: LossHold,
): RefreshHold {
  const now = performance.now();
  const endedAt = outageEnd();
  return {
    allMs: silentMs() > 0 ? unheardMs : Math.max(0, loss.until - now),
    leftMs: endedAt === undefined ? 0 : Math.max(0, endedAt + holdMs - now),
  };
}

/**
 * Has the listeners write again what they know, and counts what is gone. Until it ends, changes are not heard, which holds
 * all refreshes; then `loss` holds them.
 *
 * @throws StoreError `DATABASE_UNAVAILABLE`. The next connection looks for losses again, and may find none.
 */
export async function recoverLost(
  { db }: Pick<Engine, 'db'>,
  { announcer, loss }: { announcer: Announcer; loss: LossHold },
  installationIds: string[],
): Promise<DatabaseObservation> {
  const restored = await announcer.callLossListeners(installationIds).finally(() => {
    loss.until = performance.now() + holdMs;
  });
  const kept = await db
    .selectFrom('installations')
    .select(sql<number>`count(*)`.as('count'))
    .where('id', 'in', installationIds)
    .executeTakeFirst();
  const changed = installationIds.length;
  return { type: 'went_back', changed, restored, gone: changed - Number(kept?.count ?? 0) };
}
