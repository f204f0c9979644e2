/** Node's server around the app: bounded headers and times, and JSON even where Koa never comes. */
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';

const statusByErrorCode: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};

export interface ServerLimits {
  /** For all of a request's headers. */
  headersTimeoutMs: number;
  /** For the whole request, its body included. */
  requestTimeoutMs: number;
  maxConnections: number;
}

const defaultLimits: ServerLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  maxConnections: 10_000,
};

export function createHttpServer(
  listener: RequestListener,
  { headersTimeoutMs, requestTimeoutMs, maxConnections } = defaultLimits,
): Server {
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(2_000, headersTimeoutMs),
      // Node's own refusal has no body; ours below has.
      requireHostHeader: false,
    },
    (request, response) => {
      const lacksHost = request.headers.host === undefined && request.httpVersion === '1.1';
      return lacksHost ? answer(response, 400) : listener(request, response);
    },
  );
  server.on('checkExpectation', (_request, response: ServerResponse) => answer(response, 417));
  server.maxConnections = maxConnections;
  server.maxRequestsPerSocket = 1_000;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const status = statusByErrorCode[error.code ?? ''] ?? 400;
    const body = bodyOf(status);
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      // A sender that never closes its side would keep the socket for ever.
      () => socket.destroy(),
    );
  });
  return server;
}

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(bodyOf(status));
}

function bodyOf(status: number): string {
  return JSON.stringify({ code: status, message: STATUS_CODES[status] });
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

/** Lets requests in flight end, up to `graceMs`; long-lived streams do not hold it up. */
export async function shutDown(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}
