/**
 * Receives the changes that all stores publish, on a connection of its own. Notifications bring them at once. Each beat
 * also reads the change log from where the last one ended: a process may die between its commit and its notification,
 * and behind a pooler in transaction mode no notification arrives.
 */
import { once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { StoreError } from '../errors.ts';
import type { ChangeListener } from '../sql/database.ts';
import { clientOf, prepareConnection, tryServers } from './connect-client.ts';
import { toStoreError } from './postgres-error.ts';
import type { PostgresSettings } from './postgres-url.ts';

const channel = 'dowel_changes';
/** How often the log is read, and the connection must prove that it is alive. */
const beatMs = 250;
/** Without an answer for so many beats, the connection counts as lost. */
const silentBeats = 2;
const pauseMs = { first: 100, max: 1_000 };
/** Of the newest changes, to find out after a failover what the database has lost. */
const maxRemembered = 1_000;

/**
 * All changes that the last snapshot did not show, and the snapshot of this statement. Row numbers are no such
 * position: they are given before the commit.
 */
const readNew = `select pg_current_snapshot()::text as at, pg_backend_pid() as pid,
    changes.id, changes.installation_id, changes.of_tokens, changes.origin
  from (select 1) as one left join changes on changes.xid >= pg_snapshot_xmax($1::pg_snapshot)
    or changes.xid = any(array(select pg_snapshot_xip($1::pg_snapshot)))
  order by changes.id`;
const readServer = `select pg_current_snapshot()::text as at,
  pg_postmaster_start_time()::text as started,
  (select min(id) from changes) as oldest, (select max(id) from changes) as newest`;
/** Changes that are gone: neither they nor later ones of their installations are in the log. */
const findLost = `select distinct heard.installation_id
  from unnest($1::bigint[], $2::text[]) as heard (id, installation_id)
  where not exists (select 1 from changes
    where changes.id >= heard.id and changes.installation_id = heard.installation_id)`;
const sendAll = `select pg_notify('${channel}', payload) from unnest($1::text[]) as payload`;

/** A row of the change log. */
export interface LoggedChange {
  id: number;
  installation_id: string;
  of_tokens: number;
  origin: string;
}

interface Server {
  /** The snapshot that was read last, as text. */
  at: string;
  /** When it was started: another time is another server, or one that has lost what it had not written. */
  started: string;
  /** The newest row number that was read. Null if the log is empty. */
  newest: number | null;
}

interface ReadServer extends Server {
  /** Null if the log is empty. */
  oldest: number | null;
}

export interface ListenerOptions {
  listener: ChangeListener;
  /** Called when the connection is lost or silent. */
  onSilent(): void;
}

interface ListenerContext extends ListenerOptions {
  settings: PostgresSettings;
  /** What the log showed last, over all connections. */
  server: Server | undefined;
  /** The newest changes that were heard, or made by this process: installations by row number. */
  heard: Map<number, string>;
  connection: Connection | undefined;
  /** By `performance.now()`. */
  answeredAt: number;
  isPooled: boolean;
}

interface Connection {
  ask: Ask;
  /** Resolves when the connection is closed, or does not answer. */
  lost: Promise<void>;
  end(): void;
}

/** One query after the other, on one connection. */
type Ask = <Row extends pg.QueryResultRow>(query: string, values?: unknown[]) => Promise<Row[]>;

export interface PostgresListener {
  /** Tells the other processes of changes that this one has committed. Does not wait. */
  notify(changes: readonly LoggedChange[]): void;
  /** For how long the listener has had no answer, in milliseconds; 0 while its connection answers. */
  silentMs(): number;
  stop(): Promise<void>;
}

/** Resolves when it listens. */
export async function listen(
  settings: PostgresSettings,
  options: ListenerOptions,
): Promise<PostgresListener> {
  const context: ListenerContext = {
    ...options,
    settings,
    server: undefined,
    heard: new Map(),
    connection: undefined,
    answeredAt: performance.now(),
    isPooled: false,
  };
  const stopping = new AbortController();
  context.connection = await connect(context).catch((error: unknown) => {
    throw error instanceof StoreError ? error : toStoreError(error, settings.name);
  });
  const kept = keep(context, stopping.signal);
  const sender = createSender(context);
  return {
    notify: sender,
    silentMs: () => (context.connection ? 0 : performance.now() - context.answeredAt),
    async stop() {
      stopping.abort();
      await kept;
    },
  };
}

/** Sends what was committed in the same turns with one statement. Another process reads in its next beat what is lost. */
function createSender(context: ListenerContext): PostgresListener['notify'] {
  let waiting: string[] = [];

  async function send(): Promise<void> {
    await nextTurn();
    const payloads = waiting;
    waiting = [];
    await context.connection?.ask(sendAll, [payloads]);
  }

  return (changes) => {
    for (const change of changes) {
      // Until it listens again, the numbers may be given twice. The log shows this change to the next connection.
      if (context.connection) remember(context, change);
      const { id, origin, of_tokens, installation_id } = change;
      waiting.push(`${id} ${origin} ${of_tokens} ${installation_id}`);
    }
    if (waiting.length === changes.length) send().catch(() => {});
  };
}

async function keep(context: ListenerContext, signal: AbortSignal): Promise<void> {
  const stopped = once(signal, 'abort');
  while (context.connection) {
    const { connection } = context;
    await Promise.race([connection.lost, stopped]);
    context.connection = undefined;
    connection.end();
    if (signal.aborted) return;
    context.onSilent();
    context.connection = await reconnect(context, signal);
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

async function connect(context: ListenerContext): Promise<Connection> {
  const { settings } = context;
  const { promise: lost, resolve } = Promise.withResolvers<void>();
  const client = await tryServers(settings, () => openClient(settings));
  client.on('error', () => resolve());
  client.on('end', () => resolve());
  client.on('notification', ({ payload }) => receive(context, payload ?? ''));
  const end = () => void client.end().catch(() => {});
  const ask = inTurn(client);
  try {
    await ask(`listen ${channel}`);
    await catchUp(context, ask);
  } catch (error) {
    end();
    throw error;
  }
  const stopBeating = beat(context, ask, resolve);
  return {
    ask,
    lost,
    end() {
      stopBeating();
      end();
    },
  };
}

function inTurn(client: pg.Client): Ask {
  let last: Promise<unknown> = Promise.resolve();
  return <Row extends pg.QueryResultRow>(query: string, values?: unknown[]) => {
    const asked = last.then(async () => (await client.query<Row>(query, values)).rows);
    last = asked.catch(() => {});
    return asked;
  };
}

async function openClient(settings: PostgresSettings): Promise<pg.Client> {
  const client = new (clientOf(settings))({ application_name: 'dowel listener' });
  client.on('error', () => {});
  try {
    await client.connect();
    await prepareConnection(client, settings);
    return client;
  } catch (error) {
    void client.end().catch(() => {});
    throw error;
  }
}

/** Payloads that are no change are ignored. */
function receive(context: ListenerContext, payload: string): void {
  const [id, origin, ofTokens, installation] = payload.split(' ');
  if (!id || !origin || !installation) return;
  const change = {
    id: Number(id),
    origin,
    of_tokens: Number(ofTokens),
    installation_id: installation,
  };
  hear(context, change);
}

/** Calls the listener, once for each change. */
function hear(context: ListenerContext, change: LoggedChange): void {
  if (context.heard.has(change.id)) return;
  remember(context, change);
  const { installation_id: installationId, of_tokens: ofTokens, origin } = change;
  context.listener.onChange({ installationId, ofTokens: ofTokens === 1 }, origin);
}

function remember({ heard }: ListenerContext, { id, installation_id }: LoggedChange): void {
  heard.set(id, installation_id);
  if (heard.size <= maxRemembered) return;
  const [oldest] = heard.keys();
  if (oldest !== undefined) heard.delete(oldest);
}

/** Reads what was published since the last connection answered. */
async function catchUp(context: ListenerContext, ask: Ask): Promise<void> {
  const { server: before, listener } = context;
  const [read] = (await ask<ReadServer & pg.QueryResultRow>(readServer)) as [ReadServer];
  const { oldest, ...server } = read;
  // The numbers of transactions that another server did not receive are given again.
  const isOther = before && (server.started !== before.started || isBehind(server, before));
  if (isOther) await reportLost(context, ask, oldest);
  // Maintenance may have cut rows that were not read.
  const isCut = before && (oldest ?? 0) > (before.newest ?? 0) + 1;
  if (isOther || isCut) listener.onGap();
  if (before && !isOther) await readLog(context, ask);
  else context.server = server;
}

/** Whether fewer transactions have begun than before. */
function isBehind({ at }: Pick<Server, 'at'>, before: Pick<Server, 'at'>): boolean {
  const begun = (snapshot: string) => BigInt(snapshot.split(':')[1] ?? 0);
  return begun(at) < begun(before.at);
}

async function reportLost(
  { heard, listener }: ListenerContext,
  ask: Ask,
  oldest: number | null,
): Promise<void> {
  const kept = [...heard].filter(([id]) => id >= (oldest ?? 0));
  const parameters = [kept.map(([id]) => id), kept.map(([, installation]) => installation)];
  const rows = await ask<{ installation_id: string }>(findLost, parameters);
  const numbers = [...heard.keys()];
  if (rows.length > 0) await listener.onLost(rows.map((row) => row.installation_id));
  // Not before: if the connection is lost meanwhile, the next one asks again.
  for (const id of numbers) heard.delete(id);
}

/** Returns the process id of the server's side. */
async function readLog(context: ListenerContext, ask: Ask): Promise<number> {
  type Row = Omit<LoggedChange, 'id'> & { id: number | null; at: string; pid: number };
  const rows = await ask<Row>(readNew, [context.server?.at]);
  const [first] = rows;
  const { server } = context;
  if (server && first) server.at = first.at;
  for (const { id, ...row } of rows) {
    if (id === null) continue;
    hear(context, { ...row, id });
    if (server) server.newest = Math.max(id, server.newest ?? 0);
  }
  return first?.pid ?? 0;
}

/** Reads the log again and again. Only an answer shows that the server can be reached. */
function beat(context: ListenerContext, ask: Ask, onLost: () => void): () => void {
  let isAsked = false;
  /** Beats since the query was sent. */
  let silent = 0;
  let pid: number | undefined;

  async function read(): Promise<void> {
    isAsked = true;
    silent = 0;
    const answering = await readLog(context, ask);
    isAsked = false;
    context.answeredAt = performance.now();
    pid ??= answering;
    if (pid === answering || context.isPooled) return;
    context.isPooled = true;
    context.listener.onPooled();
  }

  async function check(): Promise<void> {
    if (!isAsked) return read();
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
