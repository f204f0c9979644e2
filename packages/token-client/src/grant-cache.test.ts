import { systemTimer } from '@dowel/http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGrantCache } from './grant-cache.ts';
import { createStrictAuthorizationServer } from './testing/strict-authorization-server.ts';
import { createWorld, type World } from './testing/world.ts';

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
  const cache = createGrantCache(slow, systemTimer, { maxGrants: 10, recheckMs: 1_000 });

  const reading = cache.read(id);
  await loaded.promise;
  const installation = await store.installations.get(id);
  if (!installation) throw new Error('Nothing is installed');
  const iat = Math.ceil(Date.now() / 1000);
  await store.transaction(({ installations }) => installations.uninstall(installation, iat));
  release.resolve();
  await reading;

  await expect.poll(() => cache.peek(id)).toBeUndefined();
});

test('a reload after a change shares no query from before it', async () => {
  const { id } = await world.install();
  const { store } = world;
  const looked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let looks = 0;
  const findVersion: typeof store.grants.findVersion = async (installationId) => {
    const version = await store.grants.findVersion(installationId);
    looks += 1;
    if (looks !== 2) return version;
    looked.resolve();
    await release.promise;
    return version;
  };
  const deaf = { ...store, onChange: () => () => {}, grants: { ...store.grants, findVersion } };
  const cache = createGrantCache(deaf, systemTimer, { maxGrants: 10, recheckMs: 1_000 });
  const before = await cache.read(id);

  const early = cache.read(id);
  await looked.promise;
  await store.transaction(({ grants }) => grants.commitRefresh(before, { ...before, issuedAt: 1 }));
  const late = cache.reload(id);
  release.resolve();

  expect((await early).tokenVersion).toBe(before.tokenVersion);
  expect((await late).tokenVersion).toBe(before.tokenVersion + 1);
});
