/**
 * Deletes expired rows: old history, events and init JWTs that cannot come again, and tombstones
 * (docs/decisions/0014). It works in small batches, each in its own transaction with a pause after it, so
 * that no request waits long for SQLite's one writer.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { type ConditionCount, compareCounts, foldCounts } from '../sql/condition-counts.ts';
import type { Engine } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import type { MaintenanceReport, MaintenanceRequest } from '../store.ts';
import { settleCondition } from '../stores/condition.ts';
import { restMoved } from '../stores/other-address.ts';
import type { StoreContext } from '../stores/store-context.ts';
import { deleteOldest } from './delete-oldest.ts';
import { purgeTombstones } from './maintenance-tombstones.ts';
import { type RetentionRule, retentionRules } from './retention-rules.ts';
import { trimCallLog } from './trim-call-log.ts';
import { takeNewTurn, takeTurn } from './turns.ts';

export interface MaintainedDatabase extends Pick<Engine, 'locksRows' | 'now' | 'readWhole'> {
  transaction<Result>(work: (db: Kysely<Tables>) => Promise<Result>): Promise<Result>;
  /** A transaction that, after its commit, announces to every process the installations it has `changed`. */
  announcing<Result>(
    work: (db: Kysely<Tables>, changed: (installationId: string) => void) => Promise<Result>,
  ): Promise<Result>;
}

const pauseMs = 10;
const dayMs = 24 * 60 * 60 * 1000;
/** The interval between two runs, for all processes together. */
const everyMs = 10 * 60 * 1000;
/** How long an install can continue an installation that an uninstall ended. */
export const tombstoneMs = 30 * dayMs;
/** How long a refused install that no operator has seen stays among the broken ones. */
const refusedMs = 7 * dayMs;
/** For installations with nothing but an uninstall. Longer than the events that it refuses can still arrive. */
const unseenMs = dayMs;

/**
 * Deletes what has expired. Resolves with undefined if another process ran less than ten minutes ago.
 *
 * @throws what the database throws. A failed comparison of the counts is thrown after all deletions.
 */
export async function maintain(
  database: MaintainedDatabase,
  { now: callersNow, historyDays, signal }: MaintenanceRequest,
): Promise<MaintenanceReport | undefined> {
  // If one clock runs ahead, it must not purge rows that the other would keep.
  const clocks = [callersNow, await readClock(database)];
  const now = Math.min(...clocks);
  const latest = Math.max(...clocks) + dayMs;
  const isDue = await database.transaction((db) =>
    takeTurn(db, { name: 'retention', everyMs, now: sql`cast(${now} as bigint)` }),
  );
  if (!isDue) return undefined;
  // Comparing reads all installations, and what expires must go even if that fails.
  const [repair] = await Promise.allSettled([repairDaily(database, now, signal)]);
  await foldCounts(database);
  const report = await removeExpired(database, { now, latest, historyDays, signal });
  if (repair.status === 'rejected') throw repair.reason;
  return { repairedCounts: repair.value, ...report };
}

interface Expiry extends Pick<MaintenanceRequest, 'now' | 'historyDays'> {
  /** Epoch milliseconds. What is dated after it came from a clock that ran ahead. */
  latest: number;
  signal: AbortSignal | undefined;
}

async function removeExpired(
  database: MaintainedDatabase,
  expiry: Expiry,
): Promise<Omit<MaintenanceReport, 'repairedCounts'>> {
  const { now, latest, signal } = expiry;
  const refusedInstalls = await repeat(database, signal, (db, changed) =>
    endOldRefusals({ ...database, db, changed }, now - refusedMs),
  );
  const restingInstallations = await repeat(database, signal, (db, changed) =>
    restMoved({ ...database, db, tokensChanged: changed }),
  );
  const deleted: MaintenanceReport['deleted'] = {
    call_log: await repeat(database, signal, trimCallLog),
  };
  for (const rule of retentionRules) {
    const { table } = rule;
    const before = await database.transaction((db) => findLimit(db, rule, expiry));
    const rows = await repeat(database, signal, async (db) => {
      const { numAffectedRows = 0n } = await deleteOldest(rule, { before, latest }).execute(db);
      return { deleted: Number(numAffectedRows), isLast: numAffectedRows === 0n };
    });
    deleted[table] = (deleted[table] ?? 0) + rows;
  }
  const purge = (endedBefore: number, neverBegun = false) =>
    repeat(database, signal, (db, changed) =>
      purgeTombstones({ ...database, db, changed }, { now, endedBefore, neverBegun }),
    );
  deleted.installations = (await purge(now - tombstoneMs)) + (await purge(now - unseenMs, true));
  return { refusedInstalls, restingInstallations, deleted };
}

