/** How the server stops: threat P1. */
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createHttpServer, shutDown } from './http-server.ts';

/** Longer than any test: connections must end without it. */
const graceMs = 3_600_000;

const options = { headers: {}, logger: { info() {}, warn() {} } };

async function connectTo(server: Server): Promise<Socket> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1');
}

test('P1: a stop closes each connection as soon as its answer is complete', async () => {
  const answering = Promise.withResolvers<ServerResponse>();
  const server = createHttpServer((_request, response) => {
    response.write('begun');
    answering.resolve(response);
  }, options);
  server.keepAliveTimeout = 0;
  const socket = await connectTo(server);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const response = await answering.promise;

  const stopped = shutDown(server, graceMs);
  response.end('and ended');
  let text = '';
  for await (const piece of socket) text += piece;
  await stopped;

  expect(text).toMatch(/^HTTP\/1\.1 200 .*begun.*and ended\r\n0\r\n\r\n$/s);
});

test.each([
  ['says nothing', ''],
  ['has not said all that it asks for', 'GET / HTTP/1.1\r\nHost:'],
])('P1: a stop waits for no connection that %s', async (_, bytes) => {
  const server = createHttpServer(() => undefined, options);
  const accepted = once(server, 'connection');
  const socket = await connectTo(server);
  socket.on('error', () => undefined).write(bytes);
  await accepted;

  await shutDown(server, graceMs);

  if (!socket.closed) await once(socket.resume(), 'close');
});

test('A16: a connection ends with the answer to its last request, even if more are pipelined', async () => {
  let handled = 0;
  const server = createHttpServer(
    (_request, response) => {
      handled += 1;
      response.end();
    },
    { ...options, limits: { requestsPerConnection: 3 } },
  );
  const socket = await connectTo(server);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(10));
  let text = '';
  for await (const piece of socket) text += piece;
  server.close();

  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(Array(3).fill('HTTP/1.1 200'));
  expect(text.match(/Connection: [\w-]+/g)?.at(-1)).toBe('Connection: close');
  expect(handled).toBe(3);
});
