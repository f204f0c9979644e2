/**
 * Ends a connection so that its sender can still read the last answer. Closing a socket that has unread
 * bytes resets the connection, and the sender may lose the answer (RFC 9112 §9.6). So our side ends
 * first, and bytes that still arrive are discarded: at most 256 KB, for at most a second.
 */
import type { ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';

const lingerMs = 1_000;
const maxLingerBytes = 262_144;

/** Ends the connection when everything that was written to it is sent. */
export function closeLingering(socket: Duplex): void {
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > maxLingerBytes) socket.pause();
  });
  socket.end(() => {
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  });
}

/**
 * Ends a stream of HTTP/2 some time after its answer, also if its client goes on sending a body: the answer would count
 * as under way. Clients may drop an answer that they have not read when their stream is reset.
 */
export function closeStreamLingering(stream: ServerHttp2Stream): void {
  stream.once('finish', () => {
    const timer = setTimeout(() => stream.destroy(), lingerMs);
    stream.once('close', () => clearTimeout(timer));
  });
}
