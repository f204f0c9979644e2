/** The differences between kinds of databases. Everything else is shared. A new kind is an `Engine` in a folder of its own. */
import type { TransactionOptions } from '@dowel/token-client';
import type {
  ColumnBuilderCallback,
  CreateTableBuilder,
  Kysely,
  RawBuilder,
  Transaction,
} from 'kysely';
import type { Tables } from './tables.ts';

export interface DatabaseReport {
  engine: 'SQLite' | 'PostgreSQL';
  version: string;
  /** The name of the newest migration of the schema. */
  migration: string;
  /**
   * Why a failover may lose committed changes: `synchronous_commit` is lower than `on`, or a standby is asynchronous. Null: it
   * does not, as far as can be seen.
   */
  risk: 'commit_level' | 'asynchronous_standby' | null;
}

/** The part of an engine that the stores use. */
export interface Database {
  /** The connection, or the transaction. */
  db: Kysely<Tables>;
  /** Epoch milliseconds by the one clock that all processes of this database share. */
  now: () => RawBuilder<number>;
  /**
   * Rows that a transaction reads in order to decide must be locked: PostgreSQL runs several at a time,
   * SQLite one.
   */
  locksRows: boolean;
  /** A claim skips rows that another transaction has locked, in a transaction or not. */
  skipsLocked: boolean;
  /** Called after secrets were deleted: no copy of them may remain. */
  erased: () => void;
}

/**
 * Makes the transaction the only one that decides about an installation. Later statements read what the
 * previous transaction wrote. They must be separate statements: PostgreSQL takes a statement's snapshot
 * before it waits for the lock, and then reads only the locked row again.
 */
export async function lockInstallation(
  { db, locksRows }: Pick<Database, 'db' | 'locksRows'>,
  id: string,
): Promise<void> {
  if (!locksRows) return;
  // With NO KEY, statements that only refer to the installation, such as its history, do not wait.
  await db.selectFrom('installations').select('id').where('id', '=', id).forNoKeyUpdate().execute();
}

type ColumnType = Parameters<CreateTableBuilder<string>['addColumn']>[1];

/** A database's own spelling of the parts of a table. */
export interface SchemaSpelling {
  /** A row number that the database increments. */
  identityType: ColumnType;
  identity: ColumnBuilderCallback;
  /** Text in the order of its code points, regardless of the collation of the database. */
  key: ColumnType;
  /** A table that is stored in the order of its primary key, where the database supports that. */
  storedByKey: <Name extends string, Columns extends string>(
    table: CreateTableBuilder<Name, Columns>,
  ) => CreateTableBuilder<Name, Columns>;
  /** Columns of the change log that show in which order transactions ended, if the row numbers do not. */
  inOrderOfCommits: <Name extends string, Columns extends string>(
    table: CreateTableBuilder<Name, Columns>,
  ) => CreateTableBuilder<Name, Columns>;
}

/** What a transaction changed. */
export interface Change {
  installationId: string;
  /** The token set or the life changed. False: only the history, a lease or an instance did. */
  ofTokens: boolean;
}

export interface ChangeListener {
  /** @param origin the store that made the change, as it named itself in {@link Engine.publish}. */
  onChange(change: Change, origin: string): void;
  /** Changes of any installation may have been missed. */
  onGap(): void;
  /**
   * The database has lost committed changes of these installations, in a failover to a server that lacked them. Called
   * before `onGap`.
   */
  onLost(installationIds: string[]): Promise<void>;
  /** The connection goes through a pooler in transaction mode, so changes are heard with the next beat. */
  onPooled(): void;
  /** False while there is no listener for changes. */
  isHeard(): boolean;
}

export interface ConnectionFigures {
  used: number;
  idle: number;
  /** Callers without a connection. */
  waiting: number;
}

export interface Engine extends Omit<Database, 'erased'> {
  /** Names the database in messages, without a secret. */
  name: string;
  /** Reads for the dashboard. On SQLite in a thread of its own, however many rows it looks at. */
  reports: Kysely<Tables>;
  /**
   * Reads for maintenance, which may look at whole tables: without a time limit.
   *
   * @param signal ends a read that could take minutes, which then rejects.
   */
  readWhole<Result>(
    work: (db: Kysely<Tables>) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result>;
  spelling: SchemaSpelling;
  /** The database, for operators. */
  describe(): Promise<Omit<DatabaseReport, 'migration'>>;
  /** Throws when this database cannot be used, before anything is written to it. */
  check(): Promise<void>;
  /** As {@link Store.assertAvailable}. */
  assertAvailable(): Promise<void>;
  /** The schema of unqualified tables, if the database has schemas. */
  currentSchema(): Promise<string | undefined>;
  /** Runs one transaction without a time limit. Only one process at a time runs such a transaction. */
  exclusive<Result>(work: (transaction: Transaction<Tables>) => Promise<Result>): Promise<Result>;
  /** As {@link Store.transaction}. The work may run more than once. */
  transaction<Result>(
    work: (transaction: Transaction<Tables>) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /**
   * Writes to the change log what the transaction changed. Every store receives it after the commit
   * (docs/decisions/0031-heard-changes.md).
   *
   * @param origin the name of this store.
   * @returns a function to call after the commit.
   */
  publish(
    transaction: Kysely<Tables>,
    changes: readonly Change[],
    origin: string,
  ): Promise<() => void>;
  /** Calls back with the changes that all stores publish from now on, this one included. */
  subscribe(listener: ChangeListener): Promise<void>;
  /** For how long changes could not be heard, in milliseconds; 0 while they are. */
  silentMs(): number;
  /**
   * When the last outage ended, by `performance.now()`; undefined: there was none. Infinity: it has not ended.
   */
  outageEnd(): number | undefined;
  /** The connections of a pool. Undefined without one. */
  connections?(): ConnectionFigures;
  /** True if a log existed before this opening: it may still hold deleted values. */
  wasLeftOpen: boolean;
  /** Called after the commit that deleted secrets. */
  erased(): void;
  close(): Promise<void>;
}
