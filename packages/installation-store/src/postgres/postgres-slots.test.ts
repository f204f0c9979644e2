/** A PostgreSQL server that has no slot for another connection (53300). */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, type TestContext, test, vi } from 'vitest';
import { begin } from '../contract/check.ts';
import { openStore } from '../open-store.ts';
import { createKeyring } from '../sealing/keyring.ts';
import type { Store } from '../store.ts';
import { postgres } from '../testing/index.ts';

const busy = { code: 'DATABASE_UNAVAILABLE', reason: 'database_busy' };
/** Of the role: one is for listening. */
const slots = 3;

/** A database, and a role that may have few connections to it. */
async function createNarrow({ onTestFinished }: TestContext) {
  const database = await postgres.create();
  const role = `narrow_${randomUUID().replaceAll('-', '')}`;
  onTestFinished(async () => {
    await database.execute(`drop role ${role}`);
    await database.destroy();
  });
  const [owner] = await database.execute('select current_user as name');
  // A member, because limits do not count for the superuser itself.
  await database.execute(`create role ${role} login password 'p' connection limit ${slots}
    in role ${String(owner?.name)}`);
  const url = new URL((database.location as { url: string }).url);
  url.username = role;
  url.password = 'p';
  const keyring = createKeyring(database.encryptionKey);
  const clients: pg.Client[] = [];
  const stores: Store[] = [];

  async function free(): Promise<void> {
    await Promise.all(clients.splice(0).map((client) => client.end()));
  }

  onTestFinished(async () => {
    await free();
    for (const store of stores) await store.close();
  });
  return {
    /** With connections to the server. */
    async open() {
      const store = await openStore({ url: url.href, keyring });
      stores.push(store);
      return store;
    },
    /** Takes all slots that are free. */
    async fill(): Promise<void> {
      for (;;) {
        const client = new pg.Client(url.href);
        const isOpen = await client.connect().then(
          () => true,
          () => false,
        );
        if (!isOpen) return;
        clients.push(client);
      }
    },
    free,
    /** Ends all connections of the store but the one that listens. */
    cut: () =>
      database.execute(`select pg_terminate_backend(pid) from pg_stat_activity
        where usename = '${role}' and application_name = 'dowel'`),
    allow: (count: number) => database.execute(`alter role ${role} connection limit ${count}`),
    async countConnections() {
      const [row] = await database.execute(`select count(*)::integer as count
        from pg_stat_activity where usename = '${role}'`);
      return row?.count;
    },
  };
}

/** Transactions that each hold a connection until they are released. */
async function hold(store: Store, count: number) {
  const released = Promise.withResolvers<void>();
  const begun = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const held = begun.map(({ resolve }) =>
    store.transaction(async ({ installations }) => {
      await installations.get('');
      resolve();
      await released.promise;
    }),
  );
  await Promise.all(begun.map(({ promise }) => promise));
  return async () => {
    released.resolve();
    await Promise.all(held);
  };
}

describe.skipIf(!postgres.isAvailable).concurrent('without a free slot', () => {
  test('a process works on with the connections that it has, and no call fails', async (context) => {
    const { expect } = context;
    const { open, allow, countConnections } = await createNarrow(context);
    const store = await open();
    const { id } = await begin(store);

    async function callOften(): Promise<void> {
      const calls = Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0 ? store.installations.get(id) : begin(store),
      );
      for (const found of await Promise.all(calls)) expect(found).toBeDefined();
    }

    await callOften();
    await allow(10 * slots);
    await callOften();

    // For a while it does not ask for more.
    expect(await countConnections()).toBe(slots);
  });

  test('the check of a process whose own connections are in use says that the server is busy', async (context) => {
    const { expect } = context;
    const { open } = await createNarrow(context);
    const store = await open();
    const release = await hold(store, slots - 1);

    await expect(store.assertAvailable()).rejects.toMatchObject(busy);
    expect(store.isAway()).toBe(false);
    await release();

    await store.assertAvailable();
  });

  test('a process without a connection waits for one, and people who look are told', async (context) => {
    const { expect } = context;
    const { open, fill, free, cut } = await createNarrow(context);
    const store = await open();
    const { id } = await begin(store);
    await cut();
    await fill();
    const waited = vi.fn();
    const waiting = store.installations.get(id).finally(waited);

    await expect(store.reports.countFleet(0)).rejects.toMatchObject(busy);
    await expect(open()).rejects.toMatchObject(busy);
    expect(waited).not.toHaveBeenCalled();
    await free();

    expect(await waiting).toBeDefined();
  });
});
