/** Dead grants: what is sent, stored and reported while no new event arrives. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createContext } from './context.ts';
import type { TokenObservation } from './observation.ts';
import { triggerNewEvent } from './recovery.ts';
import { createStrictAuthorizationServer } from './testing/strict-authorization-server.ts';
import { createWorld, type World } from './testing/world.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld({ createServer: createStrictAuthorizationServer });
});
afterAll(() => world.close());

const post = { method: 'POST', body: '{}' };

/** An installation with a dead grant, whose platform accepts no trigger. */
async function orphaned() {
  const installation = await world.install();
  await world.platform.revokeGrants(installation);
  installation.triggerAnswer = { status: 503, body: {} };
  return installation;
}

describe('while the trigger is not accepted', () => {
  test('a dead token is not sent, and neither its death nor its trigger is repeated', async () => {
    const { id, tally } = await orphaned();
    const heard: TokenObservation['type'][] = [];
    const client = world.createClient({ observe: ({ type }) => heard.push(type) });

    for (const _ of [1, 2, 3]) {
      await expect(client.fetch(id, '/things', post)).rejects.toMatchObject({
        code: 'TOKEN_UNAVAILABLE',
      });
    }

    expect(tally).toMatchObject({ refused: 1, refreshes: 1, triggers: 1 });
    expect(heard).toEqual(['refresh_failed', 'parked', 'triggered']);
  });

  test('a dead token is not sent while the database cannot store its death', async () => {
    const { id, tally } = await orphaned();
    const transaction = () => Promise.reject(new Error('disk full'));
    const client = world.createClient({ store: { ...world.store, transaction } });

    for (const _ of [1, 2, 3]) await expect(client.fetch(id, '/things', post)).rejects.toThrow();

    expect(tally).toMatchObject({ refused: 1, refreshes: 1 });
  });

  test('another process reports the original reason of the dead grant', async () => {
    const { id: installationId } = await orphaned();
    const heard: TokenObservation[] = [];
    const [first, second] = [
      world.createClient(),
      world.createClient({ observe: (observation) => heard.push(observation) }),
    ];

    for (const client of [first, second]) await client.getAccessToken(installationId);
    for (const client of [first, second]) {
      await expect(client.invalidate(installationId, 1, { timeoutMs: 100 })).rejects.toMatchObject({
        code: 'TOKEN_UNAVAILABLE',
      });
    }

    await expect
      .poll(() => heard)
      .toEqual([{ type: 'parked', installationId, reason: 'invalid_grant' }]);
  });

  test('C1: its refusal does not count longer if the clock is set back', async () => {
    const installation = await orphaned();
    let aheadMs = 0;
    const client = world.createClient({
      now: () => Date.now() + aheadMs,
      policy: { trigger: { takenMs: 1, failedMs: 1, maxTakenMs: 1, maxFailedMs: 1 } },
    });
    await expect(client.fetch(installation.id, '/things', post)).rejects.toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
    });

    aheadMs = -3_600_000;
    installation.triggerAnswer = { status: 202, body: {} };

    await expect
      .poll(() => client.fetch(installation.id, '/things', post).catch(() => ({ status: 503 })))
      .toMatchObject({ status: 201 });
  });

  test('an event that still arrives is noticed, even without an announcement', async () => {
    const installation = await orphaned();
    const client = world.createClient({ store: { ...world.store, onChange: () => () => {} } });
    await expect(client.fetch(installation.id, '/things', post)).rejects.toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
    });

    await world.platform.sendEvent(installation);

    await client.invalidate(installation.id, 1);
    expect((await client.fetch(installation.id, '/things', post)).status).toBe(201);
    expect(installation.tally).toMatchObject({ refreshes: 1, triggers: 1 });
  });
});

test('a client is drained when the trigger of a call was answered and recorded', async () => {
  const installation = await world.install();
  await world.platform.revokeGrants(installation);
  installation.sendsEvents = false;
  const answered = Promise.withResolvers<void>();
  installation.beforeTriggerAnswer = () => answered.promise;
  const heard: string[] = [];
  const client = world.createClient({
    policy: { drainMs: 50 },
    observe: ({ type }) => heard.push(type),
  });
  const call = client.fetch(installation.id, '/things', post);
  call.catch(() => undefined);
  await expect.poll(() => installation.tally.triggers).toBe(1);

  const draining = client.drain().then(() => heard.push('drained'));
  await expect(call).rejects.toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
  answered.resolve();
  await draining;

  expect(heard.slice(-2)).toEqual(['triggered', 'drained']);
});

