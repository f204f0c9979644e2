/** How a server stops: threat P1. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createDrain } from './drain-server.ts';

/** Longer than any test: connections must end without it. */
const graceMs = 3_600_000;
const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

async function start(listener: RequestListener) {
  const server = createServer({ keepAliveTimeout: graceMs }, listener);
  const drain = createDrain(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, drain };
}

/** A client that keeps its connection, and what it has received. */
function connectTo(server: Server) {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1');
  const received = { text: '' };
  socket.on('data', (text) => {
    received.text += text;
  });
  const closed = once(socket, 'close');
  return {
    socket,
    received,
    closed,
    async ask() {
      socket.write(request);
      await once(socket, 'data');
    },
  };
}

const answers = (text: string) => text.match(/HTTP\/1\.1 200|Connection: [\w-]+/g);
const kept = ['HTTP/1.1 200', 'Connection: keep-alive'];
const last = ['HTTP/1.1 200', 'Connection: close'];

test('P1: while it stops, a server accepts connections and closes each after one answer', async () => {
  const { server, drain } = await start((_request, response) => void response.end());
  const former = connectTo(server);
  await former.ask();

  const drained = drain({ listenMs: 2_000, graceMs });
  const late = connectTo(server);
  await Promise.all([former.ask(), late.ask()]);
  await drained;

  expect(answers(former.received.text)).toEqual([...kept, ...last]);
  expect(answers(late.received.text)).toEqual(last);
  expect(server.listening).toBe(false);
});

test('P1: the listener stays open for its time, also when nobody connects', async () => {
  const { server, drain } = await start((_request, response) => void response.end());

  const drained = drain({ listenMs: 2_000, graceMs });
  // Longer than it takes to see that nobody connects. On a busy machine, too, the earlier timer fires first.
  await sleep(1_300);
  const isListening = server.listening;
  await drained;

  expect(isListening).toBe(true);
  expect(server.listening).toBe(false);
});

test('P1: a kept connection is answered after the listener has closed', async () => {
  const { server, drain } = await start((_request, response) => void response.end());
  const client = connectTo(server);
  await client.ask();

  const drained = drain({ listenMs: 1, graceMs });
  await expect.poll(() => server.listening).toBe(false);
  await client.ask();
  await drained;

  expect(answers(client.received.text)).toEqual([...kept, ...last]);
});

test('P1: answers under way are completed, and the last one of a connection closes it', async () => {
  const responses: ServerResponse[] = [];
  const { server, drain } = await start((_request, response) => void responses.push(response));
  const client = connectTo(server);
  client.socket.write(request.repeat(2));
  await expect.poll(() => responses.length).toBe(2);

  const drained = drain({ listenMs: 0, graceMs });
  // Longer than a connection may be idle.
  await sleep(1_300);
  for (const response of responses) response.end();
  await drained;

  expect(answers(client.received.text)).toEqual([...kept, ...last]);
});

test('P1: a connection whose answer began before the stop ends after it', async () => {
  const begun = Promise.withResolvers<ServerResponse>();
  const { server, drain } = await start((_request, response) => {
    response.write('begun');
    begun.resolve(response);
  });
  const client = connectTo(server);
  client.socket.write(request);
  const response = await begun.promise;

  const drained = drain({ listenMs: 0, graceMs });
  response.end('and ended');
  await drained;

  expect(client.received.text).toMatch(/begun.*and ended\r\n0\r\n\r\n$/s);
});

test('an idle connection ends at once when nobody is expected to send any more', async () => {
  const ended = [1, 0].map(async (listenMs) => {
    const { server, drain } = await start((_request, response) => void response.end());
    await connectTo(server).ask();
    await drain({ listenMs, graceMs });
    return listenMs;
  });

  expect(await Promise.race(ended)).toBe(0);

  await Promise.all(ended);
});

test.each([
  ['says nothing', ''],
  ['has not said all that it asks for', 'GET / HTTP/1.1\r\nHost:'],
])('P1: a stop waits for no connection that %s', async (_, bytes) => {
  const { server, drain } = await start(() => undefined);
  const accepted = once(server, 'connection');
  const client = connectTo(server);
  client.socket.write(bytes);
  await accepted;

  await drain({ listenMs: 0, graceMs });

  await client.closed;
});

test('P1: a stop waits for no request that arrives byte by byte', async () => {
  const { server, drain } = await start(() => undefined);
  const accepted = once(server, 'connection');
  const client = connectTo(server);
  client.socket.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: ');
  const writing = setInterval(() => client.socket.write('x'), 50);
  await accepted;

  await drain({ listenMs: 0, graceMs });

  clearInterval(writing);
  await client.closed;
});

test('P1: a stop waits for no client that keeps its side of the connection open', async () => {
  const { server, drain } = await start((_request, response) => void response.end());
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.write(request);
  await once(socket, 'data');

  await drain({ listenMs: 0, graceMs });

  socket.destroy();
});

test('P1: a request that has arrived is read before its idle connection is ended', async () => {
  const { server, drain } = await start((_request, response) => void response.end());
  const client = connectTo(server);
  await client.ask();
  await sleep(1_100);

  const drained = drain({ listenMs: 1, graceMs });
  await sleep(10);
  client.socket.write(request);
  // The timer that looks for idle connections is due before the request is read.
  blockEventLoop(60);
  await drained;

  expect(answers(client.received.text)).toEqual([...kept, ...last]);
});

test('P1: connections that the kernel still holds are accepted before the listener closes', async () => {
  const { server, drain } = await start((_request, response) => void response.end());

  const drained = drain({ listenMs: 50, graceMs });
  const clients = Array.from({ length: 12 }, () => connectTo(server));
  for (const { socket } of clients) socket.write(request);
  // All of them have connected, and the time for accepting them is over.
  blockEventLoop(100);
  await drained;

  for (const { received } of clients) expect(answers(received.text)).toEqual(last);
});

test('P1: requests that take longer than the grace are cut off', async () => {
  const reached = Promise.withResolvers<void>();
  const { server, drain } = await start(() => reached.resolve());
  const client = connectTo(server);
  client.socket.write(request);
  await reached.promise;

  await drain({ listenMs: 0, graceMs: 50 });

  await client.closed;
  expect(client.received.text).toBe('');
});

function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
