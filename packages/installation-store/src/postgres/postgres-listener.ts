/**
 * Receives the changes that all stores publish, on a connection of its own. While that connection answers,
 * nothing is read again: PostgreSQL brings each change. When it does not answer in time, another one is opened
 * within about a second, and what was missed is read from the change log.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StoreError } from '../errors.ts';
import type { ChangeListener } from '../sql/database.ts';
import { toStoreError } from './postgres-error.ts';
import type { PostgresSettings } from './postgres-pool.ts';

export const channel = 'dowel_changes';
/** How often the connection must prove that it is alive. */
const beatMs = 250;
/** Without an answer for so many beats, the connection counts as lost. Within about a second, another one reads what was missed. */
const silentBeats = 2;
const connectMs = 2_000;
/** How often a notification is looked for that this process has sent to itself, and the pause between two looks. */
const proof = { looks: 10, pauseMs: 100 };
const pauseMs = { first: 100, max: 1_000 };

/**
 * The oldest transaction that still ran. All before it have ended, so their changes are in the log. Row
 * numbers are no such position: they are given before the commit.
 */
const askPosition = `select pg_snapshot_xmin(pg_current_snapshot())::text as position,
  (select max(id) from changes) as newest`;
const readMissed = `select id, installation_id, of_tokens, origin from changes
  where xid >= $1::text::xid8 order by id`;
const askOldest = 'select min(id) as oldest from changes';

interface MissedChange {
  installation_id: string;
  of_tokens: number;
  origin: string;
}

/** How far the log was read, over all connections. */
interface Position {
  /** The changes of every transaction before it were received. */
  position: string;
  /** The newest row number; null if the log is empty. */
  newest: number | null;
}

interface Progress {
  at: Position | undefined;
}

interface Connection {
  /** Resolves when the connection is closed, or does not answer. */
  lost: Promise<void>;
  end(): void;
}

interface ListenerContext extends PostgresSettings {
  listener: ChangeListener;
  progress: Progress;
}

/** Resolves when it listens. Returns a function that stops it. */
export async function listen(
  settings: PostgresSettings,
  listener: ChangeListener,
): Promise<() => Promise<void>> {
  const context = { ...settings, listener, progress: { at: undefined } };
  const stopping = new AbortController();
  const first = await connect(context).catch((error: unknown) => {
    throw error instanceof StoreError ? error : toStoreError(error, settings.name);
  });
  const kept = keep(context, first, stopping.signal);
  return async () => {
    stopping.abort();
    await kept;
  };
}

async function keep(
  context: ListenerContext,
  first: Connection,
  signal: AbortSignal,
): Promise<void> {
  const stopped = once(signal, 'abort');
  let connection: Connection | undefined = first;
  while (connection) {
    await Promise.race([connection.lost, stopped]);
    connection.end();
    if (signal.aborted) return;
    connection = await reconnect(context, signal);
  }
}

async function reconnect(
  context: ListenerContext,
  signal: AbortSignal,
): Promise<Connection | undefined> {
  for (let pauseFor = pauseMs.first; ; pauseFor = Math.min(2 * pauseFor, pauseMs.max)) {
    const jittered = pauseFor * (0.5 + Math.random() / 2);
    await sleep(jittered, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return undefined;
    const connection = await connect(context).catch(() => undefined);
    if (connection) return connection;
  }
}

async function connect({
  name,
  client: config,
  listener,
  progress,
}: ListenerContext): Promise<Connection> {
  const limits = { application_name: 'dowel listener', connectionTimeoutMillis: connectMs };
  const client = new pg.Client({ ...config, ...limits });
  const { promise: lost, resolve } = Promise.withResolvers<void>();
  client.on('error', () => resolve());
  client.on('end', () => resolve());
  client.on('notification', ({ payload }) => receive(listener, payload ?? ''));
  const end = () => void client.end().catch(() => {});
  try {
    await client.connect();
    await client.query(`listen ${channel}`);
    await proveDelivery(client, name);
    await catchUp(client, listener, progress);
  } catch (error) {
    end();
    throw error;
  }
  const stopBeating = beat(client, progress, resolve);
  return {
    lost,
    end() {
      stopBeating();
      end();
    },
  };
}

/**
 * A pooler in transaction mode answers every query, and listens on a connection that it then gives to others. So a
 * notification of our own must arrive: it does before the answer to a later query.
 *
 * @throws StoreError `DATABASE_UNUSABLE`
 */
async function proveDelivery(client: pg.Client, name: string): Promise<void> {
  const sent = randomUUID();
  let hasArrived = false;
  client.on('notification', ({ payload }) => {
    hasArrived ||= payload === sent;
  });
  await client.query('select pg_notify($1, $2)', [channel, sent]);
  for (let looks = 0; looks < proof.looks && !hasArrived; looks += 1) {
    await sleep(proof.pauseMs);
    await client.query('select 1');
  }
  if (hasArrived) return;
  throw new StoreError(
    'DATABASE_UNUSABLE',
    `${name} cannot be used: its notifications do not arrive. Connect to PostgreSQL directly, or through a pooler in session mode.`,
  );
}

/** Payloads that are no change, such as {@link proveDelivery} sends, are ignored. */
function receive(listener: ChangeListener, payload: string): void {
  const [origin, ofTokens, installationId] = payload.split(' ');
  if (!origin || !installationId) return;
  listener.onChange({ installationId, ofTokens: ofTokens === '1' }, origin);
}

/** Reads what was published since the last connection answered. Some of it may have been received before. */
async function catchUp(
  client: pg.Client,
  listener: ChangeListener,
  progress: Progress,
): Promise<void> {
  const { at: since } = progress;
  const at = await readPosition(client);
  if (since) {
    const { rows: ends } = await client.query<{ oldest: number | null }>(askOldest);
    const { rows } = await client.query<MissedChange>(readMissed, [since.position]);
    // After a failover to a replica that lacks the newest transactions, their numbers are given again.
    const isBehind = BigInt(at.position) < BigInt(since.position);
    // Maintenance has cut rows that were not read.
    const isCut = (ends[0]?.oldest ?? 0) > (since.newest ?? 0) + 1;
    if (isBehind || isCut) listener.onGap();
    for (const { installation_id: installationId, of_tokens: ofTokens, origin } of rows) {
      listener.onChange({ installationId, ofTokens: ofTokens === 1 }, origin);
    }
  }
  progress.at = at;
}

async function readPosition(client: pg.Client): Promise<Position> {
  const { rows } = await client.query<Position>(askPosition);
  return rows[0] as Position;
}

/** Sends a query again and again, because only an answer shows that the server can be reached. */
function beat(client: pg.Client, progress: Progress, onLost: () => void): () => void {
  let isAsked = false;
  /** Beats since the query was sent. */
  let silent = 0;
  /** Changes before this position may still be on their way, until the next answer. */
  let answered = progress.at;

  async function ask(): Promise<void> {
    isAsked = true;
    silent = 0;
    const at = await readPosition(client);
    isAsked = false;
    progress.at = answered;
    answered = at;
  }

  async function check(): Promise<void> {
    if (!isAsked) return ask();
    // If the event loop is late, the answer may be here and unread.
    await nextTurn();
    await nextTurn();
    if (!isAsked) return;
    silent += 1;
    if (silent >= silentBeats) onLost();
  }

  const beating = setInterval(() => void check().catch(onLost), beatMs);
  beating.unref();
  return () => clearInterval(beating);
}
