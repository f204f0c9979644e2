/** The body of a request, however its bytes arrive. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import Koa from 'koa';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ApiError } from '../base/errors.ts';
import { silentLog } from '../log/log.ts';
import { closeHost, listenOnLoopback } from '../testing/loopback.ts';
import { requestOf } from './server-exchange.ts';

const maxBytes = 10;
let server: Server;
let port: number;
/** Resolves when the headers of the next request have arrived. */
let arrived: PromiseWithResolvers<void>;
let requests: IncomingMessage[];

beforeAll(async () => {
  const app = new Koa();
  app.use(async (ctx) => {
    requests.push(ctx.req);
    arrived.resolve();
    try {
      ctx.body = `read:${new TextDecoder().decode(await requestOf(ctx, silentLog).body(maxBytes))}.`;
    } catch (error) {
      ctx.body = error instanceof ApiError ? `${error.code}.` : 'unknown.';
    }
  });
  server = createServer(app.callback());
  port = Number(new URL(await listenOnLoopback(server)).port);
});

afterAll(() => closeHost(server));

beforeEach(() => {
  arrived = Promise.withResolvers();
  requests = [];
});

const post = (...headers: string[]) =>
  ['POST / HTTP/1.1', 'Host: localhost', ...headers, '', ''].join('\r\n');

/** @returns the answer's body, which ends with a point */
async function readAnswer(socket: Socket): Promise<string> {
  let text = '';
  while (!text.endsWith('.')) text += String((await once(socket, 'data'))[0]);
  return text.slice(text.indexOf('\r\n\r\n') + 4);
}

test.each([
  ['with its headers', [post('Content-Length: 5'), 'hello'], 'read:hello.'],
  ['without a byte', [post('Content-Length: 0')], 'read:.'],
  [
    'in chunks',
    [post('Transfer-Encoding: chunked'), '2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n'],
    'read:hello.',
  ],
  ['with one byte too many', [post('Content-Length: 11'), 'hello world'], 'BODY_TOO_LARGE.'],
])('a body that comes %s', async (_, parts, answer) => {
  const socket = connect(port, '127.0.0.1');

  socket.write(parts.join(''));

  expect(await readAnswer(socket)).toBe(answer);
  socket.destroy();
});

test.each([
  ['after its headers', '', 'hello'],
  ['in two parts', 'he', 'llo'],
])('a body that comes %s', async (_, first, rest) => {
  const socket = connect(port, '127.0.0.1');

  socket.write(post('Content-Length: 5') + first);
  await arrived.promise;
  socket.write(rest);

  expect(await readAnswer(socket)).toBe('read:hello.');
  socket.destroy();
});

test('each request of a connection is read, and ends', async () => {
  const socket = connect(port, '127.0.0.1');

  for (const body of ['one', 'two', 'six']) {
    socket.write(post('Content-Length: 3') + body);
    expect(await readAnswer(socket)).toBe(`read:${body}.`);
    expect(requests.at(-1)?.readableEnded).toBe(true);
  }
  socket.destroy();
});

test('a body that the host’s parser has read, and that is nested too deeply, is a bad request', async () => {
  let deep: unknown = [];
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  const app = new Koa();
  const codes: string[] = [];
  app.use(async (ctx) => {
    await buffer(ctx.req);
    Object.assign(ctx.req, { body: deep });
    const error: unknown = await requestOf(ctx, silentLog)
      .body(1_000)
      .catch((caught) => caught);
    codes.push(error instanceof ApiError ? error.code : String(error));
    ctx.status = 204;
  });
  const host = createServer(app.callback());
  const url = await listenOnLoopback(host);

  await fetch(url, { method: 'POST', body: '[]' });

  expect(codes).toEqual(['BAD_REQUEST']);
  await closeHost(host);
});
