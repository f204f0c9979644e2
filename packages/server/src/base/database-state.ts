/** Whether the database can store anything. A loss and its end are one line each in the log. */
import { type Store, StoreError } from '@dowel/installation-store';
import type { Log } from '../log/log.ts';

export interface DatabaseState {
  /** It stores what it is asked to. */
  isAvailable: boolean;
  /** What it lacks, if that may pass: `answers` in a failover, `writes` if it is read-only or its disk is full. */
  lack: StoreError['lack'];
  /** Since when it lacks that, by `performance.now()`. */
  lostAt: number;
  isBeingChecked: boolean;
}

/** Starts as available: `open` has just used the database. */
export function createDatabaseState(): DatabaseState {
  return { isAvailable: true, lack: undefined, lostAt: 0, isBeingChecked: false };
}

/** Does nothing while an earlier check waits for a database that does not answer. */
export async function checkDatabase({
  store,
  database,
  logger,
}: {
  store: Pick<Store, 'assertAvailable'>;
  database: DatabaseState;
  logger: Pick<Log, 'info' | 'error'>;
}): Promise<void> {
  if (database.isBeingChecked) return;
  database.isBeingChecked = true;
  const { isAvailable: wasAvailable, lack: lackedBefore } = database;
  try {
    await checkWithSlots(store);
    database.isAvailable = true;
    if (!wasAvailable) logger.info('database.available');
  } catch (error) {
    database.isAvailable = false;
    database.lack = error instanceof StoreError ? error.lack : undefined;
    if (wasAvailable || database.lack !== lackedBefore) database.lostAt = performance.now();
    if (wasAvailable) {
      logger.error({ reason: (error as Error).message }, 'database.unavailable');
    }
  } finally {
    database.isBeingChecked = false;
  }
}

/** A server without a free connection works. */
async function checkWithSlots(store: Pick<Store, 'assertAvailable'>): Promise<void> {
  await store.assertAvailable().catch((error: unknown) => {
    if (!(error instanceof StoreError) || error.reason !== 'database_busy') throw error;
  });
}

/**
 * Whether the process can still serve: calls with a living token need no database, and all processes lose theirs together.
 *
 * @param withoutDatabaseMs for how long a process serves without an answer of its database
 */
export function canServe(
  { isAvailable, lack, lostAt }: DatabaseState,
  withoutDatabaseMs: number,
): boolean {
  const isAwayShortly = lack === 'answers' && performance.now() - lostAt < withoutDatabaseMs;
  return isAvailable || lack === 'writes' || isAwayShortly;
}
