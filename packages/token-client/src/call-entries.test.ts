/** The single calls that a process keeps for the log, beside a platform that fails. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createStrictAuthorizationServer } from './testing/strict-authorization-server.ts';
import { createWorld, type World } from './testing/world.ts';
import type { TokenClientOptions } from './token-client.ts';

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

const answers = (status: number, body = ''): RequestListener => {
  return (_request, response) => response.writeHead(status).end(body);
};

async function createCaller(changes: Partial<TokenClientOptions> = {}) {
  const { id, baseUrl } = await world.install();
  const { port } = api.address() as AddressInfo;
  const callFetch: typeof fetch = (input, init) => {
    const isCall = new URL(String(input)).pathname.includes('/things');
    return fetch(isCall ? `http://127.0.0.1:${port}` : input, init);
  };
  const client = world.createClient({ fetch: callFetch, ...changes });
  return {
    id,
    host: new URL(baseUrl).host,
    client,
    call: (path = '/things', init = {}) => client.fetch(id, path, init).catch(() => undefined),
  };
}

const source = { operation: 'listThings', requestId: 'r-1', userId: 'u-1' };

test('a failed call says what was called for whom, why it failed, and what was answered', async () => {
  const { id, host, client, call } = await createCaller();
  respond = answers(503, 'Down for ada@example.com');

  const response = await call('/things/42?key=value', { method: 'DELETE', source });

  expect(await response?.text()).toBe('Down for ada@example.com');
  const { entries, dropped } = client.entries.take(false);
  await expect.poll(() => entries[0]?.answer).toBe('Down for [email]');
  expect(dropped).toBe(0);
  expect(entries).toEqual([
    {
      id: expect.any(String),
      installationId: id,
      ...source,
      method: 'DELETE',
      path: '/things/{id}',
      host,
      status: 503,
      reason: 'platform_5xx',
      fault: null,
      durationMs: expect.any(Number),
      attempts: 1,
      answer: 'Down for [email]',
      count: 1,
      firstAt: expect.any(Number),
      lastAt: expect.any(Number),
    },
  ]);
  expect(client.entries.take(false)).toEqual({ entries: [], dropped: 0 });
});

test.each<[string, RequestListener, object]>([
  [
    'a reset',
    (request) => request.socket.resetAndDestroy(),
    { reason: 'platform_unreachable', status: null, answer: null },
  ],
  ['a refused token', answers(401), { reason: 'token_refused', status: 401, attempts: 2 }],
  ['too many calls', answers(429), { reason: 'platform_429', status: 429 }],
  ['an author’s mistake', answers(404), { reason: 'platform_4xx', status: 404 }],
])('%s is logged with its reason', async (_, listener, entry) => {
  const { client, call } = await createCaller();
  respond = listener;
  await call();

  expect(client.entries.take(false).entries).toMatchObject([{ ...entry, operation: null }]);
});

test('a time-out and the transport’s code are logged', async () => {
  const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  const failing: typeof fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
  const { client, call } = await createCaller({ fetch: failing });
  await call();
  expect(client.entries.take(false).entries).toMatchObject([{ fault: 'ECONNRESET', count: 1 }]);

  const { client: waiting, call: wait } = await createCaller();
  respond = () => {};
  await wait('/things', { timeoutMs: 20 });
  expect(waiting.entries.take(false).entries).toMatchObject([{ reason: 'timed_out', fault: null }]);
});

test('equal failures are one entry with a count, and only their first is announced', async () => {
  let announced = 0;
  const { client, call } = await createCaller({ onCalls: () => (announced += 1) });
  respond = answers(404);
  for (const each of [1, 2, 3]) await call(`/things/${each}`);
  await call('/things');

  const found = client.entries.take(false).entries.map(({ path, count }) => [path, count]);
  expect(found).toEqual([
    ['/things/{id}', 3],
    ['/things', 1],
  ]);
  expect(announced).toBe(1);

  await call();
  expect(announced).toBe(1);
  client.entries.take(true);
  await call();
  expect(announced).toBe(2);
});

test('what has no room is counted', async () => {
  const { client, call } = await createCaller();
  respond = answers(404);
  for (let each = 0; each < 25; each += 1) {
    await call(`/things/${String.fromCharCode(97 + each)}`);
  }

  const { entries, dropped } = client.entries.take(false);
  expect([entries.length, dropped]).toEqual([20, 5]);
});

test('calls are counted by outcome and time, once', async () => {
  const { client, call } = await createCaller();
  for (const status of [200, 200, 404, 503]) {
    respond = answers(status);
    await call();
  }

  const { times, ...counts } = client.takeCallCounts();
  expect(counts).toEqual({ succeeded: 2, refused: 1, failed: 1 });
  expect(times.reduce((sum, each) => sum + each, 0)).toBe(4);
  expect(client.takeCallCounts()).toMatchObject({ succeeded: 0, refused: 0, failed: 0 });
});

test('one success of an installation per minute is a sample, and no other is kept', async () => {
  let clockMs = 0;
  const { client, call } = await createCaller({ now: () => Date.now() + clockMs });
  respond = answers(200);
  for (const _each of [1, 2, 3]) await call();

  const { entries } = client.entries.take(false);
  expect(entries).toMatchObject([{ reason: null, status: 200, count: 1, answer: null }]);
  await call();
  expect(client.entries.take(false).entries).toEqual([]);

  clockMs = 61_000;
  await call();
  expect(client.entries.take(false).entries).toHaveLength(1);
});
