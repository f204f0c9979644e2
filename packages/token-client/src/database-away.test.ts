import { pause, systemTimer, type Timer } from '@dowel/http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TokenObservation } from './observation.ts';
import { defaultPolicy } from './policy.ts';
import { type RecordedStore, unavailable } from './testing/memory-database.ts';
import {
  type EventReceiver,
  type OutageWorld,
  startOutageWorld,
  createWeakStore as weaken,
} from './testing/outage-world.ts';
import type { TokenClientOptions } from './token-client.ts';
import type { StoreListener } from './token-store.ts';

/** How many milliseconds the store's clock is ahead of the real one. */
let clockOffsetMs = 0;
let world: OutageWorld;
let store: RecordedStore;
let platform: OutageWorld['platform'];
/** The receiver of the platform's events. */
let receiver: EventReceiver;

beforeAll(async () => {
  world = await startOutageWorld({
    now: () => Date.now() + clockOffsetMs,
    receiver: () => receiver,
  });
  ({ store, platform } = world);
});
beforeEach(() => {
  receiver = { store, client: createClient() };
});
afterAll(() => world.close());

const createClient = (options?: Partial<TokenClientOptions>) => world.createClient(options);
const install = () => world.install();
const expired = () => world.expired();
const createWeakStore = () => weaken(store);

const post = { method: 'POST', body: '{}' };

