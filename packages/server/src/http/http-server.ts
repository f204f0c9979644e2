/** Node's server around the app: limits for headers and times, and JSON where Node answers without Koa. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { checkTarget } from '@dowel/http';
import { assertCount, assertMilliseconds } from '@dowel/schema';
import { assertNames, givenOf } from '../base/option-shapes.ts';
import { type Log, silentLog } from '../log/log.ts';
import { createAnswerHeaders } from './answer-headers.ts';
import { type ConnectionLimits, limitConnections } from './connection-limit.ts';
import { closeLingering } from './lingering-close.ts';
import { answer, createRawAnswers } from './raw-answer.ts';

const statusByErrorCode: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};

export interface ServerLimits extends ConnectionLimits {
  /** The time for all headers of a request. */
  headersTimeoutMs: number;
  /** The time for the whole request, including its body. */
  requestTimeoutMs: number;
  /** How long a connection may wait for its next request. */
  keepAliveTimeoutMs: number;
  requestsPerConnection: number;
}

/**
 * A balancer often keeps connections for 60 s. It must be the first to close them, so ours stay longer. 1,000
 * per address: enough for an office behind one address, and ten hosts do not fill the server.
 */
export const defaultLimits: ServerLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  keepAliveTimeoutMs: 65_000,
  requestsPerConnection: 1_000,
  maxConnections: 10_000,
  connectionsPerAddress: 1_000,
};

/** Options that can be set only when a server is created: `http.createServer(httpServerOptions, …)`. */
export const httpServerOptions = {
  // These override command-line options of Node.
  insecureHTTPParser: false,
  maxHeaderSize: 16_384,
  // Node's own refusal has no body. checkTarget refuses with one.
  requireHostHeader: false,
  connectionsCheckingInterval: 2_000,
} as const;

interface ServerSetup {
  limits?: Partial<ServerLimits> | undefined;
  /** Headers of the answers that the app does not give. */
  headers: Record<string, string>;
  logger: Pick<Log, 'info' | 'warn'>;
}

/** A host's own server counts no requests of a connection. */
type HostLimits = Omit<ServerLimits, 'requestsPerConnection'>;

export interface HttpServerOptions {
  /**
   * Times, and numbers of connections. Default: those of the server of `start()`, but `connectionsPerAddress` is
   * Infinity. The options of `createServer` and the variables `DOWEL_…` do not apply here.
   */
  limits?: Partial<HostLimits>;
  /** Logs connections over a limit, and requests that Node refuses. Default: neither is logged. */
  log?: Pick<Log, 'info' | 'warn'>;
}

/**
 * Hosts mostly stand behind a proxy, whose connections all have one address. A limit for each address would refuse
 * the whole site.
 */
const hostLimits: HostLimits = {
  headersTimeoutMs: defaultLimits.headersTimeoutMs,
  requestTimeoutMs: defaultLimits.requestTimeoutMs,
  keepAliveTimeoutMs: defaultLimits.keepAliveTimeoutMs,
  maxConnections: defaultLimits.maxConnections,
  connectionsPerAddress: Infinity,
};

/**
 * Gives the HTTP server of a host framework the time-outs of our own, a limit of 10,000 connections, and JSON for
 * requests that Node refuses by itself (400, 408, 413, 417, 431). Connections over the limit are closed. One address
 * has no limit of its own: without a proxy in front, set `limits.connectionsPerAddress`. Call it before the server
 * listens.
 *
 * @example
 * const host = createHttpServer(httpServerOptions, app);
 * configureHttpServer(host);
 *
 * @param options `limits.headersTimeoutMs` and the like, and `log`, such as `server.log`.
 * @throws TypeError for an option that is not known, and for a limit that is no number of its kind.
 */
export function configureHttpServer(server: Server, options: HttpServerOptions = {}): void {
  const limits = readHostLimits(options);
  server.headersTimeout = limits.headersTimeoutMs;
  server.requestTimeout = limits.requestTimeoutMs;
  server.keepAliveTimeout = limits.keepAliveTimeoutMs;
  configure(server, { limits, headers: createAnswerHeaders(''), logger: options.log ?? silentLog });
}

function readHostLimits(options: HttpServerOptions): HostLimits {
  assertNames('', options, { limits: true, log: true }, 'configureHttpServer');
  assertNames('limits.', options.limits, hostLimits, 'configureHttpServer');
  const limits = { ...hostLimits, ...givenOf(options.limits) };
  for (const name of ['headersTimeoutMs', 'requestTimeoutMs', 'keepAliveTimeoutMs'] as const) {
    assertMilliseconds(limits[name], `limits.${name}`);
  }
  for (const name of ['maxConnections', 'connectionsPerAddress'] as const) {
    if (limits[name] !== Infinity) assertCount(limits[name], `limits.${name}`);
  }
  return limits;
}

/** Creates the server of `start()`, which does not listen yet. */
export function createHttpServer(listener: RequestListener, setup: ServerSetup): Server {
  const limits = { ...defaultLimits, ...givenOf(setup.limits) };
  const isLate = createRequestCounter(limits.requestsPerConnection);
  const server = createServer(nodeOptions(limits), (request, response) => {
    if (isLate(request, response)) return;
    const problem = checkTarget(request);
    if (!problem) return listener(request, response);
    setup.logger.info({ status: 400, reason: problem.reason }, 'connection.refused');
    answer(response, 400, setup.headers, { message: problem.message });
  });
  configure(server, { ...setup, limits });
  return server;
}

function configure(
  server: Server,
  { limits, headers, logger }: Omit<ServerSetup, 'limits'> & { limits: ConnectionLimits },
): void {
  const report: Report = (status, reason) => logger.info({ status, reason }, 'connection.refused');
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    report(417, 'expectation');
    answer(response, 417, headers);
  });
  limitConnections(server, limits, (refused) => logger.warn(refused, 'connections.limited'));
  server.on('connection', (socket) => {
    // Node calls it after a connection's last answer.
    socket.destroySoon = () => closeLingering(socket);
  });
  answerUnreadable(server, headers, report);
}

type Report = (status: number, reason: string | undefined) => void;

function nodeOptions({ headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs }: ServerLimits) {
  return {
    ...httpServerOptions,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(2_000, headersTimeoutMs),
  };
}

/** True: the request is ignored, because its connection is ending and no answer could be sent. */
function createRequestCounter(maxRequests: number) {
  const received = new WeakMap<Duplex, number>();
  return ({ socket }: IncomingMessage, response: ServerResponse): boolean => {
    const count = (received.get(socket) ?? 0) + 1;
    received.set(socket, count);
    // Node's own limit sends answers without body and headers.
    if (count === maxRequests) response.shouldKeepAlive = false;
    return count > maxRequests || !socket.writable;
  };
}

function answerUnreadable(server: Server, headers: Record<string, string>, report: Report): void {
  const endConnection = createRawAnswers(server, headers);
  server.on('connect', (_request, socket) => {
    if (endConnection(socket, 405)) report(405, 'tunnel');
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const status = statusByErrorCode[error.code ?? ''] ?? 400;
    if (endConnection(socket, status)) report(status, error.code);
  });
}

/** @returns the port. @throws the listen error (`EADDRINUSE`, `EACCES`, …). */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
