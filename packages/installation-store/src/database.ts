/** The engine beneath the stores: what differs between SQLite and PostgreSQL, and nothing else. */
import type { Kysely, RawBuilder } from 'kysely';
import type { Tables } from './tables.ts';

export interface Database {
  db: Kysely<Tables>;
  /** Epoch milliseconds by the one clock that all processes of this database share. */
  now: () => RawBuilder<number>;
  /**
   * Rows that a transaction reads in order to decide must be locked: PostgreSQL runs several at a time,
   * SQLite one.
   */
  locksRows: boolean;
}
