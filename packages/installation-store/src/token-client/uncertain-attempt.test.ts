/**
 * A database that takes a lease or the intent of an exchange, or gives a lease back, and whose answer is lost: while the
 * process lives, what was not sent does not count as presented.
 */

import type { AccessTokenEventPayload } from '@dowel/schema';
import {
  createStrictAuthorizationServer,
  createWorld,
  type InstalledPlugin,
  receiveEvent,
  type World,
} from '@dowel/token-client/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKeyring, openStore, type Store, StoreError } from '../index.ts';
import { postgres, startTcpProxy, type TcpProxy, type TestDatabase } from '../testing/index.ts';

const post = { method: 'POST', body: '{}' };
const away = { code: 'DATABASE_UNAVAILABLE' };
const unpresented = { presented: 0, unanswered: 0, lease_owner: null };
const untaken = { presented: 0, unanswered: 0, held_for: null };

/** Texts that are in one statement only. */
const statements = {
  acquire: '"presented" = presented + 1',
  extend: 'set "lease_until" =',
  release: 'failures + 1',
  /** With the end of its message: "read committed" is in another statement. */
  commit: 'commit\0',
  none: 'no statement',
};

describe.skipIf(!postgres.isAvailable)('an answer of PostgreSQL that is lost', () => {
  let world: World<TestDatabase>;
  let proxy: TcpProxy;
  /** Behind a network that can be cut. */
  let far: Store;
  let installation: InstalledPlugin;

  beforeAll(async () => {
    const createServer = createStrictAuthorizationServer;
    world = await createWorld({ createServer, database: postgres });
    const url = new URL('url' in world.database.location ? world.database.location.url : '');
    proxy = await startTcpProxy(new URL(url));
    url.port = String(proxy.port);
    const keyring = createKeyring(world.database.encryptionKey);
    far = await openStore({ url: url.href, keyring });
  });
  beforeEach(async () => {
    installation = await world.install();
    await world.platform.revokeAccessTokens(installation);
  });
  afterEach(() => proxy.cutAt(statements.none, 'before'));
  afterAll(async () => {
    await far.close();
    proxy.close();
    await world.close();
  });

  async function leaseRow() {
    const [row] = await world.database.execute(
      `select presented, unanswered, lease_owner, lease_sequence::integer as taken from grants
        where installation_id = '${installation.id}'`,
    );
    return row;
  }

  async function intentRow() {
    const [row] = await world.database.execute(
      `select presented, unanswered, held_for from exchange_intents
        where installation_id = '${installation.id}'`,
    );
    return row;
  }

  /** An event that nobody has received yet. */
  async function takeEvent(of: InstalledPlugin): Promise<AccessTokenEventPayload> {
    let taken: AccessTokenEventPayload | undefined;
    world.platform.onEvent(async (event) => {
      taken = event;
    });
    await world.platform.sendEvent(of);
    world.platform.onEvent((event) => receiveEvent(world.store, world.client, event));
    if (!taken) throw new Error('No event was sent');
    return taken;
  }

  test.each(['before', 'after'] as const)(
    'R2: to a lease, cut %s it arrives, counts no presentation, however often',
    async (moment) => {
      const client = world.createClient({ store: far, policy: { waitMs: 1_000 } });
      const call = () => client.fetch(installation.id, '/things', post);
      proxy.cutAt(statements.acquire, moment);
      await expect(call()).rejects.toMatchObject(away);
      await expect.poll(leaseRow).toMatchObject(unpresented);
      const taken = (await leaseRow())?.taken;
      if (moment === 'after') expect(taken).toBeGreaterThan(1);
      else expect(taken).toBe(0);
      proxy.cutAt(statements.none, moment);

      expect((await call()).status).toBe(201);

      const once = { refreshes: 1, maxPresentations: 1, triggers: 0 };
      expect(installation.tally).toMatchObject(once);
      await client.drain();
    },
  );

  test('R2: to a lease that the network delivers later counts no presentation', async () => {
    const { renewals } = world.store;
    let deliver: () => Promise<unknown> = async () => {};
    const acquire: Store['renewals']['acquire'] = async (...request) => {
      deliver = () => renewals.acquire(...request);
      throw new StoreError('DATABASE_UNAVAILABLE', 'The answer is lost');
    };
    const takeBack: Store['renewals']['takeBack'] = async (...attempt) => {
      const isFound = await renewals.takeBack(...attempt);
      await deliver();
      deliver = async () => {};
      return isFound;
    };
    const store = { ...world.store, renewals: { ...renewals, acquire, takeBack } };
    const client = world.createClient({ store });

    await expect(client.fetch(installation.id, '/things', post)).rejects.toMatchObject(away);

    await expect.poll(leaseRow).toEqual({ ...unpresented, taken: 1 });
    await client.drain();
  });

  test.each(['before', 'after'] as const)(
    'R2: to the extension of a lease, cut %s it arrives, counts no presentation',
    async (moment) => {
      let aheadMs = 0;
      const acquire: Store['renewals']['acquire'] = async (...request) => {
        const outcome = await far.renewals.acquire(...request);
        aheadMs = 20_000;
        return outcome;
      };
      const client = world.createClient({
        store: { ...far, renewals: { ...far.renewals, acquire } },
        now: () => Date.now() + aheadMs,
      });
      proxy.cutAt(statements.extend, moment);

      // The next lease needs no extension.
      expect((await client.fetch(installation.id, '/things', post)).status).toBe(201);

      await expect.poll(leaseRow).toEqual({ ...unpresented, taken: 2 });
      const once = { refreshes: 1, maxPresentations: 1, triggers: 0 };
      expect(installation.tally).toMatchObject(once);
      await client.drain();
    },
  );

  test.each(['before', 'after'] as const)(
    'R2: to the return of a lease, cut %s it arrives, counts no presentation of what was not sent',
    async (moment) => {
      const unreachable = Object.assign(new Error(), { code: 'ECONNREFUSED' });
      const client = world.createClient({
        store: far,
        tokenFetch: () => Promise.reject(new TypeError('fetch failed', { cause: unreachable })),
      });
      proxy.cutAt(statements.release, moment);

      await expect(client.fetch(installation.id, '/things', post)).rejects.toMatchObject(away);
      proxy.cutAt(statements.none, moment);

      await expect.poll(leaseRow).toEqual({ ...unpresented, taken: 1 });
      await client.drain();
    },
  );

  test.each(['before', 'after'] as const)(
    'to the beginning of an exchange, cut %s its commit arrives, counts no presentation, however often',
    async (moment) => {
      const client = world.createClient({ store: far });
      const event = await takeEvent(installation);
      const receive = () => receiveEvent(far, client, event);
      proxy.cutAt(statements.commit, moment);
      for (let attempts = 0; attempts < 3; attempts += 1) {
        await expect(receive()).rejects.toMatchObject(away);
        await expect.poll(intentRow).toEqual(moment === 'after' ? untaken : undefined);
      }
      proxy.cutAt(statements.none, moment);

      await receive();

      expect(installation.tally).toMatchObject({ exchanges: 1, triggers: 0 });
      expect(await intentRow()).toBeUndefined();
      await client.drain();
    },
  );

  test.each(['before', 'after'] as const)(
    'to the end of an exchange whose code was not sent, cut %s its commit arrives, counts no presentation',
    async (moment) => {
      const unreachable = Object.assign(new Error(), { code: 'ECONNREFUSED' });
      const client = world.createClient({
        store: far,
        tokenFetch: () => {
          proxy.cutAt(statements.commit, moment);
          return Promise.reject(new TypeError('fetch failed', { cause: unreachable }));
        },
      });
      const event = await takeEvent(installation);

      for (let attempts = 0; attempts < 3; attempts += 1) {
        await expect(receiveEvent(far, client, event)).rejects.toMatchObject({
          reason: 'token_endpoint_unreachable',
        });
        proxy.cutAt(statements.none, moment);
        await expect.poll(intentRow).toEqual(untaken);
      }
      await client.drain();
    },
  );

  test('an exchange that was not sent ends nothing of a later presentation of its code', async () => {
    const unreachable = Object.assign(new Error(), { code: 'ECONNREFUSED' });
    const event = await takeEvent(installation);
    const client = world.createClient({
      async tokenFetch() {
        // Another process presents the code, because this one was stopped for longer than its hold.
        await world.database.execute(
          `update exchange_intents set attempt = 'of another process', presented = 2
            where installation_id = '${installation.id}'`,
        );
        throw new TypeError('fetch failed', { cause: unreachable });
      },
    });

    await expect(receiveEvent(world.store, client, event)).rejects.toMatchObject({
      reason: 'token_endpoint_unreachable',
    });

    const row = await intentRow();
    expect(row).toMatchObject({ presented: 2, held_for: expect.any(String) });
    await client.drain();
  });

  test('to the beginning of an exchange that the network delivers later counts no presentation', async () => {
    const { transaction } = world.store;
    const lost: (() => Promise<unknown>)[] = [];
    let transactions = 0;
    const store: Store = {
      ...world.store,
      async transaction(work, options) {
        transactions += 1;
        if (transactions === 1) {
          lost.push(() => transaction(work, options));
          throw new StoreError('DATABASE_UNAVAILABLE', 'The answer is lost');
        }
        const result = await transaction(work, options);
        await lost.pop()?.();
        return result;
      },
    };
    const client = world.createClient({ store });
    const event = await takeEvent(installation);

    await expect(receiveEvent(store, client, event)).rejects.toMatchObject(away);

    await expect.poll(intentRow).toEqual(untaken);
    expect(installation.tally).toMatchObject({ exchanges: 0, triggers: 0 });
    await client.drain();
  });
});
