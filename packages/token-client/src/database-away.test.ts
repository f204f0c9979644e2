/** Tokens while the database is unavailable, or contains a value that does not decrypt. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemTimer, type Timer } from '@dowel/http';
import {
  createKeyring,
  openStore,
  type Store,
  StoreError,
  type Stores,
} from '@dowel/installation-store';
import { Secret } from '@dowel/schema';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TokenObservation } from './observation.ts';
import { defaultPolicy } from './policy.ts';
import { startPlatform } from './testing/platform.ts';
import type { PlatformInstallation } from './testing/platform-installation.ts';
import { receiveEvent } from './testing/receive-event.ts';
import { createStrictAuthorizationServer } from './testing/strict-authorization-server.ts';
import { Tally } from './testing/tally.ts';
import { createTokenClient, type TokenClient, type TokenClientOptions } from './token-client.ts';

const key = randomBytes(32);
let folder: string;
let path: string;
let store: Store;
let platform: Awaited<ReturnType<typeof startPlatform>>;
/** The time of the store's clock. */
let clockOffsetMs = 0;
/** The receiver of the platform's events. */
let receiver: { store: Store; client: TokenClient };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-away-'));
  path = join(folder, 'dowel.sqlite');
  const keyring = createKeyring(key);
  store = await openStore({ path, keyring, now: () => Date.now() + clockOffsetMs });
  platform = await startPlatform(createStrictAuthorizationServer);
  platform.onEvent((event) => receiveEvent(receiver.store, receiver.client, event));
});
beforeEach(() => {
  receiver = { store, client: createClient() };
});
afterAll(async () => {
  await platform.close();
  await store.close();
  await rm(folder, { recursive: true });
});

type Installed = PlatformInstallation & { id: string };

const post = { method: 'POST', body: '{}' };

const createClient = (options: Partial<TokenClientOptions> = {}) =>
  createTokenClient({ store, internalOrigins: [platform.origin], ...options });

async function begin(installation: PlatformInstallation) {
  const { baseUrl: issuer, tenantId, pluginId } = installation;
  return store.installations.begin({ issuer, tenantId, pluginId }, 1, Date.now());
}

async function install(): Promise<Installed> {
  const installation = await platform.addInstallation();
  const { id } = await begin(installation);
  await platform.sendEvent(installation);
  installation.tally = new Tally();
  return Object.assign(installation, { id });
}

async function expired(): Promise<Installed> {
  const installation = await install();
  await platform.revokeAccessTokens(installation);
  return installation;
}

/** A store whose database becomes unavailable and returns. */
function createWeakStore() {
  const weakness = { isAway: false };
  const refuse = () =>
    Promise.reject(new StoreError('DATABASE_UNAVAILABLE', 'The database is away'));
  const guard = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const method = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...parameters: unknown[]) =>
          weakness.isAway ? refuse() : Reflect.apply(method, target, parameters);
      },
    });
  const weak: Store = {
    ...store,
    grants: guard(store.grants),
    renewals: guard(store.renewals),
    installations: guard(store.installations),
    events: guard(store.events),
    transaction: (work: (stores: Stores) => Promise<never>) =>
      weakness.isAway ? refuse() : store.transaction(work),
  };
  return { weakness, store: weak };
}

