/** How long an operator stays signed in: row F05 of docs/threats.md. */
import { sessionListSchema } from '@dowel/admin-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startWorld, type World } from '../testing/start-world.ts';

const minuteMs = 60_000;
const csrf = { 'x-dowel-csrf': '1' };

let world: World;
let clock: { offsetMs: number };
let cookie: string;

beforeEach(async () => {
  clock = { offsetMs: 0 };
  world = await startWorld({ app: { now: () => Date.now() + clock.offsetMs } });
  cookie = await world.signIn();
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${world.url}/admin/api${path}`, { headers: { cookie, ...headers } });
}

const statusOf = async (path: string, headers = {}) => (await get(path, headers)).status;

/** Resolves when the server ends the stream. */
async function readToEnd(stream: Response): Promise<void> {
  const reader = stream.body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read());
}

test('F05: a session ends after thirty idle minutes', async () => {
  clock.offsetMs += 30 * minuteMs + 1_000;

  for (const path of ['/session', '/fleet/installations', '/changes']) {
    expect(await statusOf(path)).toBe(401);
  }
});

test('F05: each request of a person keeps the session for thirty minutes, up to twelve hours', async () => {
  for (let minutes = 0; minutes < 12 * 60 - 29; minutes += 29) {
    expect(await statusOf(minutes % 2 ? '/session' : '/fleet/installations')).toBe(200);
    clock.offsetMs += 29 * minuteMs;
  }

  clock.offsetMs += 29 * minuteMs;
  expect(await statusOf('/session')).toBe(401);
});

test('F05: an open stream and a page’s background requests do not extend a session', async () => {
  clock.offsetMs += 29 * minuteMs;
  const stream = await get('/changes');
  expect(stream.status).toBe(200);
  const background = { 'x-dowel-background': '1' };
  expect(await statusOf('/fleet/installations', background)).toBe(200);
  expect(await statusOf('/session', background)).toBe(200);

  clock.offsetMs += 2 * minuteMs;

  expect(await statusOf('/session')).toBe(401);
  await readToEnd(stream);
});

test('F05: the stream ends when the operator signs out on any process', async () => {
  const stream = await get('/changes');

  const headers = { cookie, ...csrf };
  const signedOut = await fetch(`${world.url}/admin/api/session`, { method: 'DELETE', headers });
  expect(signedOut.status).toBe(200);

  await readToEnd(stream);
});

test('a stream requested while the server stops is refused, and its connection ends', async () => {
  world.announceStop();

  const answer = await get('/changes');

  expect(answer.status).toBe(503);
  expect(answer.headers.get('connection')).toBe('close');
  expect(await answer.json()).toMatchObject({ code: 'OVERLOADED' });
});

test('the last use of a session is stored once a minute, not with each request', async () => {
  const readLastUse = async () => {
    const { sessions } = sessionListSchema.parse(await (await get('/sessions')).json());
    return sessions[0]?.lastUsedAt ?? 0;
  };
  const first = await readLastUse();

  // The request itself is the use.
  clock.offsetMs += minuteMs / 2;
  expect(await readLastUse()).toBe(first);

  clock.offsetMs += minuteMs;
  await readLastUse();
  expect(await readLastUse()).toBeGreaterThanOrEqual(first + 1.5 * minuteMs);
});
