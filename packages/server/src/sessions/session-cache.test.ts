/** Row G05: sessions in memory end with their installation or instance. */
import { randomUUID } from 'node:crypto';
import type { Installation, Store, StoreListener } from '@dowel/installation-store';
import { sqlite } from '@dowel/installation-store/testing';
import { beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest';
import { createSessionCache, type FindSession } from './session-cache.ts';

const expiresAt = 10_000;
const now = 5_000;

let store: Store;
/** Another process, with the same database. */
let other: Store;
let installation: Installation;
let find: FindSession;
let asked: MockInstance<Store['sessions']['findPluginSession']>;

beforeEach(async () => {
  const database = await sqlite.create();
  store = await database.open();
  other = await database.open();
  const key = { issuer: 'https://acme.test', tenantId: randomUUID(), pluginId: randomUUID() };
  installation = await store.installations.begin(key, 1, 1);
  await store.installations.addInstance(installation.id, 'w', 1);
  await openSession('one', 'w');
  find = createSessionCache(store);
  asked = vi.spyOn(store.sessions, 'findPluginSession');
  return () => database.destroy();
});

async function openSession(tokenHash: string, instanceId: string): Promise<void> {
  const { id: installationId, generation } = installation;
  const session = { installationId, generation, userId: 'u', instanceId, expiresAt };
  expect(await store.sessions.createPluginSession(tokenHash, session, tokenHash)).toBe('opened');
}

test('the calls of a page in a row ask the database once', async () => {
  const first = await find('one', now);

  expect(first).toMatchObject({ userId: 'u', instanceId: 'w' });
  expect(await find('one', now)).toBe(first);
  expect(asked).toHaveBeenCalledOnce();
});

test('a session that is not there is asked for again', async () => {
  expect(await find('two', now)).toBeUndefined();
  await openSession('two', 'w');

  expect(await find('two', now)).toMatchObject({ userId: 'u' });
});

test('a session in memory expires', async () => {
  expect(await find('one', expiresAt - 1)).toBeDefined();

  expect(await find('one', expiresAt)).toBeUndefined();
});

describe('G05: a session in memory', () => {
  test('ends at once with its instance, in the process that removes it', async () => {
    await find('one', now);

    await store.installations.removeInstance(installation.id, 'w', 2);

    expect(await find('one', now)).toBeUndefined();
  });

  test('ends with its installation, which another process uninstalls', async () => {
    await find('one', now);
    const { issuer, tenantId, pluginId } = installation;

    await other.installations.uninstall({ issuer, tenantId, pluginId }, 2);

    await expect.poll(() => find('one', now)).toBeUndefined();
  });

  test('is not kept if something changed while it was asked for', async () => {
    const { findPluginSession } = store.sessions;
    asked.mockImplementationOnce(async (...values) => {
      const found = await findPluginSession(...values);
      await store.installations.removeInstance(installation.id, 'w', 2);
      return found;
    });
    await find('one', now);

    expect(await find('one', now)).toBeUndefined();
  });
});

describe('G05: without news of changes, a session in memory', () => {
  let listener: StoreListener;
  let clock: MockInstance<() => number>;

  beforeEach(() => {
    const onChange: Store['onChange'] = (added) => {
      listener = added;
      return () => {};
    };
    find = createSessionCache({ sessions: store.sessions, onChange });
    clock = vi.spyOn(performance, 'now').mockReturnValue(1);
    return () => clock.mockRestore();
  });

  test.each([
    [1_000, 1],
    [1_001, 2],
  ])('is asked for again after a second (%i ms: %i)', async (laterMs, times) => {
    await find('one', now);

    clock.mockReturnValue(laterMs);
    await find('one', now);

    expect(asked).toHaveBeenCalledTimes(times);
  });

  test('is asked for again when changes may have been missed', async () => {
    await find('one', now);
    clock.mockReturnValue(2);

    listener(null, true);
    clock.mockReturnValue(3);
    await find('one', now);

    expect(asked).toHaveBeenCalledTimes(2);
  });

  test('is kept while another installation changes', async () => {
    await find('one', now);
    clock.mockReturnValue(2);

    listener('another', true);
    await find('one', now);

    expect(asked).toHaveBeenCalledOnce();
  });
});
