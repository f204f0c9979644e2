/**
 * Kysely on `node:sqlite`: one connection, WAL, `synchronous=FULL`, so that a committed token set
 * survives a power loss. While another process writes, a statement waits without blocking this
 * process's event loop, which SQLite's own busy handler would do. Kysely hands the connection to one
 * caller at a time, so no statement runs inside another caller's transaction.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { LRUCache } from 'lru-cache';
import { StoreError } from '../errors.ts';
import { isBusy, toStoreError } from './sqlite-error.ts';

const busyTimeoutMs = 5_000;
const maxPauseMs = 20;
const maxStatements = 200;
/** The size of the WAL file after a checkpoint. */
const maxWalBytes = 64 * 1024 * 1024;
/** `PRAGMA synchronous`. */
const full = 2;

export function createNodeSqliteDialect(path: string): Dialect {
  return {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createDriver: () => createDriver(path, new DatabaseSync(path)),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** SQLite can roll back the creation of a table. Kysely's own adapter does not use that. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true;
  }
}

function createDriver(path: string, database: DatabaseSync): Driver {
  const name = `The database ${path}`;
  const prepare = createStatementCache(database);
  const untilNotBusy = createPatience(name);
  const connection: DatabaseConnection = {
    executeQuery: (query) =>
      untilNotBusy(() => execute(prepare(query.sql), query.parameters), {
        isRead: query.sql.startsWith('select '),
      }),
    streamQuery: () => {
      throw new TypeError('Streaming is not supported');
    },
  };
  const run = async (sql: string) => {
    await connection.executeQuery(CompiledQuery.raw(sql));
  };
  return {
    init: () => untilNotBusy(() => configure(name, database)),
    acquireConnection: async () => connection,
    // IMMEDIATE: a deferred transaction that reads and then writes fails when another process wrote.
    beginTransaction: () => run('begin immediate'),
    commitTransaction: () => run('commit'),
    // A full disk has ended the transaction by itself.
    rollbackTransaction: async () => {
      if (database.isTransaction) await run('rollback');
    },
    releaseConnection: async () => {},
    destroy: async () => database.close(),
  };
}

/** @throws StoreError `DATABASE_UNUSABLE` when a commit would not be durable. */
function configure(name: string, database: DatabaseSync): void {
  const ask = (pragma: string) =>
    Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
  database.exec('PRAGMA busy_timeout = 0');
  const journal = ask('journal_mode = WAL');
  if (journal !== 'wal') {
    throw new StoreError(
      'DATABASE_UNUSABLE',
      `${name} cannot be used: its file system refuses a write-ahead log (journal mode ${String(journal)}). Put it on a local disk.`,
    );
  }
  database.exec('PRAGMA synchronous = FULL');
  if (ask('synchronous') !== full) {
    throw new StoreError(
      'DATABASE_UNUSABLE',
      `${name} cannot be used: it refuses synchronous=FULL`,
    );
  }
  database.exec('PRAGMA foreign_keys = ON');
  database.exec('PRAGMA secure_delete = ON');
  database.exec(`PRAGMA journal_size_limit = ${maxWalBytes}`);
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

function execute<Row>(
  { statement, returnsRows }: PreparedStatement,
  parameters: readonly unknown[],
): QueryResult<Row> {
  const values = parameters as SQLInputValue[];
  if (returnsRows) return { rows: statement.all(...values) as Row[] };
  return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
}

/**
 * Tries again with short random pauses. Statements wait in a queue, so they share one deadline, which starts
 * when the first of them was blocked.
 *
 * @throws StoreError `DATABASE_UNAVAILABLE` when the other processes do not release the database.
 */
function createPatience(name: string) {
  let blockedSince: number | undefined;
  let triedAt = 0;

  function mayWait(): boolean {
    const now = performance.now();
    // A wait that ended so long ago does not count for this one.
    if (now - triedAt > busyTimeoutMs) blockedSince = undefined;
    triedAt = now;
    blockedSince ??= now;
    return now <= blockedSince + busyTimeoutMs;
  }

  return async function untilNotBusy<Result>(
    attempt: () => Result,
    { isRead = false } = {},
  ): Promise<Result> {
    for (;;) {
      try {
        const result = attempt();
        // A read can succeed while another process writes.
        if (!isRead) blockedSince = undefined;
        return result;
      } catch (error) {
        if (!isBusy(error) || !mayWait()) throw toStoreError(error, name);
        await sleep(1 + Math.random() * maxPauseMs);
      }
    }
  };
}
