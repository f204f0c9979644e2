/**
 * SQLite: one file, one connection that writes and one that reads, one transaction at a time. The event loop
 * never waits for the disk (docs/decisions/0030). A thread reads the reports. Processes notice each other's
 * changes through the log.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, Kysely, sql } from 'kysely';
import { StoreError } from '../errors.ts';
import type { Change, Database, DatabaseReport, Engine, SchemaSpelling } from '../sql/database.ts';
import { type Parameter, prepare } from '../sql/prepare.ts';
import type { Tables } from '../sql/tables.ts';
import { readChanges } from './change-reader.ts';
import type { CheckpointObservation } from './checkpointer.ts';
import { createGroupCommit } from './group-commit.ts';
import {
  createReportDialect,
  createStatementDialect,
  createWriterDialect,
} from './node-sqlite-dialect.ts';
import { createReportReader, type ReportReader } from './report-reader.ts';
import { CurrentTime } from './sqlite-connection.ts';
import { isBusy } from './sqlite-error.ts';
import { openFiles, type SqliteFiles } from './sqlite-files.ts';

/** How long a starting process waits for another's migration. */
const migrationWaitMs = 60_000;
const retryPauseMs = 100;

/** Changes nothing, and yet writes a page to the log. */
const smallWrite = CompiledQuery.raw('PRAGMA user_version = 1');

const spelling: SchemaSpelling = {
  identityType: 'integer',
  identity: (column) => column.primaryKey().autoIncrement(),
  key: 'text',
  storedByKey: (table) => table.modifyEnd(sql`without rowid`),
  inOrderOfCommits: (table) => table,
};

/**
 * @param path made, with its folder, when missing.
 * @param now epoch milliseconds: SQLite's processes share a host, and so a clock.
 * @param observe called when the log is not written back, and when it is again.
 */
export function openSqlite(
  path: string,
  now: () => number,
  observe: (observation: CheckpointObservation) => void = () => {},
): Engine {
  const files = openFiles(path, observe);
  const { name, writer, reader, init } = files;
  const writing = new Kysely<Tables>({ dialect: createWriterDialect(writer, init) });
  const { transaction, write } = createGroupCommit({
    db: writing,
    files,
    execute: (query) => writer.execute(query),
    isInTransaction: () => writer.database.isTransaction,
  });
  const db = new Kysely<Tables>({ dialect: createStatementDialect(reader, { init, write }) });
  const reportReader = createReportReader(path, name);
  const reports = new Kysely<Tables>({ dialect: createReportDialect(reportReader) });
  let stopReading = () => {};
  return {
    name,
    db,
    reports,
    readWhole: (work) => work(reports),
    now: () => sql<number>`${new CurrentTime(now)}`,
    locksRows: false,
    skipsLocked: false,
    spelling,
    // Kysely configures the connections, and checks what it got, before the first statement.
    check: async () => {},
    assertAvailable: () => assertAvailable({ ...files, reportReader }, () => write(smallWrite)),
    describe: () => describe(db),
    currentSchema: async () => undefined,
    async exclusive(work) {
      const result = await whenFree(() => writing.transaction().execute(work));
      await files.pass();
      return result;
    },
    transaction,
    publish: writeChanges,
    async subscribe(listener) {
      stopReading = readChanges(reader.database, listener);
    },
    silentMs: () => 0,
    outageEnd: () => undefined,
    wasLeftOpen: files.wasLeftOpen,
    erased: files.erased,
    async close() {
      stopReading();
      await closeAll(files, { reports, connected: [db, writing] });
    },
  };
}

/** Closes both connections, also after a failure. Kysely does not close those that it never used. */
async function closeAll(
  { reader, writer, close }: SqliteFiles,
  { reports, connected }: { reports: Kysely<Tables>; connected: Kysely<Tables>[] },
): Promise<void> {
  try {
    await reports.destroy();
    await close();
  } finally {
    for (const each of connected) await each.destroy();
    for (const { database } of [reader, writer]) if (database.isOpen) database.close();
  }
}

async function assertAvailable(
  { name, writer, failure, revive, reportReader }: SqliteFiles & { reportReader: ReportReader },
  tryToWrite: () => Promise<unknown>,
): Promise<void> {
  const reason = failure();
  if (reason) throw reason;
  const endReason = await revive();
  if (endReason !== undefined) {
    const message = `${name}: the thread that writes its log back has ended: ${endReason}`;
    throw new StoreError('DATABASE_UNAVAILABLE', message);
  }
  await reportReader.revive();
  if (!writer.isRefused) return;
  await tryToWrite();
  writer.isRefused = false;
}

async function describe(db: Kysely<Tables>): Promise<Omit<DatabaseReport, 'migration'>> {
  const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(db);
  return { engine: 'SQLite', version: rows[0]?.version ?? '', risk: null };
}

async function writeChanges(
  db: Kysely<Tables>,
  changes: readonly Change[],
  origin: string,
): Promise<() => void> {
  for (const { installationId, ofTokens } of changes) {
    await insertChange({ db }, { installationId, ofTokens: ofTokens ? 1 : 0, origin });
  }
  // The other processes read the log.
  return () => {};
}

interface ChangeRow {
  installationId: string;
  ofTokens: 0 | 1;
  origin: string;
}

const insertChange = prepare(({ db }: Pick<Database, 'db'>, change: Parameter<ChangeRow>) =>
  db.insertInto('changes').values({
    installation_id: change('installationId'),
    of_tokens: change('ofTokens'),
    origin: change('origin'),
  }),
);

/** A migration of another process takes longer than a statement waits. */
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
