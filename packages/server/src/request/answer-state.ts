/**
 * The state of an answer on HTTP/1 and HTTP/2. Over HTTP/2, `closed` does not exist, and `socket.writable` is false for
 * HEAD and during an answer to it: it is the state of the stream, which has no body to send.
 */
import type { ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';

/** Undefined over HTTP/1. */
export function streamOf(response: ServerResponse): ServerHttp2Stream | undefined {
  return (response as { stream?: ServerHttp2Stream }).stream;
}

/** Whether the answer has ended, or its client has left. Then no `close` follows. */
export function isClosed(response: ServerResponse): boolean {
  return streamOf(response)?.destroyed ?? response.closed;
}

/** Whether a client still waits for the answer. False also if an answer before this one ended the connection. */
export function hasReader(response: ServerResponse): boolean {
  const isEnding = !streamOf(response) && response.socket?.writable === false;
  return !isClosed(response) && !isEnding;
}
