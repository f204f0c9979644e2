/** Errors that no route can answer: row F09. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa, { type Context } from 'koa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answerFaults } from './answer-errors.ts';
import { createAnswerHeaders } from './answer-headers.ts';

const headers = createAnswerHeaders('https://plugin.example');
let app: Koa;
let server: Server;
let url: string;
let faults: unknown[];

beforeEach(async () => {
  faults = [];
  app = new Koa();
  app.on('error', (fault) => faults.push(fault));
  answerFaults(app, headers);
  server = createServer((request, response) => app.callback()(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

test.each([
  [
    'throws outside of all routes',
    () => {
      throw new Error('s3cret');
    },
  ],
  [
    'has an answer that cannot be written',
    (ctx: Context) => {
      ctx.set({ 'X-Half': 'done', 'Content-Length': '3' });
      ctx.body = { amount: 1n };
    },
  ],
])('F09: a request that %s is answered 500 in JSON with all headers', async (_, middleware) => {
  app.use(middleware);

  const answer = await fetch(url);

  expect(answer.status).toBe(500);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await answer.json()).toEqual({ code: 'INTERNAL_ERROR', message: 'Something went wrong' });
  for (const [name, value] of Object.entries(headers)) {
    expect([name, answer.headers.get(name)]).toEqual([name, value]);
  }
  expect(answer.headers.get('x-half')).toBeNull();
  expect(faults).toHaveLength(1);
});

test('F09: an answer that has begun is aborted and not started again', async () => {
  app.use((ctx) => {
    ctx.res.writeHead(200, { 'Content-Type': 'text/plain' });
    ctx.res.write('begun');
    throw new Error('too late');
  });

  const answer = await fetch(url);

  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow();
  expect(faults).toHaveLength(1);
});
