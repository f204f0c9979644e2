/** An installation that an operator has paused: what is not sent, by any process. */
import { systemTimer } from '@dowel/http';
import {
  createStrictAuthorizationServer,
  createWorld,
  type World,
} from '@dowel/token-client/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Store, StoreError } from '../index.ts';
import { sqlite, type TestDatabase } from '../testing/index.ts';

let world: World<TestDatabase>;

beforeAll(async () => {
  world = await createWorld({ createServer: createStrictAuthorizationServer, database: sqlite });
});
afterAll(() => world.close());

/** Pauses the installation, and waits until this process has noticed it. */
async function pauseAndHear(id: string): Promise<void> {
  const heard = Promise.withResolvers<void>();
  const stop = world.store.onChange((changed) => changed === id && heard.resolve());
  await world.store.operators.pause(id, pause);
  await heard.promise;
  stop();
}

/** Pauses the installation when a refresh is about to be sent. */
function pauseBeforeSending(id: string): typeof fetch {
  return async (...request) => {
    await pauseAndHear(id);
    return fetch(...request);
  };
}

/** A database that stores nothing while it is away, and cannot be read either if `isUnreadable`. */
function createWeakStore({ isUnreadable = false } = {}) {
  const { store } = world;
  const weakness = { isAway: false };
  const away = () => Promise.reject(new StoreError('DATABASE_UNAVAILABLE', 'It is away'));
  const findVersion: Store['grants']['findVersion'] = (id) =>
    weakness.isAway && isUnreadable ? away() : store.grants.findVersion(id);
  const transaction: Store['transaction'] = (...work) =>
    weakness.isAway ? away() : store.transaction(...work);
  return { weakness, store: { ...store, grants: { ...store.grants, findVersion }, transaction } };
}

const pause = { by: 'night.desk', reason: 'tenant asked for it' };
const paused = { code: 'INSTALLATION_PAUSED' };
const codeOf = ({ code }: { code: string }) => code;

test('F20: calls with a living token fail in every process, and succeed after the resume', async () => {
  const { id, tally } = await world.install();
  const other = await world.database.open();
  const client = world.createClient({ store: other });
  expect((await client.fetch(id, '/things')).status).toBe(201);

  await world.store.operators.pause(id, pause);

  await expect
    .poll(() => client.fetch(id, '/things').then(() => 'sent', String))
    .toContain('paused');
  await expect(world.client.fetch(id, '/things')).rejects.toMatchObject(paused);
  await expect(world.client.getAccessToken(id)).rejects.toMatchObject(paused);
  await expect(world.client.invalidate(id, 1)).rejects.toMatchObject(paused);
  expect(tally).toMatchObject({ refreshes: 0, triggers: 0 });

  await world.store.operators.resume(id);
  expect((await world.client.fetch(id, '/things')).status).toBe(201);
  await other.close();
});

test('F20: a paused dead grant is not healed, and a call does not ask for an event', async () => {
  const installation = await world.install();
  const { id, tally } = installation;
  await world.platform.revokeGrants(installation);
  installation.sendsEvents = false;
  const { tokenVersion } = await world.client.getAccessToken(id);
  await expect(world.client.invalidate(id, tokenVersion, { timeoutMs: 500 })).rejects.toThrow();
  await expect.poll(() => tally.triggers).toBe(1);

  await world.store.operators.pause(id, pause);
  await world.database.shiftClock(60_000);
  await world.client.heal();
  await expect(world.client.fetch(id, '/things')).rejects.toMatchObject(paused);
  await expect(world.client.askForEvent(id)).rejects.toMatchObject(paused);

  expect(tally.triggers).toBe(1);
  await world.store.operators.resume(id);
  expect(await world.client.heal()).toBe(1);
});

test('F20: a call that waits for an event ends when the installation is paused', async () => {
  const installation = await world.install();
  const { id } = installation;
  await world.platform.revokeGrants(installation);
  installation.sendsEvents = false;
  const { tokenVersion } = await world.client.getAccessToken(id);
  const waiting = world.client.invalidate(id, tokenVersion);
  waiting.catch(() => {});
  await expect.poll(() => installation.tally.triggers).toBe(1);

  await world.store.operators.pause(id, pause);

  await expect(waiting).rejects.toMatchObject(paused);
});

test('F20: tokens of an event are stored while it is paused, and not used', async () => {
  const installation = await world.install();
  const { id } = installation;
  await world.store.operators.pause(id, pause);

  await world.platform.sendEvent(installation);

  expect(await world.tokenVersion(id)).toBe(2);
  await expect(world.client.fetch(id, '/things')).rejects.toMatchObject(paused);
});

