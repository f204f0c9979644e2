/**
 * The store, with a part for each kind of thing that it keeps. Points in time are epoch milliseconds, except `iat` of a
 * JWT, which is in seconds. Secrets are always a `Secret`.
 */
import type { TokenStore } from '@dowel/token-client';
import type { createParts } from './open-store.ts';
import type { KeyReport } from './rotation/key-report.ts';
import type { ConditionCount } from './sql/condition-counts.ts';
import type { ConnectionFigures, DatabaseReport } from './sql/database.ts';
import type { Tables } from './sql/tables.ts';
import type { HookChange } from './stores/outbox.ts';

/** Called in the transaction in which it happens. It may be called again when that is repeated. */
export type ApplyChange = (stores: Stores, change: HookChange) => Promise<void>;

/** Methods that write several rows use several statements: call them inside {@link Store.transaction}. */
export interface Stores extends ReturnType<typeof createParts> {}

export interface MaintenanceRequest {
  /** Epoch milliseconds. If the database's clock is behind, that one is used. */
  now: number;
  /** How long events and token operations are kept. */
  historyDays: number;
  /** Stops the work after the current batch, and at once what could take minutes. */
  signal?: AbortSignal;
}

export interface MaintenanceReport {
  /**
   * The differences between the kept counts and the installations, checked once a day. Empty: none, or not
   * checked.
   */
  repairedCounts: ConditionCount[];
  /** Refused installs that count as uninstalled from now on. */
  refusedInstalls: number;
  /** Installations that rest from now on, because their tenant has a newer address. */
  restingInstallations: number;
  /** How many rows of each table were deleted; of `installations`, with all rows that refer to them. */
  deleted: Partial<Record<keyof Tables, number>>;
}

export interface StoreFigures {
  /** Of PostgreSQL. */
  connections?: ConnectionFigures;
  /** For how long changes of other processes could not be heard, in milliseconds; 0 while they are. */
  silentMs: number;
  /** How often changes of other processes may have been missed, so that all tokens were read again. */
  gaps: number;
}

export interface Store extends TokenStore<Stores> {
  onLoss: NonNullable<TokenStore['onLoss']>;
  /**
   * Deletes expired rows in small batches (docs/decisions/0014). Undefined: it is not due. All processes of a
   * database share one schedule, so each may call it at any time.
   */
  maintain(request: MaintenanceRequest): Promise<MaintenanceReport | undefined>;
  /**
   * Takes the turn of periodic work that has a name, for all processes of a database: true for one of them per
   * `everyMs`. The turn is taken also if the work then fails.
   */
  takeTurn(name: string, everyMs: number): Promise<boolean>;
  /**
   * Cheap enough for every second.
   *
   * @throws StoreError `DATABASE_UNAVAILABLE` with the reason why nothing can be stored now, or, on SQLite, why the
   *   thread that writes its log back or the one that reads for reports cannot run.
   */
  assertAvailable(): Promise<void>;
  /** True while PostgreSQL does not answer. What is asked of the store waits then, for 26 seconds at most. */
  isAway(): boolean;
  /** The connections of this process, and what it hears of others. Needs no database. */
  figures(): StoreFigures;
  /**
   * The encryption keys and what they seal, for operators. Counting goes on in small steps after the answer; see
   * {@link KeyReport}.
   */
  describeKeys(): Promise<KeyReport>;
  /**
   * Says that this process seals with its active key. Call it every half minute: for two minutes, `keys prune` keeps
   * the key, although no stored value may need it.
   */
  reportKey(): Promise<void>;
  /** The database, for operators. */
  describeDatabase(): Promise<DatabaseReport>;
  close(): Promise<void>;
}
