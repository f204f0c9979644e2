/** What the log of calls says, compared with what the platform did. */
import { createServer, type RequestListener } from 'node:http';
import { callGroupsSchema, callsSchema, fleetDetailSchema } from '@dowel/admin-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeHost, listenOnLoopback } from '../testing/loopback.ts';
import { signInAs } from '../testing/sign-in-as.ts';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;
let id: string;
let cookie: string;

let answerCall: RequestListener;
const host = createServer((request, response) => answerCall(request, response));
let origin: string;

const answers = (status: number, body = ''): RequestListener => {
  return (_request, response) => response.writeHead(status).end(body);
};

const platformFetch: typeof fetch = (input, init) =>
  fetch(/\/(things|notifications)/.test(String(input)) ? origin : input, init);

beforeEach(async () => {
  answerCall = answers(200);
  origin = await listenOnLoopback(host);
  world = await startWorld({ app: { fetch: platformFetch } });
  id = (await world.install()).installationId;
  cookie = await world.signIn();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await closeHost(host);
});

async function get(path: string, by = cookie): Promise<unknown> {
  const response = await fetch(`${world.url}/admin/api${path}`, { headers: { cookie: by } });
  return response.json();
}

async function list(query = '', by?: string) {
  await world.reviewCalls();
  return callsSchema.parse(await get(`/calls?${query}`, by)).calls;
}

const call = (timeoutMs = 5_000) =>
  world
    .platformOf(id)
    .fetch('/api/things/42', { timeoutMs })
    .then((response) => response.text())
    .catch(() => undefined);

test.each<[string, RequestListener, object]>([
  [
    'a reset',
    (request) => request.socket.resetAndDestroy(),
    { reason: 'platform_unreachable', status: null, answer: null },
  ],
  ['503', answers(503, 'Down'), { reason: 'platform_5xx', status: 503, answer: 'Down' }],
  ['429', answers(429, 'Later'), { reason: 'platform_429', status: 429, answer: 'Later' }],
  ['401', answers(401), { reason: 'token_refused', status: 401, attempts: 2 }],
  ['404', answers(404, 'None'), { reason: 'platform_4xx', status: 404, answer: 'None' }],
])('calls that meet %s are one row with their reason and answer', async (_, fault, facts) => {
  answerCall = fault;
  await call();
  await call();

  const [entry, ...others] = await list();

  expect(others).toEqual([]);
  expect(entry).toMatchObject({
    installation: { id },
    count: 2,
    operation: null,
    method: 'GET',
    path: '/api/things/{id}',
    host: new URL(world.platform.tenants[0]?.baseUrl ?? '').host,
    userId: null,
    ...facts,
  });
  const groups = callGroupsSchema.parse(await get(`/calls/groups?installationId=${id}`));
  expect(groups.reasons).toMatchObject([
    { reason: entry?.reason, status: entry?.status, calls: 2, installations: 1 },
  ]);
  expect(groups.hosts).toMatchObject([{ host: entry?.host, calls: 2 }]);
});

test('a call that times out is logged without an answer', async () => {
  answerCall = () => {};
  await call(50);
  expect(await list()).toMatchObject([{ reason: 'timed_out', status: null, answer: null }]);
});

test('the first failure is listed without the next round', async () => {
  answerCall = answers(500);
  await call();
  const first = async () => callsSchema.parse(await get('/calls')).calls.length;
  await expect.poll(first).toBe(1);
});

test('F34: no secret and no e-mail address of an answer is stored', async () => {
  let token = '';
  answerCall = (request, response) => {
    token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl';
    const text = { error: 'No', token, jwt, user: 'ada@example.com', url: `/?key=${token}` };
    response.writeHead(500).end(JSON.stringify(text));
  };
  await call();

  const [entry] = await list();

  expect(token.length).toBeGreaterThan(8);
  expect(entry?.answer).toBe(
    '{"error":"No","token":"[secret]","jwt":"[secret]","user":"[email]","url":"/?key=[secret]"}',
  );
});

test('the caller gets the whole answer of a call that is logged', async () => {
  const body = 'no '.repeat(50_000);
  answerCall = answers(500, body);
  expect(await call()).toBe(body);
});

test('operators see the user of a page’s call and the answer, viewers do not', async () => {
  const { instanceId, installationId } = await world.install();
  answerCall = answers(503, 'Ada is on holiday');
  await world.notify(await world.openSession(instanceId), 'Hello');

  const query = `installationId=${installationId}`;
  const { userId } = world.user;
  const shown = { operation: 'createNotification', method: 'POST', requestId: expect.any(String) };
  expect(await list(query)).toMatchObject([{ ...shown, userId, answer: 'Ada is on holiday' }]);
  const viewer = await signInAs(world, 'grace', 'viewer');
  expect(await list(query, viewer)).toMatchObject([{ ...shown, userId: null, answer: null }]);
});

test('calls that succeed leave one sample, and write nothing else', async () => {
  await call();
  expect(await list()).toEqual([]);
  expect(await list('outcome=all')).toMatchObject([{ status: 200, reason: null, count: 1 }]);

  for (const _each of [1, 2, 3]) await call();
  expect(await list('outcome=all')).toHaveLength(1);
});

test('an installation whose calls fail shows the newest answer', async () => {
  answerCall = answers(404, 'The author is wrong');
  await call();
  answerCall = answers(502, 'Bad gateway');
  for (const _each of [1, 2, 3]) await call();
  const detail = async () => {
    const answer = await get(`/fleet/installations/${id}`);
    return fleetDetailSchema.parse(answer).failedCall;
  };
  await expect.poll(detail).toMatchObject({ status: 502, answer: 'Bad gateway', fault: null });
  const viewer = await signInAs(world, 'grace', 'viewer');
  const seen = fleetDetailSchema.parse(await get(`/fleet/installations/${id}`, viewer));
  expect(seen.failedCall).toMatchObject({ status: 502, answer: null });

  answerCall = answers(200);
  await call();
  await expect.poll(detail).toBeNull();
});

test('a cursor of another list is refused', async () => {
  expect(await get('/calls?after=nonsense')).toMatchObject({ code: 'BAD_REQUEST' });
});