test('F20: a pause while a refresh is under way keeps its tokens, and no call is sent with them', async () => {
  const installation = await world.install();
  const { id, tally } = installation;
  const { tokenVersion } = await world.client.getAccessToken(id);
  const client = world.createClient({ tokenFetch: pauseBeforeSending(id) });

  await client.invalidate(id, tokenVersion).catch(() => {});

  expect(await world.tokenVersion(id)).toBe(2);
  await expect(client.fetch(id, '/things')).rejects.toMatchObject(paused);
  expect(tally).toMatchObject({ refreshes: 1, accepted: 0 });
  await world.store.operators.resume(id);
  expect((await client.fetch(id, '/things')).status).toBe(201);
  expect(tally).toMatchObject({ refreshes: 1, accepted: 1 });
});

test.each([true, false])(
  'F20: a pause while a refresh is under way stops its tokens if they cannot be stored, unreadable: %s',
  async (isUnreadable) => {
    const { id, tally } = await world.install();
    const { tokenVersion } = await world.client.getAccessToken(id);
    const { weakness, store } = createWeakStore({ isUnreadable });
    const pauseAndSend = pauseBeforeSending(id);
    const client = world.createClient({
      store,
      tokenFetch: async (...request) => {
        const response = await pauseAndSend(...request);
        weakness.isAway = true;
        return response;
      },
    });
    const call = () => client.fetch(id, '/things');

    await client.invalidate(id, tokenVersion).catch(() => {});

    await expect(call()).rejects.toMatchObject(paused);
    expect(tally).toMatchObject({ refreshes: 1, accepted: 0, refused: 0 });
    weakness.isAway = false;
    await world.store.operators.resume(id);
    await expect.poll(() => call().then(({ status }) => status, String)).toBe(201);
    expect(tally).toMatchObject({ refreshes: 1, accepted: 1, refused: 0 });
    await client.drain();
  },
);

test('F20: a pause that is noticed while tokens cannot be stored stops the call that waits for them', async () => {
  const installation = await world.install();
  const { id, tally } = installation;
  await world.platform.revokeAccessTokens(installation);
  const { weakness, store } = createWeakStore();
  let writes = 0;
  const transaction: Store['transaction'] = async (...work) => {
    if (tally.refreshes > 0) writes += 1;
    if (writes === 1) {
      weakness.isAway = true;
      await pauseAndHear(id);
    }
    return store.transaction(...work);
  };
  const client = world.createClient({ store: { ...store, transaction } });

  await expect(client.fetch(id, '/things')).rejects.toMatchObject(paused);

  expect(tally).toMatchObject({ refreshes: 1, accepted: 0, refused: 1 });
  // So that the tokens are stored.
  weakness.isAway = false;
  await client.drain();
});

test('F20: tokens that are not stored yet are not used after a pause or an uninstall', async () => {
  const { id, tally, baseUrl: issuer, tenantId, pluginId } = await world.install();
  const { tokenVersion } = await world.client.getAccessToken(id);
  const { weakness, store } = createWeakStore();
  const client = world.createClient({
    store,
    tokenFetch: async (...request) => {
      weakness.isAway = true;
      return fetch(...request);
    },
  });
  const outcome = () => client.fetch(id, '/things').then(({ status }) => status, codeOf);
  await client.invalidate(id, tokenVersion);
  expect(await outcome()).toBe(201);

  await world.store.operators.pause(id, pause);
  await expect.poll(outcome).toBe('INSTALLATION_PAUSED');
  await world.store.operators.resume(id);
  await expect.poll(outcome).toBe(201);
  await world.store.installations.uninstall({ issuer, tenantId, pluginId }, 9_999_999_999);
  await expect.poll(outcome).toBe('GRANT_NOT_FOUND');

  expect(tally).toMatchObject({ refreshes: 1, refused: 0 });
  weakness.isAway = false;
  await client.drain();
});

test('F20: a pause while a call waits for a refresh stops the call, although its token lives', async () => {
  const { id, tally } = await world.install();
  const { expiresAt } = (await world.store.grants.load(id)) ?? {};
  const livingWaitMs = 500_000;
  let endLivingWait = () => {};
  const pauseAndSend = pauseBeforeSending(id);
  const answered = Promise.withResolvers<void>();
  const client = world.createClient({
    policy: { livingWaitMs },
    now: () => (expiresAt ?? 0) - 1_000,
    timer: {
      ...systemTimer,
      after(ms, callback) {
        if (ms < livingWaitMs / 2) return systemTimer.after(ms, callback);
        endLivingWait = callback;
        return () => {};
      },
    },
    tokenFetch: async (...request) => {
      const response = await pauseAndSend(...request);
      endLivingWait();
      await answered.promise;
      return response;
    },
  });

  await expect(client.fetch(id, '/things')).rejects.toMatchObject(paused);
  answered.resolve();
  await client.drain();

  expect(tally).toMatchObject({ accepted: 0, refused: 0 });
});
