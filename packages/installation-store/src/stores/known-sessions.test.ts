/** Sessions in memory. That they end with each change is in the contract of the stores. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { begin, uninstall } from '../contract/check.ts';
import type { Store } from '../store.ts';
import { sqlite, type TestDatabase } from '../testing/index.ts';
import { type KnownSessions, rememberSessions } from './known-sessions.ts';
import type { FoundPluginSession } from './session-store.ts';

let database: TestDatabase;
let store: Store;
let query: ReturnType<typeof vi.fn<KnownSessions['find']>>;
let known: KnownSessions;
let isHeard: boolean;

beforeEach(async () => {
  database = await sqlite.create();
  store = await database.open();
  query = vi.fn((hash, now) =>
    store.transaction(({ sessions }) => sessions.findPluginSession(hash, now)),
  );
  isHeard = true;
  known = rememberSessions(query, () => isHeard);
});

afterEach(() => database.destroy());

async function openSession(expiresAt = 10) {
  const installation = await begin(store);
  const { id: installationId, generation } = installation;
  const session = { installationId, generation, userId: 'u', instanceId: 'i', expiresAt };
  const hash = randomUUID();
  await store.sessions.createPluginSession(hash, session, randomUUID());
  return { installation, hash };
}

test('a session is queried once, also while other installations change', async () => {
  const { hash } = await openSession();
  const first = await known.find(hash, 9);

  known.forget(randomUUID());

  expect(await known.find(hash, 9)).toEqual(first);
  expect(query).toHaveBeenCalledOnce();
});

test('a change of its installation, or a gap in what was heard, ends what is remembered', async () => {
  const { hash, installation } = await openSession();

  for (const changed of [installation.id, null]) {
    await known.find(hash, 9);
    known.forget(changed);
    await known.find(hash, 9);
  }

  expect(query).toHaveBeenCalledTimes(3);
});

test('a session is queried again while changes are not heard', async () => {
  const { hash } = await openSession();

  for (const heard of [true, false, true]) {
    isHeard = heard;
    await known.find(hash, 9);
  }

  expect(query).toHaveBeenCalledTimes(2);
});

test('what was not found is queried again', async () => {
  for (let calls = 0; calls < 2; calls += 1) {
    expect(await known.find('unknown', 9)).toBeUndefined();
  }

  expect(query).toHaveBeenCalledTimes(2);
});

test('a known session ends at its time', async () => {
  const { hash } = await openSession(10);
  expect(await known.find(hash, 9)).toBeDefined();

  expect(await known.find(hash, 10)).toBeUndefined();
});

test('a session that ends between the query and its answer is not kept', async () => {
  const { hash, installation } = await openSession();
  const real = query.getMockImplementation();
  query.mockImplementationOnce(async (asked, now) => {
    const session = await real?.(asked, now);
    await uninstall(store, installation, 2);
    known.forget(installation.id);
    return session;
  });
  expect(await known.find(hash, 9)).toBeDefined();

  expect(await known.find(hash, 9)).toBeUndefined();
});

test('beyond its limit, a session is forgotten rather than a change', async () => {
  const limit = 10_000;
  const many = rememberSessions(
    async (hash) => ({ installationId: hash, expiresAt: 10, claims: {} }) as FoundPluginSession,
    () => true,
  );
  await many.find('first', 9);
  for (let count = 0; count < limit; count += 1) {
    await many.find(`session ${count}`, 9);
    // It stays among the used sessions, but its installation is not found again.
    if (count % 100 === 0) await many.find('first', 9);
  }
  const last = await many.find('first', 9);

  many.forget('first');

  expect(await many.find('first', 9)).not.toBe(last);
});
