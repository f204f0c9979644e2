import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGrantCache } from './grant-cache.ts';
import type { RecordedStore } from './testing/memory-database.ts';
import { createStrictAuthorizationServer } from './testing/strict-authorization-server.ts';
import { createWorld, type World } from './testing/world.ts';
import type { StoreListener } from './token-store.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld({ createServer: createStrictAuthorizationServer });
});
afterAll(() => world.close());

test('an uninstall leaves no secret in memory, even during a query', async () => {
  const { id } = await world.install();
  const { store } = world;
  const loaded = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const load: typeof store.grants.load = async (installationId) => {
    const grant = await store.grants.load(installationId);
    loaded.resolve();
    await release.promise;
    return grant;
  };
  const slow = { ...store, grants: { ...store.grants, load } };
  const cache = createGrantCache(slow, { maxGrants: 10 });

  const reading = cache.read(id);
  await loaded.promise;
  const installation = await store.installations.get(id);
  if (!installation) throw new Error('Nothing is installed');
  const iat = Math.ceil(Date.now() / 1000);
  await store.transaction(({ installations }) => installations.uninstall(installation, iat));
  release.resolve();

  await expect(reading).rejects.toMatchObject({ code: 'GRANT_NOT_FOUND' });
  expect(cache.peek(id)).toBeUndefined();
});

test('a read that a change overtakes gives the newer tokens', async () => {
  const { id } = await world.install();
  const { store } = world;
  const loaded = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const load: typeof store.grants.load = async (installationId) => {
    const grant = await store.grants.load(installationId);
    loaded.resolve();
    await release.promise;
    return grant;
  };
  const cache = createGrantCache(
    { ...store, grants: { ...store.grants, load } },
    { maxGrants: 10 },
  );
  const before = await store.grants.load(id);
  if (!before) throw new Error('Nothing is stored');

  const early = cache.read(id);
  await loaded.promise;
  await store.transaction(({ grants }) => grants.commitRefresh(before, { ...before, issuedAt: 1 }));
  const late = cache.read(id);
  release.resolve();

  expect((await early).tokenVersion).toBe(before.tokenVersion + 1);
  expect((await late).tokenVersion).toBe(before.tokenVersion + 1);
});

test('when changes may have been missed, everything is read again', async () => {
  const { id } = await world.install();
  const { store } = world;
  const listeners: StoreListener[] = [];
  const deaf: RecordedStore = {
    ...store,
    onChange(listener) {
      listeners.push(listener);
      return () => {};
    },
  };
  const cache = createGrantCache(deaf, { maxGrants: 10 });
  const before = await cache.read(id);
  await store.transaction(({ grants }) => grants.commitRefresh(before, { ...before, issuedAt: 1 }));
  expect((await cache.read(id)).tokenVersion).toBe(before.tokenVersion);

  for (const listener of listeners) listener(null, true);

  expect((await cache.read(id)).tokenVersion).toBe(before.tokenVersion + 1);
});

test('an unsaved token set is not dropped to make room, and is used until it is settled', async () => {
  const { store } = world;
  const [{ id }, other] = [await world.install(), await world.install()];
  const cache = createGrantCache(store, { maxGrants: 1 });
  const before = await cache.read(id);
  const tokenVersion = before.tokenVersion + 1;
  cache.put({ ...before, tokenVersion }, true);

  await cache.read(other.id);

  expect(cache.peek(id)).toMatchObject({ tokenVersion });
  expect(await cache.reload(id)).toMatchObject({ tokenVersion });
  cache.settle(id);
  expect(await cache.read(id)).toMatchObject({ tokenVersion: before.tokenVersion });
});
