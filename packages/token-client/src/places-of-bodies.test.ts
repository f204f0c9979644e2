/** A call keeps its place until its body has ended: bodies that trickle, on real HTTP. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGuardedFetch } from '@dowel/http';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { storeGrant } from './testing/store-grant.ts';
import { createStrictAuthorizationServer } from './testing/strict-authorization-server.ts';
import { createWorld, type World } from './testing/world.ts';

let world: World;
let origin: string;
let connections = 0;
/** Answers with their headers and the first byte of their bodies. */
const open: ServerResponse[] = [];

const server = createServer((request, response) => {
  if (request.url === '/quick') return void response.end('{}');
  response.writeHead(200).write('[');
  open.push(response);
});
server.on('connection', (socket) => {
  connections += 1;
  socket.on('close', () => {
    connections -= 1;
  });
});

beforeAll(async () => {
  world = await createWorld({ createServer: createStrictAuthorizationServer });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const response of open.splice(0)) response.destroy();
  server.closeAllConnections();
  await expect.poll(() => connections).toBe(0);
});
afterAll(async () => {
  await world.close();
  await new Promise((resolve) => server.close(resolve));
});

const createClient = (options: Parameters<World['createClient']>[0] = {}) =>
  world.createClient({ internalOrigins: [origin], ...options });

/** An installation whose token lives. */
const install = () =>
  storeGrant(world, { baseUrl: origin, token: 'unused', expiresAt: Date.now() + 3_600_000 });

/** Calls until the answer's headers. */
const callSlowly = (client: World['client'], id: string, timeoutMs = 30_000) =>
  client.fetch(id, '/slow', { timeoutMs });

test('I05: a tenant whose bodies trickle has no more connections than places', async () => {
  const [id, neighbour] = [await install(), await install()];
  const callPlaces = { places: 10, firstPlaces: 4, maxPlaces: 6, suspectPlaces: 2, newPlaces: 6 };
  const client = createClient({ policy: { callPlaces } });

  const calls = Array.from({ length: 40 }, () => callSlowly(client, id).catch(() => undefined));
  await expect.poll(() => open.length).toBe(6);
  const quick = Array.from({ length: 20 }, async () =>
    (await client.fetch(neighbour, '/quick')).text(),
  );

  expect(await Promise.all(quick)).toEqual(Array(20).fill('{}'));
  expect(open).toHaveLength(6);
  expect(connections).toBeLessThanOrEqual(10);
  const ending = setInterval(() => {
    for (const response of open.splice(0)) response.end(']');
  }, 1);
  const bodies = await Promise.all(calls.map(async (call) => (await call)?.text()));
  clearInterval(ending);
  expect(new Set(bodies)).toEqual(new Set(['[]']));
});

test('a call gives its tenant one more place at the headers, while its body lasts', async () => {
  const id = await install();
  const client = createClient();

  await Promise.all(Array.from({ length: 8 }, () => callSlowly(client, id)));

  expect(open).toHaveLength(8);
});

test.each<[string, (response: Response, leaving: AbortController) => Promise<unknown>]>([
  [
    'was read',
    (response) => {
      open.shift()?.end(']');
      return response.text();
    },
  ],
  ['was cancelled', async ({ body }) => body?.cancel()],
  [
    'was cancelled while it was read',
    async ({ body }) => {
      const reader = body?.getReader();
      await reader?.read();
      const next = reader?.read();
      await reader?.cancel();
      expect(await next).toEqual({ done: true, value: undefined });
    },
  ],
  ['was aborted by its caller', async (_, leaving) => leaving.abort()],
  [
    'broke off',
    (response) => {
      open.shift()?.destroy();
      return response.text().catch(() => undefined);
    },
  ],
])('a call gives its place back when its body %s', async (_, end) => {
  const id = await install();
  const callPlaces = { places: 1, firstPlaces: 1, maxPlaces: 1, suspectPlaces: 1, newPlaces: 1 };
  const client = createClient({ policy: { callPlaces } });
  const leaving = new AbortController();
  const { signal } = leaving;
  const response = await client.fetch(id, '/slow', { signal });
  await expect(callSlowly(client, id, 50)).rejects.toMatchObject({ code: 'TOO_MANY_UNANSWERED' });

  await end(response, leaving);

  expect(await (await client.fetch(id, '/quick')).text()).toBe('{}');
});

test('with a fetch of the caller that reports the end of bodies, a call has its place until then', async () => {
  const id = await install();
  const callPlaces = { places: 1, firstPlaces: 1, maxPlaces: 1, suspectPlaces: 1, newPlaces: 1 };
  const callFetch = createGuardedFetch({ internalOrigins: [origin] });
  const client = createClient({ policy: { callPlaces }, fetch: globalThis.fetch, callFetch });
  const { body } = await callSlowly(client, id);

  await expect(callSlowly(client, id, 50)).rejects.toMatchObject({ code: 'TOO_MANY_UNANSWERED' });
  await body?.cancel();

  expect(await (await client.fetch(id, '/quick')).text()).toBe('{}');
});

test('with a fetch of the caller, a call has its place only until the headers', async () => {
  const id = await install();
  const callPlaces = { places: 1, firstPlaces: 1, maxPlaces: 1, suspectPlaces: 1, newPlaces: 1 };
  const client = createClient({ policy: { callPlaces }, fetch: globalThis.fetch });

  const responses = [await callSlowly(client, id), await callSlowly(client, id)];

  expect(open).toHaveLength(2);
  for (const { body } of responses) await body?.cancel();
});
