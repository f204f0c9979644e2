/**
 * Kysely on `node:sqlite`: one connection, WAL, `synchronous=FULL`, so that a committed token set
 * survives a power loss. While another process writes, a statement waits without blocking this
 * process's event loop, which SQLite's own busy handler would do.
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

const busyTimeoutMs = 5_000;
const maxPauseMs = 20;
const maxStatements = 200;
const sqliteBusy = 5;
/** What the WAL file is cut back to after a checkpoint. */
const maxWalBytes = 64 * 1024 * 1024;

export function createNodeSqliteDialect(path: string): Dialect {
  return {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createDriver: () => createDriver(openDatabase(path)),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** SQLite undoes a table's making with its transaction, though Kysely does not count on it. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true;
  }
}

function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  database.exec('PRAGMA foreign_keys = ON');
  database.exec('PRAGMA secure_delete = ON');
  database.exec(`PRAGMA journal_size_limit = ${maxWalBytes}`);
  database.exec('PRAGMA busy_timeout = 0');
  return database;
}

function createDriver(database: DatabaseSync): Driver {
  const prepare = createStatementCache(database);
  const connection: DatabaseConnection = {
    executeQuery: (query) => untilNotBusy(() => execute(prepare(query.sql), query.parameters)),
    streamQuery: () => {
      throw new TypeError('Streaming is not supported');
    },
  };
  const run = async (sql: string) => {
    await connection.executeQuery(CompiledQuery.raw(sql));
  };
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    // IMMEDIATE: a deferred transaction that reads and then writes fails when another process wrote.
    beginTransaction: () => run('begin immediate'),
    commitTransaction: () => run('commit'),
    rollbackTransaction: () => run('rollback'),
    releaseConnection: async () => {},
    destroy: async () => database.close(),
  };
}

interface PreparedStatement {
  statement: StatementSync;
  returnsRows: boolean;
}

/** Statements by their text, prepared once; the oldest goes when there are too many. */
function createStatementCache(database: DatabaseSync): (sql: string) => PreparedStatement {
  const prepared = new Map<string, PreparedStatement>();
  return (sql) => {
    const known = prepared.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    const added = { statement, returnsRows: statement.columns().length > 0 };
    prepared.set(sql, added);
    const oldest = prepared.keys().next();
    if (prepared.size > maxStatements && !oldest.done) prepared.delete(oldest.value);
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

/** Tries again with short random pauses; the last error is SQLite's own. */
async function untilNotBusy<Result>(attempt: () => Result): Promise<Result> {
  const deadline = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      const isBusy = (error as { errcode?: number }).errcode === sqliteBusy;
      if (!isBusy || performance.now() > deadline) throw error;
      await sleep(1 + Math.random() * maxPauseMs);
    }
  }
}
