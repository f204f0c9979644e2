/** A page's call over HTTP, as a browser makes it, up to the platform. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import {
  installAt,
  readSampleManifest,
  type ServerWorld,
  sessionTokenAt,
  startServerWorld,
} from '../testing/server-world.ts';
import { defineOperation } from './define-operation.ts';

let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const users = defineOperation({
  input: z.object({}),
  output: z.object({ status: z.int() }),
  scopes: ['plugin:notify'],
  async run({ platform }) {
    const { status } = await platform.fetch('/api/users');
    return { status };
  },
});

/** A server whose calls to the platform are answered here, and a session of its page. */
async function startPage(answer: (request: Request) => Promise<Response>) {
  const server = world.create({
    manifest: await readSampleManifest(),
    operations: { users },
    fetch: (input, init) => {
      const request = new Request(input, init);
      return request.url.endsWith('/api/users') ? answer(request) : fetch(request);
    },
  });
  const { url } = await server.start();
  const { instanceId } = await installAt(world, url);
  const sessionToken = await sessionTokenAt(world, url, instanceId);
  return (init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {}) =>
    fetch(`${url}/api/users`, {
      method: 'POST',
      body: '{}',
      ...init,
      headers: {
        authorization: `Bearer ${sessionToken}`,
        'content-type': 'application/json',
        origin: 'null',
        ...init.headers,
      },
    });
}

test('a page may send its traceparent, which reaches the platform', async () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const seen: (string | null)[] = [];
  const call = await startPage(async ({ headers }) => {
    seen.push(headers.get('traceparent'));
    return Response.json([]);
  });

  const preflight = await call({
    method: 'OPTIONS',
    body: null,
    headers: { 'access-control-request-headers': 'traceparent' },
  });
  const answer = await call({ headers: { traceparent } });

  expect(preflight.headers.get('access-control-allow-headers')).toMatch(/\bTraceparent\b/);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(seen).toEqual([traceparent]);
});

test.each([
  `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
  `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`,
  `00-${'a'.repeat(32)}-${'b'.repeat(16)}`,
])('the traceparent %s, which W3C forbids, does not reach the platform', async (traceparent) => {
  const seen: (string | null)[] = [];
  const call = await startPage(async ({ headers }) => {
    seen.push(headers.get('traceparent'));
    return Response.json([]);
  });

  await call({ headers: { traceparent } });

  expect(seen).toEqual([null]);
});

test('a page may send any header to a route of its own', async () => {
  const call = await startPage(async () => Response.json([]));

  const { headers } = await call({
    method: 'OPTIONS',
    body: null,
    headers: { 'access-control-request-headers': 'last-event-id' },
  });

  // `*` does not include Authorization.
  const allowed = headers.get('access-control-allow-headers')?.split(', ');
  expect(allowed).toEqual(expect.arrayContaining(['*', 'Authorization']));
});

test('a page that leaves ends the call that it made of the platform', async () => {
  const arrived = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const call = await startPage(({ signal }) => {
    arrived.resolve();
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        ended.resolve();
        reject(signal.reason);
      });
    });
  });
  const leaving = new AbortController();
  const left = call({ signal: leaving.signal });
  await arrived.promise;

  leaving.abort();

  await expect(left).rejects.toThrow();
  await ended.promise;
});
