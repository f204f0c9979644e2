/** The connections to PostgreSQL, limited in number and time. Their errors contain no values. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { PostgresPool } from 'kysely';
import pg from 'pg';
import { StoreError } from '../errors.ts';
import type { ConnectionFigures } from '../sql/database.ts';
import { askReadOnly, clientOf, prepareConnection, tryServers } from './connect-client.ts';
import { type ConnectionQueue, createConnectionQueue } from './connection-queue.ts';
import {
  isConnectionLost,
  isOfDisk,
  isWithoutSlot,
  needsNewConnection,
  ReadOnlyServerError,
  toStoreError,
} from './postgres-error.ts';
import type { PostgresSettings } from './postgres-url.ts';

/** How long a caller waits until a connection is free. Saving tokens has no limit. */
const waitMs = 15_000;
/**
 * How long a caller waits for a server that was there before: a failover takes up to 25 seconds. People who look wait for
 * a moment only, and tokens to be saved are tried again by their owner.
 */
const outageWaitMs = { usual: 26_000, impatient: 1_000, urgent: 0 };
const maxWaiting = 2_048;
const probeEveryMs = 200;
/** A server without a free slot gives no new connection for a while. */
const fullMs = 5_000;
const maxEndMs = 5_000;

/**
 * Needs new pages on the disk, as most writes do: a small row could find room in an old one. Its text is random, so
 * that it is not compressed.
 */
const tryToWrite = `begin;
  insert into changes (installation_id, of_tokens, origin)
    select '', 0, string_agg(gen_random_uuid()::text, '') from generate_series(1, 500);
  rollback`;

export interface PostgresPools {
  /** Waits for a server that is away. */
  usual: PostgresPool;
  /** The same connections, but first in line and with no limit of the wait: for tokens that exist nowhere else. */
  urgent: PostgresPool;
  /** The same connections, and a short wait while the server is away: for people who look. */
  impatient: PostgresPool;
  /**
   * Checks that the server answers and takes writes, without waiting in the queue: a busy process still has its
   * database. Reads only, unless the server's disk has refused a statement.
   *
   * @throws StoreError `DATABASE_UNAVAILABLE`
   */
  probe(): Promise<void>;
  /** The server does not answer: no idle connection is used any more, and callers wait until a new one answers. */
  suspect(): void;
  /** When the last outage ended, by `performance.now()`; undefined: there was none. Infinity: it has not ended. */
  outageEnd(): number | undefined;
  connections(): ConnectionFigures;
}

interface PoolContext {
  settings: PostgresSettings;
  pool: pg.Pool;
  queue: ConnectionQueue;
  /** Before that, a server that does not answer is an error at once. */
  hasConnected: boolean;
  /** The server does not answer. Resolves when it does. */
  outage: Promise<void> | undefined;
  outageEnd: number | undefined;
  waiting: number;
  /** True after a statement that the server's disk refused, until a write succeeds. */
  isRefused: boolean;
  isEnding: boolean;
}

type Caller = keyof typeof outageWaitMs;

/** Creates the pools of a process, which share its connections. Connections are opened when they are needed. */
export function createPostgresPools(settings: PostgresSettings): PostgresPools {
  const context: PoolContext = {
    settings,
    pool: openPool(settings),
    queue: createQueue(settings),
    hasConnected: false,
    outage: undefined,
    outageEnd: undefined,
    waiting: 0,
    isRefused: false,
    isEnding: false,
  };
  // The usual one ends the connections of all.
  const poolOf = (caller: Caller, end = async () => {}) =>
    ({ connect: () => connect(context, caller), end, options: {} }) as unknown as PostgresPool;
  return {
    usual: poolOf('usual', () => end(context)),
    urgent: poolOf('urgent'),
    impatient: poolOf('impatient'),
    probe: () => probe(context),
    suspect: () => beginOutage(context),
    outageEnd: () => (context.outage ? Number.POSITIVE_INFINITY : context.outageEnd),
    connections() {
      const { pool, queue, waiting } = context;
      const idle = pool.idleCount;
      return { used: pool.totalCount - idle, idle, waiting: waiting + queue.waitingCount() };
    },
  };
}