describe('while the database is away', () => {
  test('N1: a token in memory is used, and no process refreshes without the lease', async () => {
    const installation = await install();
    const { weakness, store: weak } = createWeakStore();
    const client = createClient({ store: weak });
    await client.getAccessToken(installation.id);

    weakness.isAway = true;
    expect((await client.fetch(installation.id, '/things', post)).status).toBe(201);
    await platform.revokeAccessTokens(installation);
    await expect(client.fetch(installation.id, '/things', post)).rejects.toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
    });
    expect(installation.tally.refreshes).toBe(0);

    weakness.isAway = false;
    expect((await client.fetch(installation.id, '/things', post)).status).toBe(201);
    expect(installation.tally.refreshes).toBe(1);
  });

  test('renewals end when the time of their calls is over', async () => {
    const installation = await install();
    let leases = 0;
    const acquire: RecordedStore['renewals']['acquire'] = () => {
      leases += 1;
      return Promise.reject(Object.assign(unavailable(), { lack: 'answers' }));
    };
    const client = createClient({
      store: { ...store, renewals: { ...store.renewals, acquire } },
      policy: { waitMs: 300, callTimeoutMs: 350 },
      // Its token has expired.
      now: () => Date.now() + 86_400_000,
    });
    const calls = Array.from({ length: 20 }, () => client.fetch(installation.id, '/things', post));

    expect((await Promise.allSettled(calls)).map(({ status }) => status)).not.toContain(
      'fulfilled',
    );
    const leasesLater = async () => {
      const before = leases;
      await pause(systemTimer, 600);
      return leases - before;
    };
    await expect.poll(leasesLater, { timeout: 5_000 }).toBe(0);
  });

  test('received tokens are used from memory, and stored when it is back', async () => {
    const installation = await expired();
    const { weakness, store: weak } = createWeakStore();
    const heard: TokenObservation['type'][] = [];
    const client = createClient({ store: weak, observe: ({ type }) => heard.push(type) });
    installation.standingFault = {
      after: async () => {
        weakness.isAway = true;
      },
    };

    for (const _ of [1, 2]) {
      expect((await client.fetch(installation.id, '/things', post)).status).toBe(201);
    }
    expect(heard).toEqual(['unsaved']);
    expect(client.figures().unsavedTokens).toBe(1);
    weakness.isAway = false;
    await expect.poll(() => heard).toEqual(['unsaved', 'saved']);
    expect(client.figures().unsavedTokens).toBe(0);

    const other = createClient();
    expect((await other.fetch(installation.id, '/things', post)).status).toBe(201);
    expect(installation.tally).toMatchObject({ refreshes: 1, reuses: 0 });
  });

  test('an operator’s pause ends the use of received tokens without the wait for the next try', async () => {
    const installation = await expired();
    const { weakness, store: weak } = createWeakStore();
    // The pause between two tries never ends by itself.
    const after: Timer['after'] = (ms, callback) =>
      ms === 100 ? () => {} : systemTimer.after(ms, callback);
    const client = createClient({ store: weak, timer: { ...systemTimer, after } });
    installation.standingFault = {
      after: async () => {
        weakness.isAway = true;
      },
    };
    const call = () => client.fetch(installation.id, '/things', post);
    expect((await call()).status).toBe(201);

    weakness.isAway = false;
    await store.operators.pause(installation.id);

    await expect.poll(() => call().then(() => 'sent', String)).toContain('paused');
    await client.drain();
  });

  test('tokens that arrive while the client is drained are stored, also if the database fails then', async () => {
    const installation = await expired();
    let failuresLeft = 0;
    const failing: RecordedStore = {
      ...store,
      transaction(work, options) {
        if (failuresLeft === 0) return store.transaction(work, options);
        failuresLeft -= 1;
        return Promise.reject(unavailable());
      },
    };
    const heard: TokenObservation['type'][] = [];
    const client = createClient({ store: failing, observe: ({ type }) => heard.push(type) });
    const answered = Promise.withResolvers<void>();
    installation.standingFault = {
      after: async () => {
        await answered.promise;
        failuresLeft = 3;
      },
    };
    const refreshing = client.refreshNow(installation.id);
    await expect.poll(() => installation.tally.refreshes).toBe(1);

    const drained = client.drain();
    answered.resolve();
    await Promise.all([refreshing, drained]);

    expect(heard).toEqual(['unsaved', 'saved']);
    expect(await store.grants.findVersion(installation.id)).toMatchObject({ tokenVersion: 2 });
  });

  test('a write that fails at its commit is repeated only after a pause, although it announces its change', async () => {
    const installation = await expired();
    const listeners: StoreListener[] = [];
    let failuresLeft = 0;
    const full: RecordedStore = {
      ...store,
      onChange(listener) {
        listeners.push(listener);
        return store.onChange(listener);
      },
      transaction: async (work, options) => {
        if (failuresLeft === 0) return store.transaction(work, options);
        failuresLeft -= 1;
        for (const listener of listeners) listener(installation.id, true);
        throw unavailable();
      },
    };
    const pauses: number[] = [];
    const after: Timer['after'] = (ms, callback) => {
      if (![100, 200].includes(ms)) return systemTimer.after(ms, callback);
      pauses.push(ms);
      return systemTimer.after(0, callback);
    };
    const client = createClient({ store: full, timer: { ...systemTimer, after } });
    installation.standingFault = {
      after: async () => {
        failuresLeft = 4;
      },
    };

    expect((await client.fetch(installation.id, '/things', post)).status).toBe(201);
    await client.drain();

    expect(failuresLeft).toBe(0);
    // The first failure is followed at once by a write in the background.
    expect(pauses).toEqual([100, 200, 200]);
  });

  test('D3: a committed refresh is in the history once, even if its connection was cut', async () => {
    const installation = await expired();
    const heard: TokenObservation['type'][] = [];
    let isCut = false;
    const transaction: RecordedStore['transaction'] = async (work) => {
      const result = await store.transaction(work);
      if (!isCut) return result;
      isCut = false;
      throw unavailable();
    };
    const observe = ({ type }: TokenObservation) => heard.push(type);
    const client = createClient({ store: { ...store, transaction }, observe });
    installation.standingFault = {
      after: async () => {
        isCut = true;
      },
    };

    expect((await client.fetch(installation.id, '/things', post)).status).toBe(201);
    await client.drain();

    expect(heard).toEqual(['unsaved', 'saved']);
    const operations = world.operationsOf(installation.id);
    const refreshes = operations.filter(({ operation }) => operation === 'refresh');
    expect(refreshes).toMatchObject([{ succeeded: true, tokenVersion: 2, reason: null }]);
  });

  test('tokens that an event replaced are not reported as saved', async () => {
    const installation = await expired();
    const { weakness, store: weak } = createWeakStore();
    const heard: TokenObservation['type'][] = [];
    const client = createClient({ store: weak, observe: ({ type }) => heard.push(type) });
    installation.standingFault = {
      after: async () => {
        weakness.isAway = true;
      },
    };
    expect((await client.fetch(installation.id, '/things', post)).status).toBe(201);

    await platform.sendEvent(installation);
    weakness.isAway = false;
    await client.drain();

    expect(heard).toEqual(['unsaved']);
    expect((await client.fetch(installation.id, '/things', post)).status).toBe(201);
  });

  /** A store that stores no tokens while unavailable, and counts the requested leases. */
  function createDeafStore() {
    const state = { isAway: false, leases: 0 };
    const deaf: RecordedStore = {
      ...store,
      renewals: {
        ...store.renewals,
        acquire: (...request) => {
          state.leases += 1;
          return store.renewals.acquire(...request);
        },
      },
      transaction: (work) =>
        state.isAway ? Promise.reject(unavailable()) : store.transaction(work),
    };
    return { state, store: deaf };
  }

  test('a token that is refused before it is stored is renewed after that', async () => {
    const installation = await expired();
    const { state, store: deaf } = createDeafStore();
    const client = createClient({ store: deaf });
    installation.refreshFaults = [
      {
        after: async () => {
          state.isAway = true;
        },
      },
    ];
    expect((await client.fetch(installation.id, '/things', post)).status).toBe(201);

    await platform.revokeAccessTokens(installation);
    const call = client.fetch(installation.id, '/things', post);
    await expect.poll(() => state.leases).toBeGreaterThan(1);
    state.isAway = false;

    expect((await call).status).toBe(201);
    expect(installation.tally).toMatchObject({ refreshes: 2, reuses: 0 });
  });

  test('tokens in doubt that are refused before they are stored are renewed after that', async () => {
    const installation = await expired();
    const { state, store: deaf } = createDeafStore();
    const client = createClient({ store: deaf });
    const { tokenVersion } = await client.getAccessToken(installation.id);
    const leased = await store.renewals.acquire(
      { installationId: installation.id, generation: 1, tokenVersion },
      { owner: 'dead', leaseMs: 15_000, maxPresentations: 2, burst: 3, intervalMs: 5_000 },
    );
    if (leased.outcome !== 'acquired') throw new Error('The lease is held');
    const unanswered = { mayBeSpent: true, mayArrive: true, retryInMs: 0 };
    await store.renewals.release(leased.lease, unanswered);
    installation.refreshFaults = [
      {
        after: async () => {
          state.isAway = true;
          await platform.revokeAccessTokens(installation);
        },
      },
    ];

    const call = client.fetch(installation.id, '/things', post);
    await expect.poll(() => state.leases).toBeGreaterThan(1);
    state.isAway = false;

    expect((await call).status).toBe(201);
    expect(installation.tally).toMatchObject({ refreshes: 2, reuses: 0 });
  });

  test('tokens of an event are stored as soon as it is back, and its code is exchanged once', async () => {
    const installation = await install();
    const { weakness, store: weak } = createWeakStore();
    receiver = { store: weak, client: createClient({ store: weak }) };
    installation.exchangeFaults = [
      {
        after: async () => {
          weakness.isAway = true;
          setTimeout(() => {
            weakness.isAway = false;
          }, 300);
        },
      },
    ];

    await platform.sendEvent(installation);

    expect(await store.grants.load(installation.id)).toMatchObject({ tokenVersion: 2 });
    expect(installation.tally).toMatchObject({ exchanges: 1, reuses: 0 });
  });

  test('a refused refresh token is not presented again, even if the database could not record it', async () => {
    const installation = await install();
    await platform.revokeGrants(installation);
    const { weakness, store: weak } = createWeakStore();
    const client = createClient({ store: weak });
    installation.standingFault = {
      after: async () => {
        weakness.isAway = true;
      },
    };
    await expect(client.fetch(installation.id, '/things', post)).rejects.toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
    });

    weakness.isAway = false;
    clockOffsetMs += defaultPolicy.leaseMs + 1;
    expect((await client.fetch(installation.id, '/things', post)).status).toBe(201);

    expect(installation.tally).toMatchObject({ refreshes: 1, triggers: 1 });
  });
});
