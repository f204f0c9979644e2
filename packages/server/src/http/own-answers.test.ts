/** What a route of the plug-in answers is what arrives. */
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ServerWorld, startServerWorld } from '../testing/server-world.ts';
import type { RouteAnswer } from './own-routes.ts';

let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

async function ask(answer: () => RouteAnswer): Promise<Response> {
  const server = world.create({ publicRoutes: (router) => router.get('/file', answer) });
  const { url } = await server.start();
  return fetch(`${url}/file`);
}

const saved = {
  'cache-control': 'public, max-age=86400',
  'content-type': 'application/pdf',
  etag: '"1"',
};

function lockedStream(): ReadableStream {
  const { body } = new Response('Hi');
  body?.getReader();
  return body as ReadableStream;
}

test.each<[string, () => RouteAnswer]>([
  ['a header that cannot be sent', () => ({ headers: { ...saved, 'x-name': 'Ж' }, body: 'Hi' })],
  ['a status that is none', () => ({ headers: saved, status: 7, body: 'Hi' })],
  ['a stream that is read elsewhere', () => ({ headers: saved, body: lockedStream() })],
])('F09: with %s the answer is our error, without the headers of the route', async (_, answer) => {
  const { status, headers } = await ask(answer);

  expect(status).toBe(500);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-request-id')).not.toBeNull();
  expect(headers.get('etag')).toBeNull();
});

test.each([404, 405, 501, 201])('a %i without a body stays one', async (status) => {
  const answer = await ask(() => ({ status, headers: { 'x-own': 'yes' } }));

  expect([answer.status, answer.headers.get('x-own')]).toEqual([status, 'yes']);
  expect(await answer.text()).toBe('');
});

test.each<[string, number | undefined, number]>([
  ['has its status', undefined, 404],
  ['has the status of the route, if that says one', 502, 502],
])('a Response as the body %s', async (_, status, expected) => {
  const body = Response.json({ code: 'GONE' }, { status: 404 });

  const answer = await ask(() => (status === undefined ? { body } : { status, body }));

  expect([answer.status, await answer.json()]).toEqual([expected, { code: 'GONE' }]);
});

test('headers that are no plain object are an error that says what to write', async () => {
  const headers = new Headers({ 'x-own': 'yes' }) as unknown as Record<string, string>;

  const answer = await ask(() => ({ headers, body: 'Hi' }));

  expect(answer.status).toBe(500);
  const failed = world.lines.find(({ message }) => message === 'request.failed');
  expect(String(failed?.fields.err)).toContain('Write Object.fromEntries(headers)');
});

test('a body whose source breaks off is our error, not a reader that has left', async () => {
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  const body = new Readable({
    read() {
      this.destroy(reset);
    },
  });

  await expect(ask(() => ({ body }))).rejects.toThrow();

  expect(world.lines.find(({ level }) => level === 'error')).toMatchObject({
    message: 'server.error',
    fields: { err: reset },
  });
  expect(world.lines.some(({ message }) => message === 'connection.aborted')).toBe(false);
});
