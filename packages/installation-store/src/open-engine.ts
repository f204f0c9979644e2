/** Chooses the kind of database for a location. Connects, but changes nothing yet. */

import type { Engine } from './sql/database.ts';
import type { CheckpointObservation } from './sqlite/checkpointer.ts';
import { openSqlite } from './sqlite/sqlite-engine.ts';

export type EngineLocation =
  | {
      /** The SQLite file. If missing, it is created with its folder. */
      path: string;
      /** The clock for leases, in epoch milliseconds. All processes of a SQLite file share a host, and so a clock. */
      now?: () => number;
    }
  | {
      /** `postgres://user:password@host:5432/name`, PostgreSQL 14 or newer. */
      url: string;
      /**
       * The most connections. Up to three more are for listening, for `assertAvailable`, and for migrations and
       * maintenance. Default 10.
       */
      connections?: number;
    };

export interface EngineSettings {
  isPatient?: boolean;
  /** Called when SQLite's log is not written back, and when it is again. Its errors are ignored. Default: none. */
  observe?: ((observation: CheckpointObservation) => void) | undefined;
}

/**
 * @param options.isPatient statements may take as long as they need, such as those that read whole tables.
 * @throws StoreError `DATABASE_UNUSABLE`.
 */
export async function openEngine(
  location: EngineLocation,
  { isPatient = false, observe }: EngineSettings = {},
): Promise<Engine> {
  if ('url' in location) {
    // A process with SQLite does not load pg.
    const { openPostgres } = await import('./postgres/postgres-engine.ts');
    return openPostgres(location, isPatient);
  }
  return openSqlite(location.path, location.now ?? Date.now, observe);
}
