/** Calls with living tokens touch no database, and still notice what other processes change (decision 31). */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TokenClient } from '@dowel/token-client';
import {
  createStrictAuthorizationServer,
  createWorld,
  type InstalledPlugin,
  type World,
} from '@dowel/token-client/testing';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
} from 'vitest';
import { createKeyring, openStore, type Store } from '../index.ts';
import {
  type StoreProcess,
  sqlite,
  startStoreProcess,
  startTcpProxy,
  type TestDatabase,
  testDatabases,
  usualDatabases,
} from '../testing/index.ts';

/** The code of the error, or the version of the token. */
const outcomeOf = (client: TokenClient, id: string): Promise<unknown> =>
  client.getAccessToken(id).then(
    ({ tokenVersion }) => tokenVersion,
    (error: { code: string }) => error.code,
  );

const keyOf = ({ baseUrl: issuer, tenantId, pluginId }: InstalledPlugin) => ({
  issuer,
  tenantId,
  pluginId,
});

/** Counts the queries of the token client. */
function counted(store: Store) {
  const asked = { times: 0 };
  const count = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        asked.times += 1;
        return Reflect.get(target, name);
      },
    });
  const { grants, renewals } = store;
  return { asked, store: { ...store, grants: count(grants), renewals: count(renewals) } };
}

for (const kind of usualDatabases) {
  describe.skipIf(!kind.isAvailable)(`a living token on ${kind.name}`, () => {
    let world: World<TestDatabase>;
    let elsewhere: StoreProcess;

    beforeAll(() => {
      elsewhere = startStoreProcess();
    });
    beforeEach(async () => {
      world = await createWorld({ createServer: createStrictAuthorizationServer, database: kind });
    });
    afterEach(() => world.close());
    afterAll(() => elsewhere.kill());

    test('is not given any more after another process has uninstalled', async () => {
      const installed = await world.install();
      const { client } = world;
      expect(await outcomeOf(client, installed.id)).toBe(1);

      expect(await elsewhere.tell('uninstall', world.database, keyOf(installed))).toBe(
        'uninstalled',
      );

      await expect.poll(() => outcomeOf(client, installed.id)).toBe('GRANT_NOT_FOUND');
      expect(await outcomeOf(client, installed.id)).toBe('GRANT_NOT_FOUND');
    });

    test('is not given to a call that begins after the uninstall of another process was pushed, without a query before', async () => {
      const installed = await world.install();
      const { asked, store } = counted(world.store);
      const client = world.createClient({ store });
      expect(await outcomeOf(client, installed.id)).toBe(1);
      asked.times = 0;
      const pushed = Promise.withResolvers<void>();
      store.onChange((id, ofTokens) => id === installed.id && ofTokens && pushed.resolve());

      await elsewhere.tell('uninstall', world.database, keyOf(installed));
      await pushed.promise;

      expect(asked.times).toBe(0);
      expect(await outcomeOf(client, installed.id)).toBe('GRANT_NOT_FOUND');
    });

    test('is replaced by the one that another process has stored', async () => {
      const { id } = await world.install();
      const { client } = world;
      expect(await outcomeOf(client, id)).toBe(1);
      const other = await world.database.open();
      const stored = await other.grants.load(id);
      if (!stored) throw new Error('Nothing is stored');

      await other.transaction(({ grants }) => grants.commitRefresh(stored, stored));

      await expect.poll(() => outcomeOf(client, id)).toBe(2);
    });

    test('is not kept if an uninstall was noticed before its write was acknowledged', async () => {
      const installed = await world.install();
      const { store, database, platform } = world;
      const other = await database.open();
      const heard: (string | null)[] = [];
      store.onChange((id) => heard.push(id));
      const transaction: Store['transaction'] = async (work) => {
        const result = await store.transaction(work);
        heard.length = 0;
        await other.installations.uninstall(keyOf(installed), Math.ceil(Date.now() / 1_000));
        await expect.poll(() => heard).toContain(installed.id);
        return result;
      };
      const client = world.createClient({ store: { ...store, transaction } });
      await platform.revokeAccessTokens(installed);

      await client.fetch(installed.id, '/things').catch(() => {});

      expect(await outcomeOf(client, installed.id)).toBe('GRANT_NOT_FOUND');
    });

    test('is given a thousand times without a query', async () => {
      const { id } = await world.install();
      const { asked, store } = counted(world.store);
      const client = world.createClient({ store });
      await client.getAccessToken(id);
      asked.times = 0;

      for (let count = 0; count < 1_000; count += 1) await client.getAccessToken(id);
      await world.store.events.recordTokenOperation({
        installationId: id,
        operation: 'refresh',
        startedAt: 1,
        durationMs: 1,
        succeeded: false,
        tokenVersion: null,
        reason: null,
      });
      await client.getAccessToken(id);

      expect(asked.times).toBe(0);
    });
  });
}

test('a write lock of another process on SQLite keeps no call with a living token waiting', async () => {
  const createServer = createStrictAuthorizationServer;
  const world = await createWorld({ createServer, database: sqlite });
  onTestFinished(() => world.close());
  const { id } = await world.install();
  const { client, store, database } = world;
  await client.getAccessToken(id);
  const locking = new DatabaseSync((database.location as { path: string }).path);
  locking.exec('begin immediate');
  let isWritten = false;
  const writing = store.installations.addInstance(id, 'i', 1).then(() => {
    isWritten = true;
  });

  for (let count = 0; count < 100; count += 1) {
    expect((await client.fetch(id, '/things', { method: 'POST', body: '{}' })).status).toBe(201);
  }

  expect(isWritten).toBe(false);
  locking.exec('commit');
  locking.close();
  await writing;
});

const postgres = testDatabases[1] as (typeof testDatabases)[number];

/** A store behind a network that can be frozen. */
async function openFar({ location, encryptionKey }: TestDatabase) {
  const url = new URL((location as { url: string }).url);
  const proxy = await startTcpProxy(new URL(url));
  url.port = String(proxy.port);
  const far = await openStore({ url: url.href, keyring: createKeyring(encryptionKey) });
  onTestFinished(async () => {
    await far.close();
    proxy.close();
  });
  return { far, proxy };
}

test.skipIf(!postgres.isAvailable)(
  'a frozen PostgreSQL keeps no call with a living token waiting, and it learns of missed changes later',
  async () => {
    const world = await createWorld({
      createServer: createStrictAuthorizationServer,
      database: postgres,
    });
    onTestFinished(() => world.close());
    const installed = await world.install();
    const { far, proxy } = await openFar(world.database);
    const client = world.createClient({ store: far });
    expect(await outcomeOf(client, installed.id)).toBe(1);

    proxy.freeze();
    let isAnswered = false;
    const asking = far.installations.get(installed.id).catch(() => {
      isAnswered = true;
    });
    const key = keyOf(installed);
    await world.store.installations.uninstall(key, Math.ceil(Date.now() / 1_000));
    let given = 0;
    while (!isAnswered || given < 100) {
      // No other process can know of the uninstall yet.
      expect(await outcomeOf(client, installed.id)).toBe(1);
      given += 1;
      await sleep(10);
    }
    await asking;

    proxy.thaw();
    await expect.poll(() => outcomeOf(client, installed.id)).toBe('GRANT_NOT_FOUND');
  },
);
