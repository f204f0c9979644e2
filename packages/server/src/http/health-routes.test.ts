import { StoreError } from '@dowel/installation-store';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { canServe, checkDatabase, createDatabaseState } from '../base/database-state.ts';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;

beforeEach(async () => {
  world = await startWorld();
});

afterEach(() => world[Symbol.asyncDispose]());

async function ask(path: string) {
  const response = await fetch(`${world.url}${path}`);
  return { status: response.status, body: (await response.json()) as unknown };
}

test('P3: a process that stops says that it is not ready, and still answers', async () => {
  expect(await ask('/readyz')).toEqual({ status: 200, body: { isReady: true, state: 'ready' } });

  world.announceStop();

  const body = { isReady: false, state: 'unavailable', reason: 'stopping' };
  expect(await ask('/readyz')).toEqual({ status: 503, body });
  expect(await ask('/livez')).toEqual({ status: 200, body: { isAlive: true } });
  expect((await fetch(`${world.url}/manifest.json`)).status).toBe(200);
});

test('a database that can store nothing is one line in the log, and makes the process unready', async () => {
  const lost = new StoreError('DATABASE_UNAVAILABLE', 'It was deleted');
  world.store.assertAvailable = () => Promise.reject(lost);
  await world.checkDatabase();
  await world.checkDatabase();

  const body = { isReady: false, state: 'unavailable', reason: 'database_unavailable' };
  expect(await ask('/readyz')).toEqual({ status: 503, body });

  world.store.assertAvailable = async () => {};
  await world.checkDatabase();
  await world.checkDatabase();

  expect(await ask('/readyz')).toEqual({ status: 200, body: { isReady: true, state: 'ready' } });
  const lines = world.infoLines().filter(({ msg }) => String(msg).startsWith('database.'));
  expect(lines).toMatchObject([
    { level: 50, msg: 'database.unavailable', reason: 'It was deleted' },
    { level: 30, msg: 'database.available' },
  ]);
});

test.each([
  ['answers', 'database_unavailable'],
  ['writes', 'database_takes_no_writes'],
] as const)('a database that lacks %s leaves the process ready', async (lack, reason) => {
  const lost = new StoreError('DATABASE_UNAVAILABLE', 'A failover', { lack });
  world.store.assertAvailable = () => Promise.reject(lost);
  await world.checkDatabase();

  const body = { isReady: true, state: 'degraded', reason };
  expect(await ask('/readyz')).toEqual({ status: 200, body });
});

test('a database without a free connection is available', async () => {
  const busy = new StoreError('DATABASE_UNAVAILABLE', 'No slot', { reason: 'database_busy' });
  world.store.assertAvailable = () => Promise.reject(busy);
  await world.checkDatabase();

  expect(await ask('/readyz')).toEqual({ status: 200, body: { isReady: true, state: 'ready' } });
});

test('a database that does not answer for longer than it may makes the process unready', () => {
  const database = createDatabaseState();
  Object.assign(database, { isAvailable: false, lack: 'answers', lostAt: performance.now() - 100 });

  expect(canServe(database, 10_000)).toBe(true);
  expect(canServe(database, 100)).toBe(false);
});

test('a failover after a full disk is a time of its own', async () => {
  const database = createDatabaseState();
  const logger = { info() {}, error() {} };
  const lose = (lack: 'answers' | 'writes') => {
    const lost = new StoreError('DATABASE_UNAVAILABLE', 'Lost', { lack });
    return checkDatabase({
      store: { assertAvailable: () => Promise.reject(lost) },
      database,
      logger,
    });
  };
  await lose('writes');
  database.lostAt -= 100_000;

  await lose('answers');

  expect(canServe(database, 60_000)).toBe(true);
});

test('a database that does not answer is asked once at a time', async () => {
  const answer = Promise.withResolvers<void>();
  const store = { assertAvailable: vi.fn(() => answer.promise) };
  const deps = { store, database: createDatabaseState(), logger: { info() {}, error() {} } };

  const first = checkDatabase(deps);
  await checkDatabase(deps);
  answer.resolve();
  await first;

  expect(store.assertAvailable).toHaveBeenCalledOnce();
  expect(deps.database.isBeingChecked).toBe(false);
});
