/** A database that takes longer for a lease than the lease lasts: nothing was sent, so nothing has failed. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TokenObservation } from './observation.ts';
import { createStrictAuthorizationServer } from './testing/strict-authorization-server.ts';
import { createWorld, type World } from './testing/world.ts';
import type { RenewalStore } from './token-store.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld({ createServer: createStrictAuthorizationServer });
});
afterAll(() => world.close());

const post = { method: 'POST', body: '{}' };

/** A client whose clock jumps after each lease, and for which `meanwhile` happens then. */
function createSlowClient(jumpsMs: number[], meanwhile: () => Promise<unknown> = async () => {}) {
  const { store } = world;
  const heard: TokenObservation[] = [];
  let aheadMs = 0;
  const jump = async () => {
    const ms = jumpsMs.shift();
    if (ms === undefined) return;
    aheadMs += ms;
    await meanwhile();
  };
  const acquire: RenewalStore['acquire'] = async (...request) => {
    const outcome = await store.renewals.acquire(...request);
    await jump();
    return outcome;
  };
  const extend: RenewalStore['extend'] = async (...request) => {
    const isExtended = await store.renewals.extend(...request);
    await jump();
    return isExtended;
  };
  const client = world.createClient({
    store: { ...store, renewals: { ...store.renewals, acquire, extend } },
    now: () => Date.now() + aheadMs,
    observe: (observation) => heard.push(observation),
  });
  return { client, heard };
}

test('R2: a lease that lapsed before its request is extended, and nothing counts as failed', async () => {
  const installation = await world.install();
  await world.platform.revokeAccessTokens(installation);
  const { client, heard } = createSlowClient([20_000, 12_000]);

  const { status } = await client.fetch(installation.id, '/things', post);

  expect(status).toBe(201);
  expect(installation.tally).toMatchObject({ refreshes: 1, maxPresentations: 1, triggers: 0 });
  expect(heard.map(({ type }) => type)).toEqual(['refreshed']);
});

test('R2: a lease that another process has taken meanwhile sends nothing and uses its tokens', async () => {
  const installation = await world.install();
  await world.platform.revokeAccessTokens(installation);
  const grant = await world.store.grants.load(installation.id);
  const { client, heard } = createSlowClient([20_000], async () => {
    await world.database.shiftClock(20_000);
    await world.createClient().invalidate(installation.id, grant?.tokenVersion ?? 0);
  });

  const { status } = await client.fetch(installation.id, '/things', post);

  expect(status).toBe(201);
  expect(installation.tally).toMatchObject({ refreshes: 1, maxPresentations: 1, triggers: 0 });
  expect(heard).toEqual([]);
});
