/** What a process knows of its calls, beside a platform that fails. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuses } from '@dowel/emulator/authorization-server';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createWeakStore } from './testing/outage-world.ts';
import { createStrictAuthorizationServer } from './testing/strict-authorization-server.ts';
import { createWorld, type World } from './testing/world.ts';

let world: World;
let respond: RequestListener;
/** Answers the calls; tokens come from the world's platform. */
const api = createServer((request, response) => respond(request, response));

beforeAll(async () => {
  world = await createWorld({
    createServer: createStrictAuthorizationServer,
    policy: { backOff: { baseMs: 1, maxMs: 1 } },
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
});
afterEach(() => api.closeAllConnections());
afterAll(async () => {
  api.close();
  await world.close();
});

const nothing = { failed: [], succeeded: [] };

const answers = (status: number, headers: Record<string, string> = {}): RequestListener => {
  return (_request, response) => response.writeHead(status, headers).end();
};

function createClient(changes: Parameters<World['createClient']>[0] = {}) {
  const { port } = api.address() as AddressInfo;
  const callFetch: typeof fetch = (input, init) =>
    fetch(String(input).endsWith('/things') ? `http://127.0.0.1:${port}` : input, init);
  return world.createClient({ fetch: callFetch, ...changes });
}

const call = (client: ReturnType<typeof createClient>, id: string, init = {}) =>
  client.fetch(id, '/things', init).catch(() => {});

test.each<[string, RequestListener, object]>([
  [
    'a reset',
    (request) => request.socket.resetAndDestroy(),
    { reason: 'platform_unreachable', status: null },
  ],
  ['500', answers(500), { reason: 'platform_5xx', status: 500 }],
  ['429', answers(429), { reason: 'platform_429', status: 429 }],
  ['401 for every token', answers(401), { reason: 'token_refused', status: 401 }],
  [
    '403 for a scope',
    answers(403, { 'www-authenticate': 'Bearer error="insufficient_scope"' }),
    { reason: 'scope_missing', status: 403 },
  ],
  ['a redirect', answers(302, { location: '/' }), { reason: 'platform_unreachable' }],
])('%s counts against the tenant until a call succeeds', async (_, listener, failure) => {
  const { id } = await world.install();
  let reports = 0;
  const client = createClient({ onCalls: () => (reports += 1) });
  respond = listener;
  for (const _each of [1, 2, 3]) await call(client, id);

  expect(client.calls.get(id)).toMatchObject({ failures: 3, lastSuccessAt: 0, ...failure });
  expect(client.calls.takeChanged()).toEqual({ failed: [id], succeeded: [] });
  // At the first failure, and at the third.
  expect(reports).toBe(2);

  respond = answers(200);
  await call(client, id);
  expect(client.calls.get(id)).toMatchObject({ failures: 0, lastSuccessAt: expect.any(Number) });
  expect(client.calls.takeChanged()).toEqual(nothing);
});

test('an answer that does not come in time is a time-out, also by the caller’s own signal', async () => {
  const { id } = await world.install();
  const client = createClient();
  respond = () => {};
  await call(client, id, { timeoutMs: 20 });
  await call(client, id, { signal: AbortSignal.timeout(20) });
  expect(client.calls.get(id)).toMatchObject({ failures: 2, reason: 'timed_out', status: null });
});

test('a token that cannot be renewed is a failure, unless the database is away', async () => {
  const installation = await world.install({ hasTrigger: false });
  installation.standingFault = refuses(503);
  const policy = { waitMs: 50 };
  const client = createClient({ policy });
  respond = answers(401);
  await call(client, installation.id, { timeoutMs: 200 });
  expect(client.calls.get(installation.id)).toMatchObject({ failures: 1, reason: 'no_token' });

  const away = createClient({ policy, store: { ...world.store, isAway: () => true } });
  await call(away, installation.id, { timeoutMs: 200 });
  expect(away.calls.get(installation.id)).toBeUndefined();
});

test.each([400, 403, 404, 409])('%i is the fault of the call, and no evidence', async (status) => {
  const { id } = await world.install();
  const client = createClient();
  respond = answers(status);
  await call(client, id);
  expect(client.calls.get(id)).toBeUndefined();
});

test('what the caller or the database did says nothing about the platform', async () => {
  const { id } = await world.install();
  const { weakness, store } = createWeakStore(world.store);
  const client = createClient({ store });
  respond = () => {};
  const leaving = new AbortController();
  const left = call(client, id, { signal: leaving.signal });
  leaving.abort();
  await left;
  await client.fetch(id, '//other/things').catch(() => {});
  await client.fetch('nobody', '/things').catch(() => {});
  weakness.isAway = true;
  respond = answers(401);
  await call(client, id);
  expect(client.calls.takeChanged()).toEqual(nothing);
});

test('a success that is awaited is reported once', async () => {
  const { id } = await world.install();
  const client = createClient();
  respond = answers(200);
  await call(client, id);
  client.calls.awaitSuccess([id]);
  await call(client, id);
  await call(client, id);
  expect(client.calls.takeChanged()).toEqual({ failed: [], succeeded: [id] });
  expect(client.calls.takeChanged()).toEqual(nothing);
});
