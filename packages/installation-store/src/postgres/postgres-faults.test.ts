import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, type TestContext, test, vi } from 'vitest';
import { begin, granted, newKey, tokens } from '../contract/check.ts';
import { openStore } from '../open-store.ts';
import { createKeyring } from '../sealing/keyring.ts';
import { createFarDatabase } from '../testing/far-database.ts';
import { findPostgresBinaries, startPostgres, testDatabases } from '../testing/index.ts';

const postgres = testDatabases[1] as (typeof testDatabases)[number];
const keyring = createKeyring(randomBytes(32));
const binaries = findPostgresBinaries();
const unavailable = { code: 'DATABASE_UNAVAILABLE' };

/** A store with connections of its own. */
async function openOne(onTestFinished: TestContext['onTestFinished']) {
  const database = await postgres.create();
  onTestFinished(() => database.destroy());
  return { database, store: await database.open() };
}

/** A store behind a network that can be cut, and a store with direct connections. */
async function openFar(onTestFinished: TestContext['onTestFinished']) {
  const { database, proxy, url } = await createFarDatabase(onTestFinished);
  const near = await database.open();
  const far = await openStore({ url, keyring: createKeyring(database.encryptionKey) });
  onTestFinished(() => far.close());
  return { near, far, proxy };
}

