/** Reads the URL of a PostgreSQL database: one server, several (`a:5432,b:5433`), or a socket. */
import pg from 'pg';
import { StoreError } from '../errors.ts';
import { defaultPostgresConnections } from './default-connections.ts';

const connectMs = 2_000;
const int8 = 20;

/** Parameters that `pg` reads. Others are refused: it would ignore them without a word. */
const knownParameters = new Set([
  'application_name',
  'client_encoding',
  'db',
  'encoding',
  'fallback_application_name',
  'host',
  'options',
  'password',
  'port',
  'ssl',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslnegotiation',
  'sslrootcert',
  'user',
  'uselibpqcompat',
]);
/** Parameters that this module reads. */
const attributes = 'target_session_attrs';
const binding = 'channel_binding';

export interface PostgresSettings {
  /** The database's name for messages, without the password. */
  name: string;
  /** How to connect to each server. */
  servers: readonly pg.ClientConfig[];
  /** The server that answered last, of all connections of the process: it is tried first. */
  last: { index: number };
  /** A server that takes no writes is not used. */
  mustWrite: boolean;
  /** The most connections of the process. Up to three more are for listening, the probe and long work. */
  connections: number;
  limits: TimeLimits;
}

/** The time limits of a connection, in milliseconds; 0: none. */
export interface TimeLimits {
  statementMs: number;
  lockMs: number;
  /** Between two statements of a transaction. */
  idleMs: number;
  /** Longer than the server's own limits. It is reached only if the network lost the answer. */
  answerMs: number;
}

const usualLimits: TimeLimits = {
  statementMs: 5_000,
  lockMs: 5_000,
  idleMs: 10_000,
  answerMs: 7_000,
};
/** For migrations, key commands and the checks of maintenance, which may read whole tables. */
export const patientLimits: TimeLimits = {
  statementMs: 0,
  lockMs: 60_000,
  idleMs: 0,
  answerMs: 0,
};

/**
 * @throws StoreError `DATABASE_UNUSABLE` when the URL is not valid. The message leaves out the URL, because
 * it holds a password.
 */
export function readPostgresUrl(
  url: string,
  connections = defaultPostgresConnections,
): PostgresSettings {
  const { urls, parameters } = splitServers(url);
  const wanted = readAttributes(parameters.get(attributes));
  const servers = urls.map((each) => readServer(each, parameters));
  const places = servers.map(({ host, port }) => `${host}:${port}`);
  return {
    name: `The database ${servers[0]?.database} at ${places.join(', ')}`,
    servers,
    last: { index: 0 },
    mustWrite: wanted === undefined ? servers.length > 1 : wanted !== 'any',
    connections,
    limits: usualLimits,
  };
}

/** `pg` connects to one server: one URL for each. */
function splitServers(url: string): { urls: string[]; parameters: URLSearchParams } {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#@]*@)?)([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(
    url,
  );
  if (!parts) throw unreadable();
  const [, start, places = '', path = '', query = ''] = parts;
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (!knownParameters.has(name) && name !== attributes && name !== binding) {
      throw unusable(
        `The database URL has the parameter ${name}, which Dowel does not read. Remove it from the URL.`,
      );
    }
  }
  const ofPg = new URLSearchParams(query);
  ofPg.delete(attributes);
  ofPg.delete(binding);
  const end = ofPg.size > 0 ? `${path}?${String(ofPg)}` : path;
  return { urls: places.split(',').map((place) => `${start}${place}${end}`), parameters };
}

function readServer(url: string, parameters: URLSearchParams): pg.ClientConfig & ServerPlace {
  const config: pg.ClientConfig = {
    connectionString: url,
    application_name: parameters.get('application_name') ?? 'dowel',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    enableChannelBinding: (parameters.get(binding) ?? 'disable') !== 'disable',
    types: { getTypeParser },
  };
  try {
    const { host, port, database = '' } = new pg.Client(config);
    return { ...config, host, port, database };
  } catch (cause) {
    const { path, code } = cause as NodeJS.ErrnoException;
    throw path === undefined
      ? unreadable()
      : unusable(`The database URL names ${path}, which cannot be read: ${code}`);
  }
}

interface ServerPlace {
  host: string;
  port: number;
  database: string;
}

function readAttributes(value: string | null | undefined): string | undefined {
  const known = ['any', 'read-write', 'primary'];
  if (value === null || value === undefined || known.includes(value)) return value ?? undefined;
  throw unusable(
    `The database URL has target_session_attrs=${value}. Dowel writes: use read-write, primary or any.`,
  );
}

function unreadable(): StoreError {
  return unusable('The database URL cannot be read: postgres://user:password@host:5432/name');
}

function unusable(message: string): StoreError {
  return new StoreError('DATABASE_UNUSABLE', message);
}

/** Counts, versions and points in time are safe integers. Other code of this process keeps pg's own parsers. */
function getTypeParser(type: number, format?: 'text' | 'binary') {
  if (type === int8) return Number;
  return format === undefined
    ? pg.types.getTypeParser(type)
    : pg.types.getTypeParser(type, format as 'text');
}
