/** Which kind of database a location names. Connects, and changes nothing yet. */

import { openPostgres } from './postgres/postgres-engine.ts';
import type { Engine } from './sql/database.ts';
import { openSqlite } from './sqlite/sqlite-engine.ts';

export type EngineLocation =
  | {
      /** The SQLite file; made, with its folder, when missing. */
      path: string;
      /** The clock of leases, epoch milliseconds: SQLite's processes share a host, and so a clock. */
      now?: () => number;
    }
  /** `postgres://user:password@host:5432/name`, PostgreSQL 14 or newer. */
  | { url: string };

/**
 * @param options.isPatient statements may take as long as they need, such as those that read whole tables.
 * @throws StoreError `DATABASE_UNUSABLE`.
 */
export function openEngine(location: EngineLocation, { isPatient = false } = {}): Engine {
  if ('url' in location) return openPostgres(location.url, isPatient);
  return openSqlite(location.path, location.now ?? Date.now);
}
