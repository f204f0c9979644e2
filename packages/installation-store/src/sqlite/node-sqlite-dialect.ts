/**
 * Kysely on `node:sqlite`. The writing connection runs one transaction at a time. Outside a transaction,
 * reads go to a connection of their own, so they never wait for a write; a statement that writes becomes
 * a transaction of its own. The engine closes the connections.
 */
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
import type { ReportReader } from './report-reader.ts';
import { isRead, type SqliteConnection } from './sqlite-connection.ts';

/** Runs one statement in a transaction of its own; it is durable when this resolves. */
export type Write = (query: CompiledQuery) => Promise<QueryResult<unknown>>;

/** The connection of all transactions. Kysely hands it to one caller at a time. */
export function createWriterDialect(connection: SqliteConnection, init: () => Promise<void>) {
  const run = async (sql: string) => {
    await connection.execute(CompiledQuery.raw(sql));
  };
  return createDialect(new TransactionalSqliteAdapter(), {
    init,
    acquireConnection: async () => toKysely((query) => connection.execute(query)),
    // IMMEDIATE: a deferred transaction that reads and then writes fails when another process wrote.
    beginTransaction: () => run('begin immediate'),
    commitTransaction: () => run('commit'),
    // A full disk has ended the transaction by itself.
    rollbackTransaction: async () => {
      if (connection.database.isTransaction) await run('rollback');
    },
    releaseConnection: async () => {},
    destroy: async () => {},
  });
}

/** What the stores use outside transactions. Many callers share it. */
export function createStatementDialect(
  reader: SqliteConnection,
  { init, write }: { init: () => Promise<void>; write: Write },
) {
  const runInSlices = createSlices();
  const shared = toKysely((query) =>
    isRead(query) ? runInSlices(() => reader.execute(query)) : write(query),
  );
  return createDialect(new SharedSqliteAdapter(), {
    init,
    acquireConnection: async () => shared,
    beginTransaction: noTransaction,
    commitTransaction: noTransaction,
    rollbackTransaction: noTransaction,
    releaseConnection: async () => {},
    destroy: async () => {},
  });
}

/** What the reports use. Many callers share it, and it only reads. */
export function createReportDialect({ execute, close }: ReportReader) {
  const shared = toKysely(execute);
  return createDialect(new SharedSqliteAdapter(), {
    init: async () => {},
    acquireConnection: async () => shared,
    beginTransaction: noTransaction,
    commitTransaction: noTransaction,
    rollbackTransaction: noTransaction,
    releaseConnection: async () => {},
    destroy: close,
  });
}

async function noTransaction(): Promise<never> {
  throw new TypeError('Transactions of SQLite run through Engine.transaction');
}

function toKysely(
  execute: (query: CompiledQuery) => Promise<QueryResult<unknown>>,
): DatabaseConnection {
  return {
    executeQuery: execute as DatabaseConnection['executeQuery'],
    streamQuery: () => {
      throw new TypeError('Streaming is not supported');
    },
  };
}

function createDialect(adapter: SqliteAdapter, driver: Driver): Dialect {
  return {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** SQLite rolls back the creation of a table with its transaction, but Kysely does not expect that. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true;
  }
}

/** Otherwise Kysely would let the next statement wait until the one before is on disk. */
class SharedSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true;
  }
}

/** How long the synchronous parts of one turn of the event loop may take in all, in milliseconds. */
const sliceMs = 2;

type RunInSlices = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * `node:sqlite` answers at once, so many reads in a row would keep the event loop busy. After a slice of
 * them, the next ones run in the next turn of the loop, in the order they came.
 */
function createSlices(): RunInSlices {
  const waiting: (() => void)[] = [];
  let spentMs = 0;
  let isTurnAhead = false;

  function beginTurn(): void {
    isTurnAhead = false;
    spentMs = 0;
    while (waiting.length > 0 && spentMs < sliceMs) waiting.shift()?.();
    if (waiting.length > 0) awaitTurn();
  }

  function awaitTurn(): void {
    if (isTurnAhead) return;
    isTurnAhead = true;
    setImmediate(beginTurn);
  }

  function run<Result>(work: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    const result = work();
    spentMs += performance.now() - startedAt;
    awaitTurn();
    return result;
  }

  return (work) => {
    if (waiting.length === 0 && spentMs < sliceMs) return run(work);
    return new Promise((resolve) => {
      waiting.push(() => resolve(run(work)));
      awaitTurn();
    });
  };
}
