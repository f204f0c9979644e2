/** What a route of the plug-in answers is what arrives. */
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { collectUnhandled } from '@dowel/settings/testing';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ServerWorld, startServerWorld } from '../testing/server-world.ts';
import type { RouteAnswer } from './own-routes.ts';

let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

async function ask(answer: () => RouteAnswer, method = 'GET'): Promise<Response> {
  const server = world.create({ publicRoutes: (router) => router.get('/file', answer) });
  const { url } = await server.start();
  return fetch(`${url}/file`, { method });
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
  ['a status that is not the last one', () => ({ headers: saved, status: 100 })],
  ['a stream that is only for writing', () => ({ headers: saved, body: new Writable() as never })],
  ['a stream that has failed', () => ({ headers: saved, body: new Readable().destroy() })],
  ['an object that is no JSON', () => ({ headers: saved, body: { votes: 1n } })],
  ['a promise', () => ({ headers: saved, body: Promise.resolve({ votes: 1 }) })],
  ['a generator', () => ({ headers: saved, body: (async function* () {})() })],
  ['a Map', () => ({ headers: saved, body: new Map([['votes', 1]]) })],
  ['a function', () => ({ headers: saved, body: () => 'Hi' })],
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

test('a redirect made by Response leads where it says', async () => {
  const body = Response.redirect('https://polls.example.com/results', 303);
  const server = world.create({ publicRoutes: (router) => router.get('/old', () => ({ body })) });
  const { url } = await server.start();

  const { status, headers } = await fetch(`${url}/old`, { redirect: 'manual' });

  expect([status, headers.get('location')]).toEqual([303, 'https://polls.example.com/results']);
});

test('a Response is one, also if Hono puts its own in place of the one it was made of', async () => {
  const body = new Response('Hi', { status: 202, headers: { 'content-type': 'text/html' } });
  vi.stubGlobal('Response', class extends Response {});
  onTestFinished(() => void vi.unstubAllGlobals());

  const answer = await ask(() => ({ body }));

  expect([answer.status, answer.headers.get('content-type')]).toEqual([202, 'text/html']);
  expect(await answer.text()).toBe('Hi');
});

test.each<[string, object, string, string]>([
  ['an object', { votes: 3 }, 'application/json; charset=utf-8', '{"votes":3}'],
  ['a list', ['soup'], 'application/json; charset=utf-8', '["soup"]'],
  ['an ArrayBuffer', new Uint8Array([72, 105]).buffer, 'application/octet-stream', 'Hi'],
])('%s as the body arrives, with its type', async (_, body, type, text) => {
  const answer = await ask(() => ({ body }));

  expect([answer.headers.get('content-type'), await answer.text()]).toEqual([type, text]);
});

test('a file arrives, and one that cannot be opened is 500, with the reason in the log', async () => {
  const path = join(world.folder, 'votes.csv');
  await writeFile(path, 'soup,3');
  const [found, lost] = [path, `${path}.lost`].map((file) =>
    ask(() => ({ headers: { 'content-type': 'text/csv' }, body: createReadStream(file) })),
  );

  expect(await (await found)?.text()).toBe('soup,3');
  const answer = await lost;
  expect([answer?.status, await answer?.json()]).toMatchObject([500, { code: 'INTERNAL_ERROR' }]);
  const failed = world.lines.find(({ message }) => message === 'request.failed');
  expect(failed?.fields).toMatchObject({ route: '/file', err: { code: 'ENOENT' } });
});

test('an object keeps the type that the route says', async () => {
  const headers = { 'content-type': 'application/problem+json' };

  const answer = await ask(() => ({ headers, body: { title: 'Gone' } }));

  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(await answer.json()).toEqual({ title: 'Gone' });
});

test('headers that are no plain object are an error that says what to write', async () => {
  const headers = new Headers({ 'x-own': 'yes' }) as unknown as Record<string, string>;

  const answer = await ask(() => ({ headers, body: 'Hi' }));

  expect(answer.status).toBe(500);
  const failed = world.lines.find(({ message }) => message === 'request.failed');
  expect(String(failed?.fields.err)).toContain('Write Object.fromEntries(headers)');
});

describe('a body that nobody reads', () => {
  let closed: PromiseWithResolvers<void>;
  /** A file that is missing, which its stream notices after a while. */
  const missing = () =>
    createReadStream(join(world.folder, 'missing')).once('close', closed.resolve);

  beforeEach(() => {
    closed = Promise.withResolvers();
  });

  test('ends no process when its file is missing', async () => {
    const failures = collectUnhandled();

    const { status } = await ask(() => ({ body: missing() }), 'HEAD');
    await closed.promise;

    expect(status).toBe(500);
    expect(failures).toEqual([]);
  });

  test('ends no process when its web stream has failed', async () => {
    const failed = () =>
      new ReadableStream({ start: (controller) => controller.error(new Error('It is gone')) });
    const failures = collectUnhandled();

    const { status, url } = await ask(() => ({ body: new Response(failed()) }), 'HEAD');

    expect(status).toBe(200);
    expect((await fetch(new URL('/livez', url))).status).toBe(200);
    expect(failures).toEqual([]);
  });

  test.each<[string, () => RouteAnswer]>([
    ['the headers cannot be sent', () => ({ headers: { 'x-name': 'Ж' }, body: missing() })],
    ['it is returned as the answer itself', () => missing() as RouteAnswer],
  ])('is closed when %s', async (_, answer) => {
    const failures = collectUnhandled();

    const { status } = await ask(answer);
    await closed.promise;

    expect(status).toBe(500);
    expect(failures).toEqual([]);
  });

  test('is cancelled when the headers cannot be sent', async () => {
    const cancelled = Promise.withResolvers<unknown>();
    const body = new ReadableStream({ cancel: cancelled.resolve });

    const { status } = await ask(() => ({ headers: { 'x-name': 'Ж' }, body }));
    await cancelled.promise;

    expect(status).toBe(500);
  });
});

test('a body whose source breaks off is an error of its route, and no reader that has left', async () => {
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  const body = new Readable({
    read() {
      this.destroy(reset);
    },
  });

  await expect(ask(() => ({ body }))).rejects.toThrow();

  expect(world.lines.find(({ level }) => level === 'error')).toMatchObject({
    message: 'request.failed',
    fields: { method: 'GET', route: '/file', requestId: expect.any(String), err: reset },
  });
  expect(world.lines.some(({ message }) => message === 'connection.aborted')).toBe(false);
});

test.each<[string, () => ReadableStream | object]>([
  [
    'a web stream that fails',
    () => new ReadableStream({ start: (controller) => controller.error(new Error('It is gone')) }),
  ],
  ['an object that is no JSON', () => ({ votes: 1n })],
])('%s is one line in the log, which names the route', async (_, body) => {
  await ask(() => ({ body: body() })).catch(() => {});

  const errors = world.lines.filter(({ level }) => level === 'error');
  expect(errors.map(({ message, fields }) => [message, fields.route])).toEqual([
    ['request.failed', '/file'],
  ]);
});

const sandboxed =
  "default-src 'none'; frame-ancestors 'none'; sandbox allow-scripts allow-forms allow-popups allow-downloads";
const picture = '<svg xmlns="http://www.w3.org/2000/svg"/>';

test.each<[string, RouteAnswer]>([
  ['HTML', { body: '<!doctype html>' }],
  ['SVG', { headers: { 'content-type': 'image/svg+xml' }, body: picture }],
  ['XML', { headers: { 'content-type': 'text/xml; charset=utf-8' }, body: picture }],
  ['a stream', { headers: { 'content-type': 'text/html' }, body: Readable.from(['<p>']) }],
  ['a Response', { body: new Response('<p>', { headers: { 'content-type': 'text/html' } }) }],
])('F29: a document (%s) has an opaque origin', async (_, answer) => {
  const { headers } = await ask(() => answer);

  expect(headers.get('content-security-policy')).toBe(sandboxed);
});

test('a policy of the route replaces ours, and what is no document has no sandbox', async () => {
  const own = { 'Content-Security-Policy': "default-src 'self'" };
  const document = await ask(() => ({ headers: own, body: '<!doctype html>' }));
  const json = await ask(() => ({ body: { votes: 1 } }));

  expect(document.headers.get('content-security-policy')).toBe("default-src 'self'");
  expect(json.headers.get('content-security-policy')).not.toContain('sandbox');
});