test('an event that names no trigger is not asked for again as soon as one whose trigger failed', async () => {
  const installation = await world.install({ hasTrigger: false });
  const { id } = installation;
  await world.platform.revokeGrants(installation);
  const client = world.createClient({ random: () => 0.5 });

  await expect(client.fetch(id, '/things', post)).rejects.toMatchObject({
    code: 'TOKEN_UNAVAILABLE',
    message: 'The platform did not accept the trigger: no_trigger_event',
    retryAfterSeconds: 30,
  });
  await world.database.shiftClock(29_000);
  await client.heal();

  const triggers = world.database
    .operationsOf(id)
    .filter(({ operation }) => operation === 'trigger');
  expect(triggers).toMatchObject([{ succeeded: false, reason: 'no_trigger_event' }]);
  expect(installation.tally.triggers).toBe(0);
});

test('triggers that hang delay neither a refresh nor an exchange', async () => {
  const release = Promise.withResolvers<void>();
  let hanging = 0;
  for (let count = 0; count < 40; count += 1) {
    const dead = await orphaned();
    dead.beforeTriggerAnswer = () => {
      hanging += 1;
      return release.promise;
    };
    const version = await world.store.grants.findVersion(dead.id);
    if (version) await world.store.grants.markAwaitingEvent(version, 'invalid_grant', Date.now());
  }
  const [expired, renewed] = [await world.install(), await world.install()];
  await world.platform.revokeAccessTokens(expired);

  const healing = world.client.heal();
  await expect.poll(() => hanging).toBe(40);
  expect((await world.client.fetch(expired.id, '/things', post)).status).toBe(201);
  await world.platform.sendEvent(renewed);

  expect(expired.tally).toMatchObject({ refreshes: 1, maxPresentations: 1 });
  expect(await world.tokenVersion(renewed.id)).toBe(2);
  release.resolve();
  await healing;
});

test('I05: a trigger that was not sent, because one was sent recently, says nothing about the platform', async () => {
  const { id, baseUrl } = await world.install();
  const version = { installationId: id, generation: 1, tokenVersion: 1 };
  const { store } = world;
  const claimTrigger = async () => ({ outcome: 'too_early', retryInMs: 1_000 }) as const;
  const context = createContext({
    store: { ...store, renewals: { ...store.renewals, claimTrigger } },
  });
  const refused = { tokenVersion: 1, until: Infinity, reason: 'trigger_unreachable' };
  context.refusedTriggers.set(id, refused);

  expect(await triggerNewEvent(context, version)).toMatchObject({ taken: false });

  const share = context.gates.trigger.lanes.get(baseUrl)?.shares.get(id);
  expect(share).toMatchObject({ standing: 'new', taken: 0 });
});

test.each([
  { due: 250, pages: 3 },
  { due: 5_000, pages: 10 },
])('of $due due installations, a round of healing takes $pages pages', async ({ due, pages }) => {
  const { store } = world;
  const asked: number[] = [];
  const client = world.createClient({
    store: {
      ...store,
      renewals: {
        ...store.renewals,
        claimDue: async (limit) => {
          const left = due - limit * asked.push(limit) + limit;
          const page = { length: Math.min(limit, left) };
          // They are gone meanwhile, so no trigger is sent.
          return Array.from(page, () => ({
            installationId: 'gone',
            generation: 1,
            tokenVersion: 1,
          }));
        },
      },
    },
  });

  expect(await client.heal()).toBe(0);
  expect(asked).toEqual(Array(pages).fill(100));
});

test('R2: a refresh whose answer was lost is not repeated within three seconds', async () => {
  const installation = await world.install();
  await world.platform.revokeAccessTokens(installation);
  installation.refreshFaults = [{ isLost: true }];
  const failed = Promise.withResolvers<number | null>();
  const client = world.createClient({
    random: () => 0,
    observe(observation) {
      if (observation.type === 'refresh_failed') failed.resolve(observation.retryInMs);
    },
  });
  const leaving = new AbortController();

  const call = client.fetch(installation.id, '/things', { ...post, signal: leaving.signal });

  expect(await failed.promise).toBe(3_000);
  leaving.abort();
  await expect(call).rejects.toThrow();
  expect(installation.tally).toMatchObject({ refreshes: 1, triggers: 0 });
});
