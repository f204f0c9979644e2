/** Tokens in an outage of PostgreSQL, and in a failover to its standby: no refresh token is presented twice. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTokenClient, type TokenClient } from '@dowel/token-client';
import {
  createStrictAuthorizationServer,
  createWorld,
  type InstalledPlugin,
} from '@dowel/token-client/testing';
import { describe, type TestContext, test, vi } from 'vitest';
import { createKeyring, openStore, type Store, type StoreObservation } from '../index.ts';
import { findPostgresBinaries, type PostgresPair, startPair } from '../testing/index.ts';

const binaries = findPostgresBinaries() ?? '';
const post = { method: 'POST', body: '{}' };
const installations = 12;
const lostInstalls = 3;

/** A pair of servers, a platform, and as many processes as needed, each with its own store. */
async function startOutage(context: TestContext, options?: { isSynchronous: boolean }) {
  const { onTestFinished } = context;
  const pair = await startPair(binaries, onTestFinished, options);
  const keyring = createKeyring(randomBytes(32));
  const seen: StoreObservation[] = [];
  const stores: Store[] = [];
  async function open(): Promise<Store> {
    const store = await openStore({
      url: pair.url,
      keyring,
      observe: (observation) => seen.push(observation),
    });
    stores.push(store);
    return store;
  }
  const database = { open, destroy: async () => {} };
  const world = await createWorld({
    createServer: createStrictAuthorizationServer,
    database: { create: async () => database },
  });
  const clients = [world.client];
  async function startProcess() {
    const store = await open();
    const client = createTokenClient({ store, internalOrigins: [world.platform.origin] });
    clients.push(client);
    return { store, client };
  }
  onTestFinished(async () => {
    await Promise.all(clients.map((client) => client.drain()));
    await Promise.all(stores.map((store) => store.close()));
    await world.close();
  });
  const plugins: InstalledPlugin[] = [];
  for (let count = 0; count < installations; count += 1) plugins.push(await world.install());
  return { pair, world, plugins, seen, startProcess };
}

/** Calls until the call succeeds, as pages do. */
async function callUntilAnswered(client: TokenClient, { id }: InstalledPlugin): Promise<number> {
  for (let tries = 0; tries < 20; tries += 1) {
    const status = await client.fetch(id, '/things', post).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 201) return tries;
    await sleep(200);
  }
  throw new Error('The call never succeeded');
}

/** Resolves when all have been refreshed at the platform, and holds their answers back until `then` has ended. */
function holdAnswers(plugins: readonly InstalledPlugin[], then: () => void): void {
  let refreshed = 0;
  const all = Promise.withResolvers<void>();
  for (const plugin of plugins) {
    plugin.refreshFaults = [
      {
        async after() {
          refreshed += 1;
          if (refreshed === plugins.length) {
            then();
            all.resolve();
          }
          await all.promise;
        },
      },
    ];
  }
}

const cutAndReturn = async ({ network }: PostgresPair, outageMs: number) => {
  await sleep(outageMs);
  network.thaw();
};

describe.skipIf(!binaries)('refreshed tokens', { concurrent: true }, () => {
  test.for([8_000, 20_000, 60_000])(
    'that could not be stored in an outage of %d ms are stored before another process refreshes',
    async (outageMs, context) => {
      const { expect } = context;
      const { pair, world, plugins, startProcess } = await startOutage(context);
      const { client: other } = await startProcess();
      for (const { id } of plugins) await other.getAccessToken(id);
      for (const plugin of plugins) await world.platform.revokeAccessTokens(plugin);
      holdAnswers(plugins, () => pair.network.cut());

      const calls = plugins.map((plugin) => callUntilAnswered(world.client, plugin));
      expect(await Promise.all(calls)).toEqual(plugins.map(() => 0));
      const others = plugins.map((plugin) => callUntilAnswered(other, plugin));
      await cutAndReturn(pair, outageMs);
      await Promise.all(others);

      for (const { tally } of plugins) {
        expect(tally).toMatchObject({ refreshes: 1, reuses: 0, maxPresentations: 1 });
      }
    },
  );

  test('that an asynchronous standby lacks are written again before another process refreshes', async (context) => {
    const { expect } = context;
    const { pair, world, plugins, seen, startProcess } = await startOutage(context, {
      isSynchronous: false,
    });
    const { client: other } = await startProcess();
    for (const { id } of plugins) await other.getAccessToken(id);
    await pair.stopReplication();
    for (const plugin of plugins) {
      await world.platform.revokeAccessTokens(plugin);
      await callUntilAnswered(world.client, plugin);
    }

    await pair.kill();
    await pair.promote();
    for (const plugin of plugins) await world.platform.revokeAccessTokens(plugin);
    await Promise.all(
      [world.client, other].flatMap((client) =>
        plugins.map((plugin) => callUntilAnswered(client, plugin)),
      ),
    );

    for (const { tally } of plugins)
      expect(tally).toMatchObject({ reuses: 0, maxPresentations: 1 });
    const lost = seen.filter(({ type }) => type === 'went_back');
    expect(lost).toHaveLength(2);
    expect(lost).toContainEqual({ type: 'went_back', changed: 12, restored: 12, gone: 0 });
  });

  test('of installations that an asynchronous standby lacks are gone, and counted', async (context) => {
    const { expect } = context;
    const { pair, world, seen, startProcess } = await startOutage(context, {
      isSynchronous: false,
    });
    await startProcess();
    await pair.stopReplication();
    for (let count = 0; count < lostInstalls; count += 1) await world.install();

    await pair.kill();
    await pair.promote();

    const lost = { type: 'went_back', changed: lostInstalls, restored: 0, gone: lostInstalls };
    await vi.waitFor(() => expect(seen).toEqual([lost, lost]), { timeout: 60_000 });
  });

  test('that were lost are counted, also if others took their numbers in the log', async (context) => {
    const { expect } = context;
    const { pair, world, seen } = await startOutage(context, { isSynchronous: false });
    await pair.stopReplication();
    for (let count = 0; count < lostInstalls; count += 1) await world.install();

    await pair.kill();
    await pair.promote();
    const begin = (index: number) =>
      world.store.installations.begin(
        { issuer: 'https://other.example', tenantId: String(index), pluginId: 'p' },
        1,
        Date.now(),
      );
    await Promise.all(Array.from({ length: 30 }, (_, index) => begin(index)));

    const lost = { type: 'went_back', changed: lostInstalls, restored: 0, gone: lostInstalls };
    await vi.waitFor(() => expect(seen).toEqual([lost]), { timeout: 60_000 });
  });
});
