/**
 * Stops an HTTP server without breaking a call of a client that keeps its connections (docs/decisions/0033).
 * `http.Server.close()` ends idle connections at once, also one on which a request is just arriving.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { keepWhileOpen } from './keep-while-open.ts';

export interface DrainTimes {
  /**
   * How long new connections are accepted, in milliseconds. Longer than a load balancer needs to stop sending
   * new connections. With 0, no client is expected to send any more: idle connections end at once.
   */
  listenMs: number;
  /** How long requests may take after that, in milliseconds. Then their connections are cut. */
  graceMs: number;
}

interface Connection {
  underWay: ServerResponse[];
  /** Since when nothing has arrived and no answer was due. */
  idleSince: number;
  bytesRead: number;
  endedAt?: number;
}

interface Watched {
  connections: Map<Socket, Connection>;
  isDraining: boolean;
  /** When the last connection was accepted. */
  acceptedAt: number;
}

/** The listener closes when no connection or request has come for this long … */
const quietMs = 100;
/** … but after this time in any case. */
const maxAddedMs = 1_000;
const lookMs = 5;
const sweepMs = 25;
/** A client that already has a request sends it within this time. */
const idleMs = 1_000;
/** How long a client may take to close its side of an idle connection. */
const closeMs = 250;

/**
 * Watches the connections of a server, from before it listens.
 *
 * @example
 * const drain = createDrain(server);
 * await drain({ listenMs: 500, graceMs: 12_000 }); // no connection is left
 *
 * @returns drains the server: each answer has `Connection: close` from then on. Resolves when no connection
 *   is left. Call it once.
 */
export function createDrain(server: Server): (times: DrainTimes) => Promise<void> {
  const watched: Watched = { connections: new Map(), isDraining: false, acceptedAt: 0 };
  server.prependListener('connection', (socket: Socket) => addConnection(watched, socket));
  server.prependListener('request', (request, response) => follow(watched, request, response));
  return (times) => drain(server, watched, times);
}

function addConnection(watched: Watched, socket: Socket): void {
  const { connections } = watched;
  watched.acceptedAt = performance.now();
  connections.set(socket, { underWay: [], idleSince: watched.acceptedAt, bytesRead: 0 });
  socket.once('close', () => connections.delete(socket));
}

function follow(
  { connections, isDraining }: Watched,
  { socket }: IncomingMessage,
  response: ServerResponse,
): void {
  // control P1
  if (isDraining) response.shouldKeepAlive = false;
  const connection = connections.get(socket);
  if (!connection) return;
  keepWhileOpen(connection.underWay, response, () => {
    connection.idleSince = performance.now();
  });
}

async function drain(
  server: Server,
  watched: Watched,
  { listenMs, graceMs }: DrainTimes,
): Promise<void> {
  const { connections } = watched;
  watched.isDraining = true;
  for (const { underWay } of connections.values()) closeAfterLast(underWay);
  await sleep(listenMs);
  await waitForQuiet(watched);
  // The listener alone: `http.Server.close()` would end idle connections, too.
  TcpServer.prototype.close.call(server);
  const closedAt = performance.now();
  const maxIdleMs = listenMs > 0 ? idleMs : 0;
  while (connections.size > 0) {
    await sleep(sweepMs);
    await readWhatHasArrived();
    if (performance.now() - closedAt > graceMs) server.closeAllConnections();
    else for (const each of connections) endIfIdle(each, closedAt, maxIdleMs);
  }
  // Ends Node's own timer of the server.
  server.close();
}

/**
 * Waits until nothing has been accepted for a moment, or for a second. Closing the listener resets the connections
 * that the kernel has not handed over, and Node takes one in each turn of the event loop.
 */
export async function waitForQuiet(watched: { readonly acceptedAt: number }): Promise<void> {
  const deadline = performance.now() + maxAddedMs;
  for (;;) {
    await readWhatHasArrived();
    const now = performance.now();
    if (now - watched.acceptedAt >= quietMs || now >= deadline) return;
    await sleep(lookMs);
  }
}

/** The event loop reads its sockets between these two turns. */
async function readWhatHasArrived(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** An answer before the last one must not close the connection. */
function closeAfterLast(underWay: readonly ServerResponse[]): void {
  const last = underWay.at(-1);
  if (last && !last.headersSent) last.shouldKeepAlive = false;
}

function endIfIdle(
  [socket, connection]: [Socket, Connection],
  closedAt: number,
  maxIdleMs: number,
): void {
  const now = performance.now();
  if (connection.endedAt !== undefined) {
    if (now - connection.endedAt > closeMs) socket.destroy();
    return;
  }
  if (connection.underWay.length > 0 || !socket.writable) return;
  if (socket.bytesRead !== connection.bytesRead) {
    connection.bytesRead = socket.bytesRead;
    connection.idleSince = now;
  }
  // The second limit is for a request that does not arrive as a whole.
  if (now - connection.idleSince < maxIdleMs && now - closedAt < maxIdleMs) return;
  connection.endedAt = now;
  socket.end();
}
