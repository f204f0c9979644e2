/** Whether the database can store anything. A loss and its end are one line each in the log. */
import type { Store } from '@dowel/installation-store';
import type { Log } from '../log/log.ts';

export interface DatabaseState {
  isAvailable: boolean;
  isBeingChecked: boolean;
}

/** Starts as available: `open` has just used the database. */
export function createDatabaseState(): DatabaseState {
  return { isAvailable: true, isBeingChecked: false };
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
  const { isAvailable: wasAvailable } = database;
  try {
    await store.assertAvailable();
    database.isAvailable = true;
    if (!wasAvailable) logger.info('database.available');
  } catch (error) {
    database.isAvailable = false;
    if (wasAvailable) logger.error({ reason: (error as Error).message }, 'database.unavailable');
  } finally {
    database.isBeingChecked = false;
  }
}