describe('while the database is away', () => {
  test('a token in memory is used, and no process refreshes without the lease', async () => {
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
    weakness.isAway = false;
    await expect.poll(() => heard).toEqual(['unsaved', 'saved']);

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
    await store.operators.pause(installation.id, { by: 'night.desk', reason: 'stop' });

    await expect.poll(() => call().then(() => 'sent', String)).toContain('paused');
    await client.drain();
  });

  test('D3: a committed refresh is in the history once, even if its connection was cut', async () => {
    const installation = await expired();
    const heard: TokenObservation['type'][] = [];
    let isCut = false;
    const transaction: Store['transaction'] = async (work) => {
      const result = await store.transaction(work);
      if (!isCut) return result;
      isCut = false;
      throw new StoreError('DATABASE_UNAVAILABLE', 'The connection was cut');
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
    const report = await store.reports.describeInstallation(installation.id);
    const refreshes = report?.tokenOperations.filter(({ operation }) => operation === 'refresh');
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
    const deaf: Store = {
      ...store,
      renewals: {
        ...store.renewals,
        acquire: (...request) => {
          state.leases += 1;
          return store.renewals.acquire(...request);
        },
      },
      transaction: (work) =>
        state.isAway
          ? Promise.reject(new StoreError('DATABASE_UNAVAILABLE', 'The database is away'))
          : store.transaction(work),
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

describe('a value that does not decrypt', () => {
  function damage(installation: Installed, columns: string[]): void {
    const database = new DatabaseSync(path);
    for (const column of columns) {
      database
        .prepare(`update grants set ${column} = 'k1.AAAA' where installation_id = ?`)
        .run(installation.id);
    }
    database.close();
  }

  test.each(['access_token_sealed', 'refresh_token_sealed', 'client_secret_sealed'])(
    'in %s is replaced by a new event, and affects no other installation',
    async (column) => {
      const [damaged, healthy] = [await install(), await install()];
      damage(damaged, [column]);
      const client = createClient();

      expect((await client.fetch(damaged.id, '/things', post)).status).toBe(201);
      expect((await client.fetch(healthy.id, '/things', post)).status).toBe(201);
      expect(damaged.tally).toMatchObject({ triggers: 1, exchanges: 1, refreshes: 0 });
      expect(healthy.tally).toMatchObject({ triggers: 0, exchanges: 0, refreshes: 0 });
    },
  );

  test('in the trigger as well makes a trigger impossible, which is reported', async () => {
    const damaged = await install();
    damage(damaged, ['access_token_sealed', 'trigger_body_sealed']);

    await expect(createClient().fetch(damaged.id, '/things')).rejects.toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      message: expect.stringContaining('secret_integrity'),
    });
    expect(damaged.tally.triggers).toBe(0);
  });
});

describe('a value of a key that this process lacks', () => {
  test('affects no token: it is reported, nothing is requested, and processes with the key continue', async () => {
    const ahead = await openStore({ path, keyring: createKeyring(randomBytes(32), key) });
    receiver = { store: ahead, client: createClient({ store: ahead }) };
    const installation = await expired();

    await expect(createClient().fetch(installation.id, '/things', post)).rejects.toMatchObject({
      code: 'KEY_UNKNOWN',
    });
    expect(installation.tally).toMatchObject({ triggers: 0, refreshes: 0 });
    expect(await store.installations.get(installation.id)).toMatchObject({ status: 'active' });

    const { status } = await receiver.client.fetch(installation.id, '/things', post);
    expect(status).toBe(201);
    expect(installation.tally).toMatchObject({ triggers: 0, refreshes: 1 });
    await ahead.close();
  });
});

describe('heal', () => {
  test('a dead grant causes one trigger per back-off step, even without calls', async () => {
    const installation = await expired();
    const version = await store.grants.findVersion(installation.id);
    if (!version) throw new Error('Nothing is stored');
    await store.grants.markAwaitingEvent(version, 'invalid_grant', Date.now());

    const healers = [createClient(), createClient()];
    await Promise.all(healers.map((client) => client.heal()));

    await expect
      .poll(() => store.installations.get(installation.id))
      .toMatchObject({ status: 'active' });
    expect(installation.tally.triggers).toBe(1);
  });

  test('due triggers are sent although the failing installations cannot be read', async () => {
    const installation = await expired();
    const version = await store.grants.findVersion(installation.id);
    if (!version) throw new Error('Nothing is stored');
    await store.grants.markAwaitingEvent(version, 'invalid_grant', Date.now());
    const claimFailing = () => Promise.reject(new Error('database is locked'));
    const client = createClient({
      store: { ...store, usability: { ...store.usability, claimFailing } },
      applied: async () => {},
    });

    await expect(client.heal()).rejects.toThrow('database is locked');

    await expect
      .poll(() => store.installations.get(installation.id))
      .toMatchObject({ status: 'active' });
    expect(installation.tally.triggers).toBe(1);
  });

  test('an installation whose first exchange was interrupted gets a trigger after a minute', async () => {
    const installation = await platform.addInstallation();
    const begun = await begin(installation);
    const { baseUrl, triggerToken } = installation;
    const body = new Secret(JSON.stringify({ token: triggerToken }));
    const intent = { iat: 1, codeDigest: 'd', baseUrl, trigger: { url: '/trigger', body } };
    await store.renewals.beginExchange(begun, intent, 15_000);
    const client = createClient();

    expect(await client.heal()).toBe(0);
    clockOffsetMs += 61_000;
    expect(await client.heal()).toBe(1);

    await expect.poll(() => store.grants.findVersion(begun.id)).toMatchObject({ tokenVersion: 1 });
    expect(await client.heal()).toBe(0);
  });
});
