/**
 * PostgreSQL with READ COMMITTED. A transaction locks the rows that it decides about. Notifications announce changes after
 * the commit: within it, all commits of the server would wait for each other. The server's clock is used, so that processes on several hosts agree about a lease.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPool,
  sql,
  type Transaction,
} from 'kysely';
import { StoreError } from '../errors.ts';
import type { Change, DatabaseReport, Engine, SchemaSpelling } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import { setLimits } from './connect-client.ts';
import { isConflict } from './postgres-error.ts';
import { type LoggedChange, listen, type PostgresListener } from './postgres-listener.ts';
import { createPostgresPools } from './postgres-pool.ts';
import { type PostgresSettings, patientLimits, readPostgresUrl } from './postgres-url.ts';

const minVersion = 140_000;
const maxRetries = 3;
const retryPauseMs = 20;
const migrationLock = 7_305_614_318;

const spelling: SchemaSpelling = {
  identityType: 'bigint',
  identity: (column) => column.primaryKey().generatedAlwaysAsIdentity(),
  key: sql`text collate "C"`,
  storedByKey: (table) => table,
  inOrderOfCommits: (table) =>
    table
      .addColumn('xid', sql`xid8`, (column) =>
        column.notNull().defaultTo(sql`pg_current_xact_id()`),
      )
      .addUniqueConstraint('changes_order', ['xid', 'id' as never]),
};

/** Two connected databases of one pool: the second one's transactions are first in line. */
interface Connected {
  db: Kysely<Tables>;
  urgentDb: Kysely<Tables>;
}

/**
 * Opens the engine of a PostgreSQL database. It connects at its first statement.
 *
 * @param isPatient without time limits for statements.
 * @throws StoreError `DATABASE_UNUSABLE` when the URL is not valid.
 */
export function openPostgres(
  { url, connections }: { url: string; connections?: number | undefined },
  isPatient: boolean,
): Engine {
  const asked = readPostgresUrl(url, connections);
  const settings = isPatient ? { ...asked, limits: patientLimits } : asked;
  const { name } = settings;
  const pools = createPostgresPools(settings);
  const db = new Kysely<Tables>({ dialect: createDialect(pools.usual) });
  const urgentDb = new Kysely<Tables>({ dialect: createDialect(pools.urgent) });
  const reports = new Kysely<Tables>({ dialect: createDialect(pools.impatient) });
  let listening: PostgresListener | undefined;
  return {
    name,
    db,
    reports,
    readWhole: (work, signal) =>
      withoutLimits(settings, (transaction) => endBy(transaction, { db, signal }, work)),
    now: () => sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
    locksRows: true,
    skipsLocked: true,
    spelling,
    check: () => checkServer(db, name),
    assertAvailable: pools.probe,
    describe: () => describe(db),
    currentSchema: () => readSchema(db),
    exclusive: (work) => runAlone(settings, work),
    transaction: (work, options) => transact({ db, urgentDb }, work, options),
    async publish(transaction, changes, origin) {
      if (changes.length === 0) return () => {};
      const logged = await logChanges(transaction, changes, origin);
      return () => listening?.notify(logged);
    },
    async subscribe(listener) {
      listening = await listen(settings, { listener, onSilent: pools.suspect });
    },
    silentMs: () => listening?.silentMs() ?? 0,
    outageEnd: pools.outageEnd,
    connections: pools.connections,
    wasLeftOpen: false,
    erased: () => {},
    async close() {
      // Together: what the listener writes again may wait for the server, until the pool ends.
      const connected = [reports, urgentDb, db].map((each) => each.destroy());
      await Promise.all([listening?.stop(), ...connected]);
    },
  };
}

async function transact<Result>(
  { db, urgentDb }: Connected,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
  { isUrgent = false } = {},
): Promise<Result> {
  const connected = isUrgent ? urgentDb : db;
  for (let retries = 0; ; retries += 1) {
    try {
      return await connected.transaction().setIsolationLevel('read committed').execute(work);
    } catch (error) {
      if (!isConflict(error) || retries === maxRetries) throw error;
      await sleep(Math.random() * retryPauseMs * 2 ** retries);
    }
  }
}

