/** Row I06: repeated requests and outages keep the log small; it contains their counts. */
import { connect } from 'node:net';
import { StoreError } from '@dowel/installation-store';
import { afterEach, expect, test, vi } from 'vitest';
import { defaultReceptionLimits } from '../events/reception-guard.ts';
import { createInstallEvent, expectRefusal, sendEvent } from '../testing/send-event.ts';
import { startWorld, type World, type WorldOptions } from '../testing/start-world.ts';

let world: World;

async function start(options: WorldOptions = {}): Promise<void> {
  world = await startWorld(options);
}

afterEach(() => world[Symbol.asyncDispose]());

const patience = { timeout: 120_000 };
const unlimited = { ...defaultReceptionLimits, refusalsPerAddress: 1_000_000 };
const named = (name: string) => world.infoLines().filter(({ msg }) => msg === name);

/** Sends `bytes` and disconnects at once, or at the first byte of the answer. */
function leave(bytes: string, afterAnswer = false): Promise<void> {
  const { hostname, port } = new URL(world.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes, () => (afterAnswer ? undefined : socket.resetAndDestroy()));
    });
    socket.on('data', () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < times; done += 10) {
    await Promise.all(Array.from({ length: 10 }, work));
  }
}

test('I06: two hundred aborted connections are a few short lines at info, and a count', async () => {
  await start({ app: { limits: unlimited } });
  world.logs.length = 0;

  await repeat(200, () =>
    leave(
      'POST /lifecycle/install HTTP/1.1\r\nHost: x\r\nContent-Type: application/jwt\r\nContent-Length: 999\r\n\r\nx',
    ),
  );
  const isRecord = (line: string) => line.includes('"event.refused"');
  await vi.waitFor(() => expect(world.logs.filter(isRecord)).toHaveLength(200), patience);
  world.reportSuppressed();

  expect(named('event.refused')[0]).toMatchObject({ reason: 'body_broke_off', level: 40 });
  expect(named('event.refused.more')).toMatchObject([{ suppressed: 180 }]);
  expect(world.infoLines().length).toBeLessThanOrEqual(2 * 21);
  expect(world.logs.join('')).not.toContain('"stack"');
  expect(world.infoLines().every(({ level }) => Number(level) <= 40)).toBe(true);
});

test('I06: two hundred closed dashboard streams cause no warning', async () => {
  await start();
  const cookie = await world.signIn();
  world.logs.length = 0;

  await repeat(200, () =>
    leave(`GET /admin/api/changes HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`, true),
  );

  await vi.waitFor(() => {
    expect(world.logs.filter((line) => line.includes('connection.aborted'))).toHaveLength(200);
  }, patience);
  expect(named('request').length).toBeGreaterThan(0);
  expect(world.infoLines().filter(({ msg }) => msg !== 'request')).toEqual([]);
});

test('I06: rejected sessions leave records without a stack, bounded and counted', async () => {
  await start({ app: { limits: { ...unlimited, verificationsAtOnce: 0 } } });
  world.logs.length = 0;

  const statuses = new Set<number>();
  await repeat(100, async () => {
    const body = { initJwt: 'a.b.c', instanceId: 'i' };
    statuses.add((await world.post('/api/session', body)).status);
  });
  world.reportSuppressed();

  expect([...statuses]).toEqual([503]);
  expect(world.infoLines()).toHaveLength(21);
  expect(world.infoLines()[0]).toMatchObject({
    msg: 'event.refused',
    event: 'session',
    reason: 'verifications_full',
  });
  expect(world.infoLines()[20]).toMatchObject({ msg: 'event.refused.more', suppressed: 80 });
  expect(world.logs.join('')).not.toContain('"stack"');
});

test('I06: an unavailable database causes a few lines without a stack for each operation', async () => {
  await start({ app: { limits: unlimited } });
  const away = new StoreError('DATABASE_UNAVAILABLE', 'The database is away');
  world.store.transaction = () => Promise.reject(away);
  world.store.sessions.findAdminSession = () => Promise.reject(away);
  const event = await createInstallEvent(world);
  world.logs.length = 0;

  await repeat(100, () => sendEvent(world, event));
  await repeat(100, () => fetch(`${world.url}/admin/api/session`));

  expect(world.infoLines().length).toBeLessThan(5 * 20);
  expect(world.logs.join('')).not.toContain('"stack"');
  expect(named('event.refused')[0]).toMatchObject({ reason: 'database_unreachable' });
  expect(named('request.failed')[0]).toMatchObject({
    level: 40,
    code: 'OVERLOADED',
    err: { code: 'DATABASE_UNAVAILABLE', message: 'The database is away' },
  });
});

test.each([
  ['pages that are there for all', '/manifest.json', 0],
  ['addresses that lead nowhere', '/nowhere', 21],
  ['a dashboard that is not signed in', '/admin/api/session', 21],
  ['a session by GET', '/api/session', 21],
  ['an event by GET', '/lifecycle/install', 21],
  ['an event that there is not', '/lifecycle/nothing', 21],
])('I06: two hundred requests for %s (%s) are %i lines', async (_, path, lines) => {
  await start();
  world.logs.length = 0;

  await repeat(200, () => fetch(`${world.url}${path}`));
  world.reportSuppressed();

  expect(world.infoLines()).toHaveLength(lines);
});

test('I06: however an event’s address is spelled, its lines name the event', async () => {
  await start();
  world.logs.length = 0;
  const spellings = Array.from('install', (letter, at) => {
    const code = letter.charCodeAt(0).toString(16);
    return `${'install'.slice(0, at)}%${code}${'install'.slice(at + 1)}`;
  });

  for (const spelling of spellings) {
    expect((await fetch(`${world.url}/lifecycle/${spelling}`)).status).toBe(405);
    await expectRefusal(await sendEvent(world, 'x', {}, spelling), 400);
  }

  const lines = world.logs.map((line) => JSON.parse(line) as { msg: string; route?: string });
  const routes = lines.filter(({ msg }) => msg === 'request.refused').map(({ route }) => route);
  expect(routes).toEqual(Array(2 * spellings.length).fill('install'));
});

test('I06: bodies that are too large, of another type or no JSON leave a refusal record each', async () => {
  await start();
  world.logs.length = 0;
  const json = { 'content-type': 'application/json' };

  await expectRefusal(await sendEvent(world, 'x'.repeat(40_000)), 413);
  await expectRefusal(await sendEvent(world, 'x', { 'content-type': 'text/plain' }), 415);
  await expectRefusal(await sendEvent(world, '{"token":', json), 400);
  await world.post('/api/session', { initJwt: 'x'.repeat(70_000), instanceId: 'i' });
  await world.post('/api/session', {}, { 'content-type': 'text/plain' });

  expect(named('event.refused')).toMatchObject([
    { event: 'install', status: 413, reason: 'body_too_large' },
    { event: 'install', status: 415, reason: 'bad_media_type' },
    { event: 'install', status: 400, reason: 'bad_request' },
    { event: 'session', status: 413, reason: 'body_too_large' },
    { event: 'session', status: 415, reason: 'bad_media_type' },
  ]);
});

test('I03: bodies that cannot be read cost their sender as much as forged events', async () => {
  await start({ app: { limits: { ...unlimited, refusalsPerAddress: 3 } } });

  const statuses = [];
  for (let count = 0; count < 5; count += 1) {
    statuses.push((await sendEvent(world, 'x', { 'content-type': 'text/plain' })).status);
  }

  expect(statuses).toEqual([415, 415, 415, 429, 429]);
});
