/** Refreshes that are slow or fail for a while, beside a strict authorization server: no caller notices. */
import { refuses } from '@dowel/emulator/authorization-server';
import { systemTimer, type Timer } from '@dowel/http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStrictAuthorizationServer } from './testing/strict-authorization-server.ts';
import { createWorld, type World } from './testing/world.ts';
import type { TokenClient } from './token-client.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ createServer: createStrictAuthorizationServer });
});
afterAll(async () => {
  await world.platform.close();
  await world.client.drain();
  await world.database.destroy();
});

const clean = { reuses: 0, strangers: 0, triggers: 0, maxRefreshesInFlight: 1 };
const post = { method: 'POST', body: '{}' };

async function callTwenty(client: Pick<TokenClient, 'fetch'>, id: string): Promise<number[]> {
  const calls = Array.from({ length: 20 }, () => client.fetch(id, '/things', post));
  return (await Promise.all(calls)).map(({ status }) => status);
}

const succeeded = Array<number>(20).fill(201);

/** A request that waits until it is released. */
function createGate() {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const before = () => {
    arrived.resolve();
    return released.promise;
  };
  return { before, arrived: arrived.promise, release: released.resolve };
}

test.each([
  ['one 503', refuses(503)],
  ['JSON that is not a token response', refuses(200, {})],
  ['temporarily_unavailable', refuses(400, { error: 'temporarily_unavailable' })],
])('T2: %s costs one more token request, and all calls succeed', async (_, fault) => {
  const installation = await world.install();
  await world.platform.revokeAccessTokens(installation);
  installation.refreshFaults = [fault];

  expect(await callTwenty(world.client, installation.id)).toEqual(succeeded);

  expect(installation.tally).toMatchObject({ ...clean, refreshes: 2, maxPresentations: 2 });
});

test('T2: a 429 with Retry-After is obeyed', async () => {
  const installation = await world.install();
  await world.platform.revokeAccessTokens(installation);
  const arrivals: number[] = [];
  const before = async () => arrivals.push(performance.now());
  installation.refreshFaults = [
    { before, ...refuses(429, {}, { 'retry-after': '1' }) },
    { before },
  ];

  expect(await callTwenty(world.client, installation.id)).toEqual(succeeded);

  const [first = 0, second = 0] = arrivals;
  expect(second - first).toBeGreaterThanOrEqual(990);
});

test('R2: a refresh token has 14 seconds when it is presented first, and 5 when it is presented again', async () => {
  const installation = await world.install();
  await world.platform.revokeAccessTokens(installation);
  installation.refreshFaults = [refuses(504)];
  const limits: number[] = [];
  const after: Timer['after'] = (ms, callback) => {
    if (ms === 14_000 || ms === 5_000) limits.push(ms);
    return systemTimer.after(ms, callback);
  };
  const at = Date.now();
  const client = world.createClient({ timer: { monotonic: () => 0, after }, now: () => at });

  expect((await client.fetch(installation.id, '/things', post)).status).toBe(201);

  expect(limits).toEqual([14_000, 5_000]);
  expect(client.figures().presentedAgain).toBe(1);
});

test('while the current token is valid, a slow refresh delays no call, and is requested once', async () => {
  const installation = await world.install();
  const { before, release } = createGate();
  installation.standingFault = { before };
  const inTheMargin = Date.now() + 3_595_000;
  const client = world.createClient({ now: () => inTheMargin, policy: { livingWaitMs: 1 } });

  expect(await callTwenty(client, installation.id)).toEqual(succeeded);

  await expect.poll(() => installation.tally.maxRefreshesInFlight).toBe(1);
  expect(installation.tally).toMatchObject({ ...clean, refused: 0, issued: 0 });
  release();
  await expect.poll(() => world.tokenVersion(installation.id)).toBe(2);
});

test('R4: calls that begin while a refused token is refreshed wait, though they wait for no living token', async () => {
  const installation = await world.install();
  await world.platform.revokeAccessTokens(installation);
  const { before, arrived, release } = createGate();
  installation.refreshFaults = [{ before }];
  const client = world.createClient({ policy: { livingWaitMs: 0 } });
  const first = client.fetch(installation.id, '/things', post);
  await arrived;

  const others = callTwenty(client, installation.id);
  release();

  expect((await first).status).toBe(201);
  expect(await others).toEqual(succeeded);
  expect(installation.tally).toMatchObject({ ...clean, refreshes: 1, refused: 1 });
});
