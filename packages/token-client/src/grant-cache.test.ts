import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGrantCache } from './grant-cache.ts';
import { createStrictAuthorizationServer } from './testing/strict-authorization-server.ts';
import { createWorld, type World } from './testing/world.ts';
import { systemTimer } from './timer.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld({ createServer: createStrictAuthorizationServer });
});
afterAll(() => world.close());

test('an uninstall leaves no secret in memory, though it overtakes a look at the store', async () => {
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
  await store.transaction(({ installations }) => installations.uninstall(installation, 2));
  release.resolve();
  await reading;

  await expect.poll(() => cache.peek(id)).toBeUndefined();
});
