/** SQLite: one file, one connection, one transaction at a time. Other processes are not notified of changes. */
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeFileError, makeFolder } from '@dowel/settings';
import { Kysely, sql } from 'kysely';
import { StoreError } from '../errors.ts';
import type { Engine, SchemaSpelling } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import { createGroupCommit } from './group-commit.ts';
import { createNodeSqliteDialect } from './node-sqlite-dialect.ts';
import { isBusy } from './sqlite-error.ts';
import { createWalTruncation } from './wal-truncation.ts';

/** How long a starting process waits for another process's migration. */
const migrationWaitMs = 60_000;
const retryPauseMs = 100;

const spelling: SchemaSpelling = {
  identityType: 'integer',
  identity: (column) => column.primaryKey().autoIncrement(),
  key: 'text',
  storedByKey: (table) => table.modifyEnd(sql`without rowid`),
};

/**
 * @param path if missing, it is created with its folder.
 * @param now epoch milliseconds. All processes of a SQLite file share a host, and so a clock.
 */
export function openSqlite(path: string, now: () => number): Engine {
  const name = `The database ${path}`;
  const db = connect(path, name);
  const truncation = createWalTruncation(db);
  return {
    name,
    db,
    now: () => sql<number>`${now()}`,
    locksRows: false,
    spelling,
    // The connection is configured and checked before Kysely's first statement.
    check: async () => {},
    currentSchema: async () => undefined,
    migration: (work) => whenFree(() => db.transaction().execute(work)),
    transaction: createGroupCommit(db),
    publish: async () => {},
    subscribe: async () => {},
    erased: truncation.request,
    async close() {
      await truncation.stop();
      await db.destroy();
    },
  };
}

/** Another process's migration may take longer than a statement waits. */
async function whenFree<Result>(work: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + migrationWaitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy((error as Error).cause) || performance.now() > deadline) throw error;
      await sleep(retryPauseMs);
    }
  }
}

/** @throws StoreError `DATABASE_UNUSABLE` that names the folder and the setting. */
export function makeDataFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    throw new StoreError(
      'DATABASE_UNUSABLE',
      `The data folder ${folder} cannot be used: ${describeFileError(cause)}. Choose another with DOWEL_DATA_DIR.`,
      { cause },
    );
  }
}

function connect(path: string, name: string): Kysely<Tables> {
  makeDataFolder(dirname(path));
  try {
    return new Kysely<Tables>({ dialect: createNodeSqliteDialect(path) });
  } catch (cause) {
    const message = `${name} cannot be opened: ${(cause as Error).message}`;
    throw new StoreError('DATABASE_UNUSABLE', message, { cause });
  }
}
