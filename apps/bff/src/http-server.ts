/** Node's server around the app: limits for headers and times, and JSON where Node answers without Koa. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { checkTarget } from '@dowel/http';
import type { Logger } from 'pino';
import { type ConnectionLimits, limitConnections } from './connection-limit.ts';
import { closeLingering } from './lingering-close.ts';
import { answer, createRawAnswers } from './raw-answer.ts';

const statusByErrorCode: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};

export interface ServerLimits extends ConnectionLimits {
  /** For all of a request's headers. */
  headersTimeoutMs: number;
  /** For the whole request, its body included. */
  requestTimeoutMs: number;
  requestsPerConnection: number;
}

/** 1,000 per address: enough for an office behind one address, and ten hosts do not fill the server. */
export const defaultLimits: ServerLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  requestsPerConnection: 1_000,
  maxConnections: 10_000,
  connectionsPerAddress: 1_000,
};

const idleCheckMs = 50;

export interface HttpServerOptions {
  limits?: Partial<ServerLimits> | undefined;
  /** Headers of the answers that the app does not give. */
  headers: Record<string, string>;
  logger: Pick<Logger, 'info' | 'warn'>;
}

export function createHttpServer(
  listener: RequestListener,
  { limits, headers, logger }: HttpServerOptions,
): Server {
  const { headersTimeoutMs, requestTimeoutMs, requestsPerConnection, ...connections } = {
    ...defaultLimits,
    ...limits,
  };
  const received = new WeakMap<Duplex, number>();
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(2_000, headersTimeoutMs),
      // These override the options that Node is started with.
      insecureHTTPParser: false,
      maxHeaderSize: 16_384,
      // Node's own refusal has no body. checkTarget refuses with one.
      requireHostHeader: false,
    },
    (request, response) => {
      const count = (received.get(request.socket) ?? 0) + 1;
      received.set(request.socket, count);
      // After the last answer, requests are ignored. Node's own limit sends answers without body
      // and headers.
      if (count > requestsPerConnection) return;
      if (count === requestsPerConnection) response.shouldKeepAlive = false;
      const problem = checkTarget(request);
      if (!problem) return listener(request, response);
      const { reason, message } = problem;
      report(400, reason);
      return answer(response, 400, headers, message);
    },
  );
  const report = (status: number, reason: string | undefined) =>
    logger.info({ status, reason }, 'connection.refused');
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    report(417, 'expectation');
    answer(response, 417, headers);
  });
  limitConnections(server, connections, (refused) => logger.warn(refused, 'connections.limited'));
  endUnusedWhenStopping(server);
  server.on('connection', (socket) => {
    // Node calls it after a connection's last answer.
    socket.destroySoon = () => closeLingering(socket);
  });
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
  return server;
}

/** @throws the listen error (`EADDRINUSE`, `EACCES`, …). */
export function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** This event of the server closes connections whose first request has not arrived. */
const stopping = 'stopping';

function endUnusedWhenStopping(server: Server): void {
  const unused = new Set<Duplex>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));
  server.on(stopping, () => {
    for (const socket of unused) socket.destroy();
  });
}

/** Waits up to `graceMs` for requests in flight; does not wait for idle connections. */
export async function shutDown(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.emit(stopping);
  // A connection becomes idle when its answer is complete.
  const sweep = setInterval(() => server.closeIdleConnections(), idleCheckMs);
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(timer);
}
