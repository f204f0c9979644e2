/**
 * Deletes expired rows: old history, events and init JWTs that cannot come again, and tombstones
 * (docs/decisions/0014). It works in small batches, each in its own transaction with a pause after it, so
 * that no request waits long for SQLite's one writer.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { ConditionCount } from '../fleet-reports.ts';
import { compareCounts, foldCounts } from '../sql/condition-counts.ts';
import type { Engine } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import type { MaintenanceReport, MaintenanceRequest } from '../store.ts';
import { restMoved } from '../stores/other-address.ts';
import { endOldRefusals } from '../stores/refused-installs.ts';
import { batches } from './maintenance-batches.ts';
import { purgeTombstones } from './maintenance-tombstones.ts';
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
/** An event can be delivered for an hour and ten minutes, and a platform's own queue may hold it for longer. */
const inboxMs = 7 * dayMs;
/**
 * A plug-in session's row also records its init JWT, which could open a session for an hour and ten minutes.
 * The session itself ends after a quarter of an hour.
 */
const initMemoryMs = 60 * 60 * 1000;
/** After this time without use, a key location counts as unknown again. */
const keyLocationMs = 180 * dayMs;
/** How long an install can continue an installation that an uninstall ended. */
export const tombstoneMs = 30 * dayMs;
/** How long a refused install that no operator has seen stays among the broken ones. */
const refusedMs = 7 * dayMs;
/**
 * The rows of the change log that are kept. Processes read it several times a second; one that slept longer
 * notices that rows are missing.
 */
const keptChanges = 10_000;
/** Rows of refusals: about 20 MB. A flood from everywhere writes some 60,000 a day for each process. */
const keptRefusals = 100_000;
/** Hook deliveries that are over. The newest of each installation are cut when others are settled. */
const deliveredHookMs = 7 * dayMs;
/** How long an operator may replay a parked hook delivery. */
const parkedHookMs = 30 * dayMs;
/** What operators did: more than a year, so that a yearly audit finds it. */
const auditMs = 400 * dayMs;
/** Runs that are over, with the ids of their installations. */
const runsMs = dayMs;
/** The fleet's history: as long as the longest chart. */
const fleetMinutesMs = 30 * dayMs;
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
  { now, latest, historyDays, signal }: Expiry,
): Promise<Omit<MaintenanceReport, 'repairedCounts'>> {
  const historyBegins = now - historyDays * dayMs;
  const deleteOld = (what: keyof typeof batches, before: number) =>
    repeat(database, signal, async (db) => {
      const { numDeletedRows } = await batches[what](db, before, latest).executeTakeFirst();
      return { deleted: Number(numDeletedRows), isLast: numDeletedRows === 0n };
    });
  const purge = (endedBefore: number, neverBegun = false) =>
    repeat(database, signal, (db, changed) =>
      purgeTombstones({ ...database, db, changed }, { now, endedBefore, neverBegun }),
    );
  const refusedInstalls = await repeat(database, signal, (db, changed) =>
    endOldRefusals({ ...database, db, changed }, now - refusedMs),
  );
  const restingInstallations = await repeat(database, signal, (db, changed) =>
    restMoved({ ...database, db, tokensChanged: changed }),
  );
  return {
    refusedInstalls,
    restingInstallations,
    pluginSessions: await deleteOld('pluginSessions', now - initMemoryMs),
    adminSessions: await deleteOld('adminSessions', now),
    signInCodes: await deleteOld('signInCodes', now),
    keyLocations: await deleteOld('keyLocations', now - keyLocationMs),
    inboxEntries: await deleteOld('inboxEntries', now - inboxMs),
    events: await deleteOld('events', historyBegins),
    tokenOperations: await deleteOld('tokenOperations', historyBegins),
    outages: await deleteOld('outages', historyBegins),
    changes: await deleteOld('changes', keptChanges),
    hookDeliveries: await deleteOld('hookDeliveries', now - deliveredHookMs),
    parkedHooks: await deleteOld('parkedHooks', now - parkedHookMs),
    auditEntries: await deleteOld('auditEntries', now - auditMs),
    fleetMinutes: await deleteOld('fleetMinutes', now - fleetMinutesMs),
    refusals: await deleteOld('refusals', Math.max(historyBegins, await findExcess(database))),
    alerts: await deleteOld('alerts', historyBegins),
    alertMessages: await deleteOld('alertMessages', historyBegins),
    runs: await deleteOld('runs', now - runsMs),
    installations: (await purge(now - tombstoneMs)) + (await purge(now - unseenMs, true)),
  };
}

/**
 * Strangers decide how many refusals there are, so only the newest are kept. Returns the time before which all
 * are deleted.
 */
function findExcess({ transaction }: MaintainedDatabase): Promise<number> {
  return transaction(async (db) => {
    const oldestKept = await db
      .selectFrom('refusals')
      .select('bucket_at')
      .orderBy('bucket_at', 'desc')
      .offset(keptRefusals)
      .limit(1)
      .executeTakeFirst();
    return oldestKept?.bucket_at ?? 0;
  });
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

/** Repeats `work` until nothing is left. Returns how many rows were deleted, or made of others. */
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
