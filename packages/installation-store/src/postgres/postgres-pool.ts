/** The connections to PostgreSQL, limited in number and time. Their errors contain no values. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { PostgresPool } from 'kysely';
import pg from 'pg';
import { StoreError } from '../errors.ts';
import { type ConnectionQueue, createConnectionQueue } from './connection-queue.ts';
import { defaultPostgresConnections } from './default-connections.ts';
import { isOfDisk, needsNewConnection, toStoreError } from './postgres-error.ts';

/** How long a caller waits until a connection is free. Saving tokens has no limit. */
const waitMs = 15_000;
const statementTimeoutMs = 5_000;
/** Longer than the server's own time-outs. It is reached only if the network lost the answer. */
const answerTimeoutMs = statementTimeoutMs + 2_000;
const maxEndMs = 5_000;
/** How long a starting process waits for another process's migration, and a key command or a check for a table. */
const patientLockMs = 60_000;
const int8 = 20;

const askReadOnly = "select current_setting('transaction_read_only') = 'on' as is_read_only";
/**
 * Needs new pages on the disk, as most writes do: a small row could find room in an old one. Its text is random, so
 * that it is not compressed.
 */
const tryToWrite = `begin;
  insert into changes (installation_id, of_tokens, origin)
    select '', 0, string_agg(gen_random_uuid()::text, '') from generate_series(1, 500);
  rollback`;

export interface PostgresSettings {
  /** The database's name for messages. */
  name: string;
  client: pg.ClientConfig;
  /** The most connections of the process. Up to three more are for listening, the probe and long work. */
  connections: number;
}

/**
 * @throws StoreError `DATABASE_UNUSABLE` when the URL is not valid. The message leaves out the URL, because
 * it holds a password.
 */
export function readPostgresUrl(
  url: string,
  connections = defaultPostgresConnections,
): PostgresSettings {
  const client: pg.ClientConfig = {
    connectionString: url,
    application_name: 'dowel',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    statement_timeout: statementTimeoutMs,
    lock_timeout: 5_000,
    idle_in_transaction_session_timeout: 10_000,
    query_timeout: answerTimeoutMs,
    types: { getTypeParser },
  };
  try {
    if (!/^postgres(?:ql)?:\/\//.test(url)) throw new TypeError();
    const { host, port, database } = new pg.Client(client);
    return { name: `The database ${database} at ${host}:${port}`, client, connections };
  } catch (cause) {
    const { path, code } = cause as NodeJS.ErrnoException;
    throw new StoreError(
      'DATABASE_UNUSABLE',
      path === undefined
        ? 'The database URL cannot be read: postgres://user:password@host:5432/name'
        : `The database URL names ${path}, which cannot be read: ${code}`,
    );
  }
}

/** No time limits: for migrations, key commands and the checks of maintenance, which may read whole tables. */
export function asPatient({ client, ...settings }: PostgresSettings): PostgresSettings {
  const limits = { statement_timeout: 0, lock_timeout: patientLockMs, query_timeout: 0 };
  return { ...settings, client: { ...client, ...limits } };
}

/** Counts, versions and points in time are safe integers. Other code of this process keeps pg's own parsers. */
function getTypeParser(type: number, format?: 'text' | 'binary') {
  if (type === int8) return Number;
  return format === undefined
    ? pg.types.getTypeParser(type)
    : pg.types.getTypeParser(type, format as 'text');
}

/** PostgreSQL refuses fractions for these columns, and a clock or jitter may produce one. */
function toParameter(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value) : value;
}

export interface PostgresPools {
  usual: PostgresPool;
  /** The same connections, but first in line and with no limit of the wait: for tokens that exist nowhere else. */
  urgent: PostgresPool;
  /**
   * Checks that the server answers and takes writes, without waiting in the queue: a busy process still has its
   * database. Reads only, unless the server's disk has refused a statement.
   *
   * @throws StoreError `DATABASE_UNAVAILABLE`
   */
  probe(): Promise<void>;
}

interface PoolContext {
  /** The database's name for messages. */
  name: string;
  pool: pg.Pool;
  queue: ConnectionQueue;
  /** True after a statement that the server's disk refused, until a write succeeds. */
  isRefused: boolean;
}

/** Creates the two pools of a process, which share its connections. Connections are opened when they are needed. */
export function createPostgresPools(settings: PostgresSettings): PostgresPools {
  const { name } = settings;
  const context: PoolContext = {
    name,
    pool: openPool(settings),
    queue: createQueue(settings),
    isRefused: false,
  };
  return {
    probe: () => probe(context),
    usual: asKyselyPool({ connect: () => connect(context, false), end: () => end(context) }),
    // The other one ends the connections.
    urgent: asKyselyPool({ connect: () => connect(context, true), end: async () => {} }),
  };
}

function openPool({ client: config, connections }: PostgresSettings): pg.Pool {
  // One more, for the probe.
  const pool = new pg.Pool({ ...config, max: connections + 1 });
  // The statement of a lost connection fails anyway. Without a handler, the error event would also end the
  // process.
  const ignore = () => {};
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  return pool;
}

function createQueue({ name, connections }: PostgresSettings): ConnectionQueue {
  return createConnectionQueue({
    places: connections,
    waitMs,
    onTimeout: () =>
      new StoreError(
        'DATABASE_UNAVAILABLE',
        `${name} cannot be used now: this process is too busy, and all of its ${connections} connections were in use for ${waitMs / 1_000} s`,
        { reason: 'database_busy', isUnwritten: true },
      ),
  });
}

function asKyselyPool(pool: {
  connect: () => ReturnType<typeof connect>;
  end: () => Promise<void>;
}): PostgresPool {
  return { ...pool, options: {} } as unknown as PostgresPool;
}

async function connect(context: PoolContext, isUrgent: boolean) {
  const { name, pool, queue } = context;
  const leave = await queue.enter(isUrgent);
  const client = await pool.connect().catch((error: unknown) => {
    leave();
    throw toStoreError(error, name, false);
  });
  let isBroken = false;
  return {
    query: async (statement: string, parameters: readonly unknown[]) => {
      try {
        return await client.query(statement, parameters.map(toParameter));
      } catch (error) {
        isBroken ||= needsNewConnection(error);
        context.isRefused ||= isOfDisk(error);
        throw toStoreError(error, name);
      }
    },
    release(destroy?: boolean) {
      client.release(isBroken || destroy === true);
      leave();
    },
  };
}

async function probe(context: PoolContext): Promise<void> {
  const { name, pool } = context;
  try {
    const client = await pool.connect();
    let isBroken = true;
    try {
      await checkWrites(context, client);
      isBroken = false;
    } finally {
      client.release(isBroken);
    }
  } catch (error) {
    throw toStoreError(error, name);
  }
}

/** A connection to a server that takes no writes is not kept, so that the next check may find another server. */
async function checkWrites(context: PoolContext, client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ is_read_only: boolean }>(askReadOnly);
  if (rows[0]?.is_read_only) throw new Error('it is a standby, or read-only');
  if (!context.isRefused) return;
  await client.query(tryToWrite);
  context.isRefused = false;
}

/** Limited in time, because a connection whose other end is silent would never end. */
async function end({ pool }: PoolContext): Promise<void> {
  // The pool serves a caller in the next turn. Once it is ending, such a caller would wait for its time-out.
  await nextTurn();
  await Promise.race([pool.end(), sleep(maxEndMs, undefined, { ref: false })]);
}
