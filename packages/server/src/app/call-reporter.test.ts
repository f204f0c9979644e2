/** What the dashboard says of an installation while its platform fails, compared with what its calls meet. */
import { createServer, type RequestListener } from 'node:http';
import { type FleetInstallation, fleetRowsSchema } from '@dowel/admin-api';
import type { CallReport } from '@dowel/installation-store';
import { createTokenClient } from '@dowel/token-client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { closeHost, listenOnLoopback } from '../testing/loopback.ts';
import { startWorld, type World } from '../testing/start-world.ts';
import {
  type CallsContext,
  createCallReporter,
  reportCalls,
  reviewCalls,
} from './call-reporter.ts';

let world: World;
let id: string;
let cookie: string;
let clockMs = 0;
const now = () => Date.now() + clockMs;

/** Answers calls, and token requests while there is an answer for them. */
let answerCall: RequestListener;
let answerToken: RequestListener | undefined;
const host = createServer((request, response) =>
  (request.url === '/token' ? answerToken : answerCall)?.(request, response),
);
let origin: string;

const answers = (status: number, headers: Record<string, string> = {}): RequestListener => {
  return (_request, response) => response.writeHead(status, headers).end();
};

const platformFetch: typeof fetch = (input, init) => {
  const url = String(input);
  if (url.endsWith('/api/things')) return fetch(`${origin}/things`, init);
  return fetch(answerToken && url.includes('/oauth/token') ? `${origin}/token` : input, init);
};

beforeEach(async () => {
  answerCall = answers(200);
  answerToken = undefined;
  clockMs = 0;
  origin = await listenOnLoopback(host);
  world = await startWorld({ app: { fetch: platformFetch, now } });
  id = (await world.install()).installationId;
  cookie = await world.signIn();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await closeHost(host);
});

async function row(): Promise<FleetInstallation> {
  const url = `${world.url}/admin/api/fleet/rows?ids=${id}`;
  const response = await fetch(url, { headers: { cookie } });
  const [found] = fleetRowsSchema.parse(await response.json()).installations;
  if (!found) throw new Error('The installation is not listed');
  return found;
}

const call = (timeoutMs = 5_000) =>
  world
    .platformOf(id)
    .fetch('/api/things', { timeoutMs })
    .catch(() => {});

const state = async () => (await row()).state;

test.each<[string, RequestListener, object]>([
  ['resets', (request) => request.socket.resetAndDestroy(), { cause: 'platform_unreachable' }],
  ['answers 500', answers(500), { cause: 'platform_5xx', calls: { status: 500 } }],
  ['answers 429', answers(429), { cause: 'platform_429', calls: { status: 429 } }],
  ['refuses every token', answers(401), { cause: 'token_refused', calls: { status: 401 } }],
  [
    'has withdrawn a scope',
    answers(403, { 'www-authenticate': 'Bearer error="insufficient_scope"' }),
    { cause: 'scope_missing', calls: { status: 403 } },
  ],
])('an installation whose platform %s is broken until a call succeeds', async (_, fault, facts) => {
  answerCall = fault;
  for (const _each of [1, 2, 3]) await call();

  await expect.poll(state).toBe('calls_failing');
  expect(await row()).toMatchObject(facts);
  expect((await row()).calls).toMatchObject({ failing: 1, processes: 1, failures: 3 });

  answerCall = answers(200);
  await call();
  await expect.poll(state).toBe('active');
  expect(await row()).toMatchObject({ cause: null, calls: null, accessEndsAt: null });
});

test('one call that timed out breaks it when no call has succeeded for ten seconds', async () => {
  answerCall = () => {};
  await call(50);
  await world.reviewCalls();
  expect(await state()).toBe('active');

  clockMs = 10_000;
  await world.reviewCalls();
  expect(await row()).toMatchObject({ state: 'calls_failing', cause: 'timed_out' });
});

test('a refused token that cannot be replaced breaks it, for the token endpoint’s reason', async () => {
  await call();
  answerToken = answers(503);
  answerCall = answers(401);
  await call(1_500);
  expect(await row()).toMatchObject({ state: 'failing', calls: null });

  clockMs = 10_000;
  await world.reviewCalls();
  // The event that it asks for does not help either.
  const cause = expect.stringMatching(/^(token_endpoint_answered_503|exchange_failed)$/);
  expect(await row()).toMatchObject({ state: 'calls_failing', cause });
});