async function describe(db: Kysely<Tables>): Promise<Omit<DatabaseReport, 'migration'>> {
  const { rows } = await sql<{ version: string; level: string; is_asynchronous: boolean }>`
    select current_setting('server_version') as version,
      current_setting('synchronous_commit') as level,
      current_setting('synchronous_standby_names') = ''
        and exists (select from pg_stat_replication) as is_asynchronous`.execute(db);
  const { version = '', level = '', is_asynchronous } = rows[0] ?? {};
  const isLow = level === 'local' || level === 'remote_write';
  const risk = isLow ? 'commit_level' : is_asynchronous ? 'asynchronous_standby' : null;
  return { engine: 'PostgreSQL', version, risk };
}

async function readSchema(db: Kysely<Tables>): Promise<string | undefined> {
  const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(db);
  return rows[0]?.name ?? undefined;
}

async function logChanges(
  db: Kysely<Tables>,
  changes: readonly Change[],
  origin: string,
): Promise<LoggedChange[]> {
  const rows = changes.map(({ installationId, ofTokens }) => ({
    installation_id: installationId,
    of_tokens: ofTokens ? 1 : 0,
    origin,
  }));
  return db.insertInto('changes').values(rows).returningAll().execute();
}

/** The migrator gets a transaction that holds a lock until the commit. It would release its own lock earlier. */
function createDialect(pool: PostgresPool): PostgresDialect {
  return new (class extends PostgresDialect {
    override createAdapter() {
      return new (class extends PostgresAdapter {
        override async acquireMigrationLock() {}
        override async releaseMigrationLock() {}
      })();
    }
  })({ pool });
}

async function checkServer(db: Kysely<Tables>, name: string): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string; durability: string }>`
    select current_setting('server_version_num')::integer as version,
      current_setting('server_encoding') as encoding,
      current_setting('synchronous_commit') as durability`.execute(db);
  const { version = 0, encoding, durability } = rows[0] ?? {};
  const refuse = (why: string) =>
    new StoreError('DATABASE_UNUSABLE', `${name} cannot be used: ${why}`);
  if (version < minVersion) {
    throw refuse(`PostgreSQL 14 or newer is needed, this is ${Math.floor(version / 10_000)}`);
  }
  if (encoding !== 'UTF8') throw refuse(`its encoding is ${encoding}, not UTF8`);
  if (durability === 'off') {
    throw refuse('synchronous_commit is off: stored tokens could be lost in a crash');
  }
}

function runAlone<Result>(
  settings: PostgresSettings,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  return withoutLimits(settings, async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(transaction);
    return work(transaction);
  });
}

/**
 * Runs the work in a transaction without time limits, on a separate connection. The limits are those of the transaction:
 * a pooler may give the server's connection to others after it.
 */
async function withoutLimits<Result>(
  settings: PostgresSettings,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  const limits = { ...settings.limits, answerMs: patientLimits.answerMs };
  const { usual } = createPostgresPools({ ...settings, limits });
  const db = new Kysely<Tables>({ dialect: createDialect(usual) });
  try {
    return await db.transaction().execute(async (transaction) => {
      await sql.raw(setLimits(patientLimits, 'local')).execute(transaction);
      return work(transaction);
    });
  } finally {
    await db.destroy();
  }
}

/**
 * Runs the work, whose session an abort ends, with the statement that runs: closing the connection alone would leave it
 * running. `db` has connections that are free for that.
 *
 * @throws the signal's reason
 */
async function endBy<Result>(
  transaction: Transaction<Tables>,
  { db, signal }: { db: Kysely<Tables>; signal: AbortSignal | undefined },
  work: (connection: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  const { rows } = await sql<{ id: number }>`select pg_backend_pid() as id`.execute(transaction);
  const aborted = Promise.withResolvers<never>();
  const end = async () => {
    await sql`select pg_terminate_backend(${rows[0]?.id})`.execute(db).catch(() => {});
    aborted.reject(signal?.reason);
  };
  signal?.throwIfAborted();
  signal?.addEventListener('abort', end);
  try {
    return await Promise.race([work(transaction), aborted.promise]);
  } finally {
    signal?.removeEventListener('abort', end);
  }
}