describe.concurrent('a PostgreSQL that fails', () => {
  test.skipIf(!binaries)(
    'D2: keeps all acknowledged writes when it is killed, and the store recovers alone',
    async ({ expect, onTestFinished }) => {
      const cluster = await startPostgres(binaries ?? '', { durable: true });
      onTestFinished(() => cluster.stop());
      const store = await openStore({ url: cluster.url, keyring });
      onTestFinished(() => store.close());
      const acknowledged: string[] = [];
      const refused: unknown[] = [];
      let isOver = false;

      async function write(): Promise<void> {
        while (!isOver) {
          try {
            acknowledged.push((await begin(store)).id);
          } catch (error) {
            refused.push(error);
            await sleep(20);
          }
        }
      }

      const writers = Array.from({ length: 6 }, write);
      for (let kills = 0; kills < 3; kills += 1) {
        const before = acknowledged.length;
        while (acknowledged.length < before + 20) await sleep(5);
        await cluster.kill();
        await cluster.restart();
      }
      isOver = true;
      await Promise.all(writers);

      for (const id of acknowledged) expect(await store.installations.get(id)).toBeDefined();
      expect(refused.length).toBeGreaterThan(0);
      for (const error of refused) expect(error).toMatchObject(unavailable);
    },
  );

  test.skipIf(!postgres.isAvailable).for(['before', 'after'] as const)(
    'D3: cut %s COMMIT arrives leaves all or nothing, and nothing is done twice',
    async (moment, { expect, onTestFinished }) => {
      const { near, far, proxy } = await openFar(onTestFinished);
      const { installation, grant } = await granted(near);
      const heard: (string | null)[] = [];
      far.onChange((id) => heard.push(id));
      // All changes before it were received, too.
      const { id: last } = await begin(near);
      await vi.waitFor(() => expect(heard).toContain(last), 120_000);
      heard.length = 0;
      proxy.cutAt('commit\0', moment);
      let runs = 0;

      const committed = far.transaction(({ grants }) => {
        runs += 1;
        return grants.commitRefresh(grant, tokens('b'));
      });

      await expect(committed).rejects.toMatchObject({ ...unavailable, isUnwritten: false });
      expect(runs).toBe(1);
      // At once, because it may be stored; and from the log, if it is.
      const times = moment === 'before' ? 1 : 2;
      await vi.waitFor(() => expect(heard.length).toBeGreaterThanOrEqual(times), 120_000);
      // A listener that was replaced reads the log again.
      expect(new Set(heard)).toEqual(new Set([installation.id]));
      // The caller repeats the call to find out the result.
      const stored = await near.transaction(({ grants }) =>
        grants.commitRefresh(grant, tokens('b')),
      );
      const isStoredNow = moment === 'before';
      expect(stored).toEqual(isStoredNow ? { isInDoubt: false, isPaused: false } : undefined);
      expect((await near.grants.findVersion(installation.id))?.tokenVersion).toBe(2);
    },
  );

  test.skipIf(!postgres.isAvailable)(
    'a network that loses everything fails a statement in bounded time',
    async ({ expect, onTestFinished }) => {
      const { far, proxy } = await openFar(onTestFinished);
      const { id } = await begin(far);
      proxy.freeze();

      await Promise.all([
        expect(far.installations.get(id)).rejects.toMatchObject(unavailable),
        expect(far.assertAvailable()).rejects.toMatchObject(unavailable),
      ]);
    },
  );

  test.skipIf(!postgres.isAvailable)(
    'a server that takes no writes makes the database unavailable, and its connections are replaced',
    async ({ expect, onTestFinished }) => {
      const { database, store } = await openOne(onTestFinished);
      const { id } = await begin(store);
      const [row] = await database.execute('select current_database() as name');
      const name = String(row?.name);
      const refused = { ...unavailable, message: expect.stringContaining('read-only') };
      await database.execute(`alter database ${name} set default_transaction_read_only = on`);
      await database.execute(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'dowel'`);

      await vi.waitFor(() => expect(begin(store)).rejects.toMatchObject(refused), 120_000);
      await expect(store.assertAvailable()).rejects.toMatchObject(refused);
      // Reads still work, so their connection is kept.
      expect(await store.installations.get(id)).toBeDefined();
      await database.execute(`begin read write;
        alter database ${name} reset default_transaction_read_only; commit`);

      await begin(store).catch(() => {});
      await begin(store);
      await store.assertAvailable();
    },
  );

  test.skipIf(!postgres.isAvailable)(
    'D7: a full disk makes the database unavailable until a write succeeds',
    async ({ expect, onTestFinished }) => {
      const { database, store } = await openOne(onTestFinished);
      const { id } = await begin(store);
      await database.execute(`create function refuse() returns trigger language plpgsql as $$
        begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
      await database.execute(
        'create trigger full_disk before insert on changes execute function refuse()',
      );

      await store.assertAvailable();
      await expect(begin(store)).rejects.toMatchObject({ ...unavailable, isUnwritten: true });
      await expect(store.assertAvailable()).rejects.toMatchObject(unavailable);
      await expect(store.assertAvailable()).rejects.toMatchObject(unavailable);
      expect(await store.installations.get(id)).toBeDefined();
      await database.execute('drop trigger full_disk on changes');

      await store.assertAvailable();
      await begin(store);
      expect(await database.execute("select id from changes where installation_id = ''")).toEqual(
        [],
      );
    },
  );

  test.skipIf(!postgres.isAvailable)(
    'D4: stuck statements, and those that wait for a connection, settle in bounded time',
    async ({ expect, onTestFinished }) => {
      const { database, store } = await openOne(onTestFinished);
      const { id } = await begin(store);
      const { url } = database.location as { url: string };
      const holder = new pg.Client({ connectionString: url });
      await holder.connect();
      onTestFinished(() => holder.end());
      await holder.query('begin; lock table installations in access exclusive mode');

      const waiting = Promise.allSettled([
        ...Array.from({ length: 15 }, () => store.installations.get(id)),
        ...Array.from({ length: 5 }, () => begin(store, newKey())),
      ]);
      // The database is there, although this process is busy.
      await store.assertAvailable();
      const outcomes = await waiting;

      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: unavailable });
      }
      // Without its own time limit, the server would wait until the table is released.
      const listStuck = () =>
        database.execute(`select pid from pg_stat_activity
          where datname = current_database() and application_name = 'dowel' and state = 'active'`);
      await vi.waitFor(async () => expect(await listStuck()).toEqual([]), { timeout: 120_000 });
      await holder.query('rollback');
      expect(await store.installations.get(id)).toBeDefined();
    },
  );
});