test('an installation with 403 for another reason is well', async () => {
  answerCall = answers(403);
  for (const _each of [1, 2, 3]) await call();
  clockMs = 10_000;
  await world.reviewCalls();
  expect(await row()).toMatchObject({ state: 'active', calls: null });
});

test('a failure in a row asks for no write of its own, and its counter waits for the round', async () => {
  const { context, fail, reported } = startCutOff();
  for (const _each of [1, 2, 3]) await fail();
  expect(context.calls.gathering).toBeDefined();
  await expect.poll(reported).toEqual([3]);

  await fail();
  await fail();
  expect(context.calls.gathering).toBeUndefined();
  // As when another installation begins to fail.
  reportCalls(context);
  await expect.poll(() => context.calls.gathering).toBeUndefined();
  await context.calls.writing;
  expect(reported()).toEqual([3]);

  await reviewCalls(context);
  expect(reported()).toEqual([3, 5]);
});

test('a restart ends nothing, but the first success after it does', async () => {
  answerCall = answers(500);
  for (const _each of [1, 2, 3]) await call();
  await expect.poll(state).toBe('calls_failing');
  await world.restart();
  await world.reviewCalls();
  expect(await row()).toMatchObject({ state: 'calls_failing', cause: 'platform_5xx', calls: null });

  answerCall = answers(200);
  await call();

  await expect.poll(state).toBe('active');
});

/** Another process on the same database, which cannot reach the platform. */
function startCutOff() {
  const { store } = world;
  const stored: CallReport[] = [];
  const record: typeof store.calls.record = (process, reports) => {
    stored.push(...reports);
    return store.calls.record(process, reports);
  };
  const tokenClient = createTokenClient({
    store,
    fetch: async () => {
      throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
    },
    onCalls: () => reportCalls(context),
  });
  const context: CallsContext = {
    store: { calls: { ...store.calls, record } },
    tokenClient,
    calls: createCallReporter(store),
    logger: { error: () => {}, warn: () => {} },
    now,
  };
  return {
    context,
    fail: (path = '/api/things') => tokenClient.fetch(id, path).catch(() => {}),
    /** The failures of each report that was stored. */
    reported: () => stored.map(({ failing }) => failing?.failures),
  };
}

test('calls that fail in one of two processes break it, and both are counted', async () => {
  const { context: cutOff, fail } = startCutOff();
  await call();
  for (const _each of [1, 2, 3]) await fail();
  await expect.poll(state).toBe('calls_failing');

  // This process hears of it, and tells its next success.
  await world.reviewCalls();
  await call();

  await expect.poll(async () => (await row()).calls?.processes).toBe(2);
  expect(await row()).toMatchObject({
    state: 'calls_failing',
    cause: 'platform_unreachable',
    calls: { failing: 1, processes: 2 },
  });

  // The other process meets no more call, as if it had ended.
  await world.shiftClock(70_000);
  await world.reviewCalls();
  await call();
  await expect.poll(state).not.toBe('calls_failing');
  await reviewCalls(cutOff);
});

const loggedCalls = async () => {
  const query = { limit: 200, outcome: 'failed', installationId: id } as const;
  return (await world.store.reports.listCalls(query)).calls;
};

test('failures that have no room in the log are counted in a line', async () => {
  const { context, fail } = startCutOff();
  const warn = vi.fn();
  context.logger = { error: () => {}, warn };
  // Only the round writes.
  context.calls.gathering = setTimeout(() => {}, 600_000).unref();
  for (let each = 0; each < 25; each += 1) await fail(`/${String.fromCharCode(97 + each)}`);

  await reviewCalls(context);

  expect(await loggedCalls()).toHaveLength(20);
  expect(warn).toHaveBeenCalledExactlyOnceWith({ count: 5 }, 'calls.not_logged');
});

test('calls that could not be stored are stored with the next round', async () => {
  const { context, fail } = startCutOff();
  const { log } = context.store.calls;
  context.store.calls.log = () => Promise.reject(new Error('away'));
  await fail();
  await reviewCalls(context);
  expect(await loggedCalls()).toEqual([]);

  context.store.calls.log = log;
  await fail();
  await reviewCalls(context);

  expect(await loggedCalls()).toMatchObject([{ count: 1 }, { count: 1 }]);
});
