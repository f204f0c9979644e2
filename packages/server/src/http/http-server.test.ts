/** Connections that are kept, and how they end: threats P1 and A16. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { configureHttpServer, createHttpServer } from './http-server.ts';

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const options = { headers: {}, logger: { info() {}, warn() {} } };

async function connectTo(server: Server, allowHalfOpen = false): Promise<Socket> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return connect({ port, host: '127.0.0.1', allowHalfOpen }).setEncoding('latin1');
}

test('a limit that is undefined counts as left out', () => {
  const limits: object = { keepAliveTimeoutMs: undefined, requestTimeoutMs: undefined };
  const host = createServer();

  configureHttpServer(host, { limits });

  for (const server of [host, createHttpServer(() => {}, { ...options, limits })]) {
    expect([server.keepAliveTimeout, server.requestTimeout]).toEqual([65_000, 15_000]);
  }
});

test.each<[string, object, string]>([
  ['a name of createServer', { limits: { connections: 1 } }, 'has no option limits.connections'],
  ['a limit beside limits', { maxConnections: 1 }, 'configureHttpServer has no option maxConn'],
  ['a number that is none', { limits: { maxConnections: Number.NaN } }, 'limits.maxConnections'],
  ['a time that no timer can wait', { limits: { requestTimeoutMs: Infinity } }, 'limits.request'],
])('a host that gives %s learns of it at once', (_, given, message) => {
  const configure = () => configureHttpServer(createServer(), given);

  expect(configure).toThrow(TypeError);
  expect(configure).toThrow(message);
});

test('P1: a connection may wait for its next request for longer than the headers of one may take', async () => {
  const server = createHttpServer((_request, response) => void response.end(), {
    ...options,
    limits: { headersTimeoutMs: 50, requestTimeoutMs: 50 },
  });
  // Only while the connection waits: on a busy machine a request may take longer.
  const limitRequests = (ms: number) => {
    server.headersTimeout = ms;
    server.requestTimeout = ms;
  };
  limitRequests(120_000);
  const socket = await connectTo(server);
  socket.write(request);
  await once(socket, 'data');

  limitRequests(50);
  // Node looks at the connections every 50 ms.
  for (let looks = 0; looks < 6; looks += 1) await sleep(50);
  limitRequests(120_000);
  socket.write(request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  let text = '';
  for await (const piece of socket) text += piece;
  server.close();

  expect(text).toMatch(/^HTTP\/1\.1 200 /);
});

test('P1: a request on a connection that the server has ended is not carried out', async () => {
  let handled = 0;
  const server = createHttpServer((_request, response) => {
    handled += 1;
    response.end();
  }, options);
  const accepted = once(server, 'connection');
  const socket = await connectTo(server, true);
  const [ours] = (await accepted) as [Socket];
  ours.end();
  await once(socket.resume(), 'end');

  socket.write(request);
  await vi.waitUntil(() => ours.bytesRead === request.length, 120_000);
  socket.destroy();
  await once(ours, 'close');
  server.close();

  expect(handled).toBe(0);
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
  socket.write(request.repeat(10));
  let text = '';
  for await (const piece of socket) text += piece;
  server.close();

  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(Array(3).fill('HTTP/1.1 200'));
  expect(text.match(/Connection: [\w-]+/g)?.at(-1)).toBe('Connection: close');
  expect(handled).toBe(3);
});
