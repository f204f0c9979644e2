/**
 * One connection to a SQLite file, in WAL mode. While another connection writes, a statement waits
 * without blocking this process's event loop, which SQLite's own busy handler would do.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import { StoreError } from '../errors.ts';
import { isBusy, toStoreError } from './sqlite-error.ts';

const busyTimeoutMs = 5_000;
const maxPauseMs = 20;
const maxStatements = 200;
/** `PRAGMA synchronous`. */
const normal = 1;

export interface SqliteConnection {
  /** The database, for messages. */
  name: string;
  database: DatabaseSync;
  /** True after a write that the disk refused, because it is full, read-only or broken. */
  isRefused: boolean;
  /** @throws StoreError `DATABASE_UNAVAILABLE` when other processes keep the database locked. */
  execute<Row>(query: CompiledQuery): Promise<QueryResult<Row>>;
  /** Runs an attempt again while another connection writes. */
  untilNotBusy<Result>(attempt: () => Result): Promise<Result>;
}

/** Opens the file, which is created when it is missing. Nothing is read yet. */
export function openConnection(path: string): SqliteConnection {
  const name = `The database ${path}`;
  const database = new DatabaseSync(path);
  const prepare = createStatementCache(database);
  const untilNotBusy = createPatience(name);
  const connection: SqliteConnection = {
    name,
    database,
    isRefused: false,
    untilNotBusy,
    async execute<Row>(query: CompiledQuery) {
      const attempt = () => execute<Row>(prepare(query.sql), query.parameters);
      try {
        return await untilNotBusy(attempt);
      } catch (error) {
        if (!isRead(query) && isOfDisk(error)) connection.isRefused = true;
        throw error;
      }
    },
  };
  return connection;
}

/** A process that is only busy is available. */
function isOfDisk(error: unknown): boolean {
  return error instanceof StoreError && error.reason === 'database_unreachable';
}

/** True for a statement that cannot change anything. */
export function isRead({ query, sql }: CompiledQuery): boolean {
  if (query.kind === 'SelectQueryNode') return true;
  return query.kind === 'RawNode' && /^\s*select\s/i.test(sql);
}

/**
 * A commit writes to the log and does not wait for the disk: `barrier.ts` does, outside the event loop.
 * SQLite itself syncs where the file would be damaged without it.
 *
 * @throws StoreError `DATABASE_UNUSABLE` when the file system refuses what Dowel needs.
 */
export function configureWriter({ name, database }: SqliteConnection): void {
  const journal = ask(database, 'journal_mode = WAL');
  if (journal !== 'wal') {
    throw new StoreError(
      'DATABASE_UNUSABLE',
      `${name} cannot be used: its file system refuses a write-ahead log (journal mode ${String(journal)}). Put it on a local disk.`,
    );
  }
  database.exec('PRAGMA synchronous = NORMAL');
  if (ask(database, 'synchronous') !== normal) {
    throw new StoreError(
      'DATABASE_UNUSABLE',
      `${name} cannot be used: it refuses synchronous=NORMAL`,
    );
  }
  database.exec('PRAGMA foreign_keys = ON');
  database.exec('PRAGMA secure_delete = ON');
  leaveCheckpoints(database);
  // The first read creates the log, which the barrier opens.
  database.exec('select 1 from sqlite_master limit 1');
}

export function configureReader({ database }: SqliteConnection): void {
  database.exec('PRAGMA query_only = ON');
  leaveCheckpoints(database);
}

/** A checkpoint syncs the database. A thread of its own makes them. */
function leaveCheckpoints(database: DatabaseSync): void {
  database.exec('PRAGMA busy_timeout = 0');
  database.exec('PRAGMA wal_autocheckpoint = 0');
}

function ask(database: DatabaseSync, pragma: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
}

interface PreparedStatement {
  statement: StatementSync;
  returnsRows: boolean;
}

/** Statements by their text, prepared once. Beyond {@link maxStatements}, the one unused for longest is dropped. */
function createStatementCache(database: DatabaseSync): (sql: string) => PreparedStatement {
  const prepared = new LRUCache<string, PreparedStatement>({ max: maxStatements });
  return (sql) => {
    const known = prepared.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    const added = { statement, returnsRows: statement.columns().length > 0 };
    prepared.set(sql, added);
    return added;
  };
}

/** The time of the execution: a prepared statement is compiled only once. */
export class CurrentTime {
  /** Epoch milliseconds. */
  readonly read: () => number;

  constructor(read: () => number) {
    this.read = read;
  }
}

/** Numbers are rounded, as for PostgreSQL, which refuses fractions. SQLite would keep them. */
export function readParameter(value: unknown): SQLInputValue {
  const read = value instanceof CurrentTime ? value.read() : value;
  return (typeof read === 'number' ? Math.round(read) : read) as SQLInputValue;
}

function execute<Row>(
  { statement, returnsRows }: PreparedStatement,
  parameters: readonly unknown[],
): QueryResult<Row> {
  const values = parameters.map(readParameter);
  if (returnsRows) return { rows: statement.all(...values) as Row[] };
  return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
}

/**
 * Tries again with short random pauses. Statements wait in line, so they share one deadline: the wait
 * of each begins when the first one of them was blocked.
 *
 * @throws StoreError `DATABASE_UNAVAILABLE` when other processes keep the database locked.
 */
function createPatience(name: string) {
  let blockedSince: number | undefined;
  let triedAt = 0;

  function mayWait(): boolean {
    const now = performance.now();
    // The last blocked attempt is too long ago to belong to this wait, so a new deadline begins.
    if (now - triedAt > busyTimeoutMs) blockedSince = undefined;
    triedAt = now;
    blockedSince ??= now;
    return now <= blockedSince + busyTimeoutMs;
  }

  return async function untilNotBusy<Result>(attempt: () => Result): Promise<Result> {
    for (;;) {
      try {
        const result = attempt();
        blockedSince = undefined;
        return result;
      } catch (error) {
        if (!isBusy(error) || !mayWait()) throw toStoreError(error, name);
        await sleep(1 + Math.random() * maxPauseMs);
      }
    }
  };
}
