/** Passes a WebSocket on to the author's back end: the bytes of both sides, as they come. */
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BackEnd } from '../back-end/back-end.ts';

/** A browser tries again by itself, if the page does. */
const patienceMs = 10_000;

/** Waits while the back end starts. Ends the connection if it does not run. Never rejects. */
export async function forwardUpgrade(
  backEnd: Pick<BackEnd, 'port'>,
  request: IncomingMessage,
  { socket, head }: { socket: Duplex; head: Buffer },
): Promise<void> {
  socket.on('error', () => {});
  const port = await backEnd.port(AbortSignal.timeout(patienceMs));
  if (port === undefined || socket.destroyed) {
    socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n');
    return;
  }
  const onward = connect({ port, host: 'localhost' });
  onward.write(formatHead(request));
  onward.write(head);
  // Either side may break off.
  await Promise.allSettled([pipeline(socket, onward), pipeline(onward, socket)]);
}

function formatHead({ method, url, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : [],
  );
  return [`${method} ${url} HTTP/1.1`, ...lines, '', ''].join('\r\n');
}