/** The value of the rule's `at` below which rows expire. */
async function findLimit(
  db: Kysely<Tables>,
  { table, at, keepMs, keepRows, where }: RetentionRule,
  { now, historyDays }: Expiry,
): Promise<number> {
  const kept = keepMs === 'history' ? historyDays * dayMs : keepMs;
  const byAge = kept === undefined ? 0 : now - kept;
  if (keepRows === undefined) return byAge;
  const { rows } = await sql<{ at: number }>`select ${sql.ref(at)} as at from ${sql.table(table)}
    ${where ? sql`where ${where(byAge)}` : sql``} order by ${sql.ref(at)} desc limit 1 offset ${keepRows - 1}`.execute(
    db,
  );
  return Math.max(byAge, rows[0]?.at ?? 0);
}

/** The counts should never differ. If they do, the dashboard shows wrong counts for at most a day. */
async function repairDaily(
  { transaction, ...database }: MaintainedDatabase,
  now: number,
  signal: AbortSignal | undefined,
): Promise<ConditionCount[]> {
  const turn = { name: 'counts', everyMs: dayMs, now: sql<number>`cast(${now} as bigint)` };
  if (!(await transaction((db) => takeNewTurn(db, turn)))) return [];
  const differences = (await readUntilStop(database, compareCounts, signal)) ?? [];
  if (differences.length > 0) {
    await transaction((db) => db.insertInto('condition_counts').values(differences).execute());
  }
  return differences;
}

/** Undefined: the signal has ended it. */
async function readUntilStop<Result>(
  { readWhole }: Pick<MaintainedDatabase, 'readWhole'>,
  work: (db: Kysely<Tables>) => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result | undefined> {
  try {
    return await readWhole(work, signal);
  } catch (error) {
    if (signal?.aborted) return undefined;
    throw error;
  }
}

async function readClock({ transaction, now: clock }: MaintainedDatabase): Promise<number> {
  const { rows } = await transaction((db) =>
    sql<{ at: number }>`select ${clock()} as at`.execute(db),
  );
  return rows[0]?.at ?? 0;
}

/** Repeats `work` until nothing is left. Returns how many rows were deleted or changed. */
async function repeat(
  { announcing }: MaintainedDatabase,
  signal: AbortSignal | undefined,
  work: (
    db: Kysely<Tables>,
    changed: (installationId: string) => void,
  ) => Promise<{ deleted: number; isLast: boolean }>,
): Promise<number> {
  let total = 0;
  while (!signal?.aborted) {
    const { deleted, isLast } = await announcing(work);
    total += deleted;
    if (isLast) break;
    await pause(pauseMs);
  }
  return total;
}

const refusalsPerBatch = 50;

/** Refused installs that no operator has marked as seen count as uninstalled after their time. One batch. */
async function endOldRefusals(
  { db, locksRows, now, changed }: Pick<StoreContext, 'db' | 'locksRows' | 'now' | 'changed'>,
  endedBefore: number,
): Promise<{ deleted: number; isLast: boolean }> {
  const due = await db
    .selectFrom('installations')
    .select('id')
    .where('condition', '=', 'refused')
    .where('ended_at', '<', endedBefore)
    .limit(refusalsPerBatch)
    // One that is installed again in the meantime is left out.
    .$if(locksRows, (query) => query.forUpdate().skipLocked())
    .execute();
  for (const { id } of due) {
    await db
      .updateTable('installations')
      .set({ acknowledged_generation: sql`generation` })
      .where('id', '=', id)
      .execute();
    await settleCondition({ db, now }, id, { endedBy: 'uninstall' });
    changed(id);
  }
  return { deleted: due.length, isLast: due.length < refusalsPerBatch };
}
