/** Answers to bytes that Node's parser cannot read as a request. They never replace another answer. */
import type { Server, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { keepWhileOpen } from '@dowel/http';
import type { ApiErrorCode } from '../base/errors.ts';
import { closeLingering } from './lingering-close.ts';

/**
 * @param headers of every such answer
 * @returns a function that ends a connection with a status, after the answers that are still due. If one
 *   of them has begun and may never end, the connection is destroyed. It returns false if the connection
 *   is already ending.
 */
export function createRawAnswers(server: Server, headers: Record<string, string>) {
  const unfinished = new WeakMap<Duplex, ServerResponse[]>();
  const ending = new WeakSet<Duplex>();

  function track(socket: Duplex, response: ServerResponse): void {
    const ofSocket = unfinished.get(socket) ?? [];
    unfinished.set(socket, ofSocket);
    keepWhileOpen(ofSocket, response);
  }
  server.prependListener('request', (request, response) => track(request.socket, response));
  server.prependListener('checkExpectation', (request, response) =>
    track(request.socket, response),
  );

  return function endConnection(socket: Duplex, status: number): boolean {
    // Each further piece of malformed bytes arrives here, too.
    if (ending.has(socket)) return false;
    ending.add(socket);
    // Node may have removed its own listener. Without one, a reset by the sender would end the
    // process.
    socket.on('error', () => socket.destroy());
    const answers = unfinished.get(socket) ?? [];
    if (answers.some(({ headersSent }) => headersSent)) {
      socket.destroy();
      return true;
    }
    // An incomplete request is the malformed one: its body is wrong.
    const before = answers.findLast(({ req }) => req.complete);
    if (before) before.once('close', () => write(socket, status, headers));
    else write(socket, status, headers);
    return true;
  };
}

function write(socket: Duplex, status: number, headers: Record<string, string>): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = bodyOf(status, STATUS_CODES[status]);
  const sent = { ...headersOf(body, headers), Connection: 'close' };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  closeLingering(socket);
}

/** An answer that the app does not give. The code is the status, as on the event URLs, unless one is given. */
export function answer(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  { message, code = status }: { message?: string; code?: number | ApiErrorCode } = {},
): void {
  const body = bodyOf(code, message ?? STATUS_CODES[status]);
  // Not by a header, which Node warns of over HTTP/2.
  response.shouldKeepAlive = false;
  response.writeHead(status, headersOf(body, headers)).end(body);
}

function headersOf(body: string, headers: Record<string, string>): Record<string, string> {
  return {
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
  };
}

function bodyOf(code: number | string, message: string | undefined): string {
  return JSON.stringify({ code, message });
}