function openPool(settings: PostgresSettings): pg.Pool {
  const pool = new pg.Pool({
    // One more, for the probe.
    max: settings.connections + 1,
    connectionTimeoutMillis: settings.servers[0]?.connectionTimeoutMillis,
    Client: clientOf(settings),
    onConnect: (client) => prepareConnection(client, settings),
  });
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

/** A place in the queue, and the connection of its holder. */
interface Taken {
  client: pg.PoolClient;
  leave(): void;
}

async function connect(context: PoolContext, caller: Caller) {
  const { name } = context.settings;
  let taken: Taken | undefined = await takeConnection(context, caller);
  let hasAsked = false;
  let isBroken = false;

  async function ask(statement: string, parameters: readonly unknown[]) {
    try {
      return await taken?.client.query(statement, parameters.map(toParameter));
    } catch (error) {
      isBroken ||= needsNewConnection(error);
      context.isRefused ||= isOfDisk(error);
      throw error;
    }
  }

  function release(destroy?: boolean): void {
    taken?.client.release(isBroken || destroy === true);
    taken?.leave();
    taken = undefined;
  }

  /** A read whose connection was lost is asked again, on another one. */
  async function askAgain(statement: string, parameters: readonly unknown[]) {
    release(true);
    taken = await takeConnection(context, caller);
    isBroken = false;
    return ask(statement, parameters);
  }

  return {
    async query(statement: string, parameters: readonly unknown[]) {
      // A first statement that reads is in no transaction.
      const mayRepeat = caller === 'usual' && !hasAsked && /^select\b/.test(statement);
      hasAsked = true;
      return ask(statement, parameters)
        .catch((error: unknown) => {
          if (!mayRepeat || !isConnectionLost(error)) throw error;
          return askAgain(statement, parameters);
        })
        .catch((error: unknown) => {
          throw toStoreError(error, name);
        });
    },
    release,
  };
}

/** @throws StoreError `DATABASE_UNAVAILABLE`; then no statement was sent. */
async function takeConnection(context: PoolContext, caller: Caller): Promise<Taken> {
  const { settings, queue } = context;
  const deadline = performance.now() + outageWaitMs[caller];
  for (;;) {
    if (context.outage) await waitForServer(context, deadline);
    const leave = await queue.enter(caller === 'urgent');
    try {
      const client = await tryServers(settings, () => context.pool.connect());
      context.hasConnected = true;
      return { client, leave };
    } catch (error) {
      // With its place: so a full server is asked by few at a time.
      await waitAfter(context, error, deadline).finally(leave);
    }
  }
}

/** Returns when another try may succeed. */
async function waitAfter(context: PoolContext, error: unknown, deadline: number): Promise<void> {
  const { settings, pool, queue, hasConnected, isEnding } = context;
  const mayWait = hasConnected && !isEnding;
  if (mayWait && isWithoutSlot(error) && performance.now() < deadline) {
    // The next one waits in the queue for a connection that this process has.
    queue.shrink(pool.totalCount, fullMs);
    await sleep(probeEveryMs);
    return;
  }
  if (!mayWait || !isConnectionLost(error)) throw toStoreError(error, settings.name, false);
  beginOutage(context);
}

/** No idle connection is used any more: only a new one shows that the server answers. */
function beginOutage(context: PoolContext): void {
  if (context.outage || context.isEnding) return;
  const { pool, settings } = context;
  context.pool = openPool(settings);
  void pool.end().catch(() => {});
  context.outage = waitForAnswer(context);
}

async function waitForAnswer(context: PoolContext): Promise<void> {
  const { settings } = context;
  let hasAnswered = false;
  while (!hasAnswered && !context.isEnding) {
    await sleep(probeEveryMs * (0.5 + Math.random()), undefined, { ref: false });
    hasAnswered = await tryServers(settings, () => context.pool.connect()).then(
      (client) => {
        client.release();
        return true;
      },
      () => false,
    );
  }
  context.outage = undefined;
  context.outageEnd = performance.now();
}

/** Waits until the server answers again. */
async function waitForServer(context: PoolContext, deadline: number): Promise<void> {
  const waited = new AbortController();
  const { signal } = waited;
  const msLeft = context.waiting < maxWaiting ? deadline - performance.now() : 0;
  if (msLeft <= 0) throw noAnswer(context.settings);
  context.waiting += 1;
  try {
    const isOver = await Promise.race([
      context.outage?.then(() => true),
      sleep(msLeft, false, { signal }),
    ]);
    if (isOver === false) throw noAnswer(context.settings);
  } finally {
    context.waiting -= 1;
    waited.abort();
  }
}

function noAnswer({ name }: PostgresSettings): StoreError {
  return new StoreError('DATABASE_UNAVAILABLE', `${name} cannot be used now: it does not answer`, {
    reason: 'database_unreachable',
    isUnwritten: true,
    lack: 'answers',
  });
}

/** PostgreSQL refuses fractions for these columns, and a clock or jitter may produce one. */
function toParameter(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value) : value;
}

async function probe(context: PoolContext): Promise<void> {
  const { settings } = context;
  try {
    const client = await tryServers(settings, () => context.pool.connect());
    let isBroken = true;
    try {
      await checkWrites(context, client);
      isBroken = false;
    } finally {
      client.release(isBroken);
    }
  } catch (error) {
    throw toStoreError(error, settings.name);
  }
}

/** A connection to a server that takes no writes is not kept, so that the next check may find another server. */
async function checkWrites(context: PoolContext, client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ is_read_only: boolean }>(askReadOnly);
  if (rows[0]?.is_read_only) throw new ReadOnlyServerError('it is a standby, or read-only');
  if (!context.isRefused) return;
  await client.query(tryToWrite);
  context.isRefused = false;
}

/** Limited in time, because a connection whose other end is silent would never end. */
async function end(context: PoolContext): Promise<void> {
  context.isEnding = true;
  // The pool serves a caller in the next turn. Once it is ending, such a caller would wait for its time-out.
  await nextTurn();
  await Promise.race([context.pool.end(), sleep(maxEndMs, undefined, { ref: false })]);
}
