import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { inspect } from 'node:util';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { begin, granted, operatorSession, replace, uninstall } from '../contract/check.ts';
import { openEngine } from '../open-engine.ts';
import { openStore } from '../open-store.ts';
import { createKeyring } from '../sealing/keyring.ts';
import type { Engine } from '../sql/database.ts';
import type { Store } from '../store.ts';
import { describeInstallation } from '../testing/describe-installation.ts';
import { type TestDatabase, testDatabases } from '../testing/index.ts';
import { createPostgresPools } from './postgres-pool.ts';
import { readPostgresUrl } from './postgres-url.ts';

const postgres = testDatabases[1] as (typeof testDatabases)[number];
const keyring = createKeyring(randomBytes(32));

let database: TestDatabase;
let store: Store;
let other: Store;

/** Notifications arrive with a delay. */
const eventually = (assertion: () => unknown) => vi.waitFor(assertion, { timeout: 120_000 });

/** The announcements of a store, in order. */
function hear(listening: Store): string[] {
  const heard: string[] = [];
  listening.onChange((id) => heard.push(String(id)));
  return heard;
}

const cutConnections = (applicationName: string) =>
  database.execute(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = '${applicationName}'`);

async function openTransactions(): Promise<number> {
  const [row] = await database.execute(`select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction'`);
  return Number(row?.count);
}

describe.skipIf(!postgres.isAvailable)('PostgreSQL', () => {
  beforeEach(async () => {
    database = await postgres.create();
    store = await database.open();
    other = await database.open();
  });

  afterEach(() => database.destroy());

  test('a change is announced once to other processes, and once to its own', async () => {
    const [own, others] = [hear(store), hear(other)];
    const installation = await begin(store);
    await replace(store, installation, 'a');
    await store.installations.addInstance(installation.id, 'i', 1);

    await eventually(() => expect(others).toEqual(Array(3).fill(installation.id)));
    await other.installations.addInstance(installation.id, 'j', 1);
    await eventually(() => expect(own).toEqual(Array(4).fill(installation.id)));
    expect(others).toEqual(Array(4).fill(installation.id));
  });

  test('a URL may name the socket of the server', async (context) => {
    const [row] = await database.execute(
      "select current_setting('unix_socket_directories') as folders, current_database() as name",
    );
    const { username, port } = new URL((database.location as { url: string }).url);
    const [folder = ''] = String(row?.folders).split(',');
    // A server of DOWEL_TEST_POSTGRES_URL may be on another host.
    if (!existsSync(`${folder}/.s.PGSQL.${port}`)) context.skip();
    const url = `postgres://${username}@/${String(row?.name)}?host=${folder}&port=${port}`;

    const near = await openStore({ url, keyring: createKeyring(database.encryptionKey) });
    onTestFinished(() => near.close());

    const heard = hear(near);
    const { id } = await begin(store);
    expect(await near.installations.get(id)).toBeDefined();
    await eventually(() => expect(heard).toEqual([id]));
  });

  test('a read of whole tables has no time limit, and others have one', async () => {
    const engine = await openEngine(database.location);
    onTestFinished(() => engine.close());
    const limitOf = async (db: Engine['db']) => {
      const { rows } = await sql<{ limit: string }>`
        select current_setting('statement_timeout') as limit`.execute(db);
      return rows[0]?.limit;
    };

    expect(await limitOf(engine.reports)).toBe('5s');
    expect(await engine.readWhole(limitOf)).toBe('0');
  });

  test('an abort ends a read of whole tables, also on the server', async () => {
    const engine = await openEngine(database.location);
    onTestFinished(() => engine.close());
    const stopping = new AbortController();
    const countReads = async () => {
      const [row] = await database.execute(`select count(*)::integer as count from pg_stat_activity
        where datname = current_database() and query like 'select pg_sleep%'`);
      return row?.count;
    };
    const reading = engine.readWhole(
      (db) => sql`select pg_sleep(3600)`.execute(db),
      stopping.signal,
    );
    const ended = expect(reading).rejects.toThrow();
    await eventually(async () => expect(await countReads()).toBe(1));

    stopping.abort();

    await ended;
    await eventually(async () => expect(await countReads()).toBe(0));
    await expect(engine.readWhole(async () => 1, stopping.signal)).rejects.toThrow();
  });

  test('a claim skips rows that another process works on, without waiting', async () => {
    const dead = await Promise.all([granted(store), granted(store)]);
    for (const { grant } of dead) {
      await store.transaction(({ grants }) => grants.markAwaitingEvent(grant, 'x', 1));
    }
    const [busy, free] = dead;
    const began = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const working = other.transaction(async ({ installations }) => {
      if (busy) await installations.uninstall(busy.installation, 2);
      began.resolve();
      await gate.promise;
    });
    await began.promise;

    const due = await store.renewals.claimDue(10);
    await store.usability.claimFailing({ afterMs: 0, everyMs: 1, limit: 10 });

    expect(due.map(({ installationId }) => installationId)).toEqual([free?.installation.id]);
    gate.resolve();
    await working;
  });

  test('a change that was rolled back is not announced', async () => {
    const others = hear(other);
    const installation = await begin(store);

    const failed = store.transaction(async ({ installations }) => {
      await installations.addInstance(installation.id, 'i', 1);
      throw new Error('after the write');
    });
    await expect(failed).rejects.toThrow('after the write');
    const next = await begin(store);

    await eventually(() => expect(others).toEqual([installation.id, next.id]));
  });

  const recordEvent = (installationId: string) =>
    store.events.recordEvent({
      installationId,
      event: 'install',
      receivedAt: Date.now(),
      durationMs: 1,
      status: 201,
      reason: null,
    });

  test('changes missed while the listening connection was away are announced when it is back', async () => {
    const { installation } = await granted(store);
    const others = hear(other);

    await cutConnections('dowel listener');
    await recordEvent(installation.id);

    await eventually(() => expect(others).toContain(installation.id));
    const next = await begin(store);
    await recordEvent(next.id);
    await eventually(() => expect(others).toContain(next.id));
  });

  test('a caller for whom a connection is free is served while the connections end', async () => {
    if (!('url' in database.location)) throw new Error('Not a database of PostgreSQL');
    const { usual } = createPostgresPools(readPostgresUrl(database.location.url));
    const use = async () => (await usual.connect()).release();
    await use();

    const asked = use();

    await expect(Promise.all([asked, usual.end()])).resolves.toHaveLength(2);
  });

  test('idle connections that are cut cause no other failure', async () => {
    const { id } = await begin(store);
    await Promise.all(Array.from({ length: 10 }, () => store.installations.get(id)));

    await cutConnections('dowel');

    await eventually(async () => expect(await store.installations.get(id)).toBeDefined());
  });

  test('a connection that is cut within a transaction fails only that transaction', async () => {
    const { id } = await begin(store);
    const cut = Promise.withResolvers<void>();

    const failed = store.transaction(async ({ installations }) => {
      await installations.addInstance(id, 'i', 1);
      await cut.promise;
      await installations.addInstance(id, 'j', 1);
    });
    const rejected = expect(failed).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    await eventually(async () => expect(await openTransactions()).toBe(1));
    await cutConnections('dowel');
    await eventually(async () => expect(await openTransactions()).toBe(0));
    cut.resolve();

    await rejected;
    expect((await describeInstallation(store, id))?.instanceIds).toEqual([]);
  });

  test('a transaction that saves tokens is first in line for a connection', async () => {
    const { url } = database.location as { url: string };
    const own = createKeyring(database.encryptionKey);
    const narrow = await openStore({ url, connections: 1, keyring: own });
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const holding = narrow.transaction(async () => {
      begun.resolve();
      await release.promise;
    });
    await begun.promise;
    const order: string[] = [];

    const usual = narrow.transaction(async () => void order.push('usual'));
    const urgent = narrow.transaction(async () => void order.push('urgent'), { isUrgent: true });
    const connections = () => narrow.figures().connections;
    await eventually(() => expect(connections()).toEqual({ used: 1, idle: 0, waiting: 2 }));
    release.resolve();
    await Promise.all([holding, usual, urgent]);
    expect(connections()).toEqual({ used: 0, idle: 1, waiting: 0 });

    expect(order).toEqual(['urgent', 'usual']);
    await narrow.close();
  });

  test('D5: transactions that wait for each other both succeed', async () => {
    const [one, two] = [await begin(store), await begin(store)];
    const met = Promise.withResolvers<void>();
    let locked = 0;

    const inOrder = (first: string, second: string) =>
      store.transaction(async ({ installations }) => {
        await installations.get(first);
        locked += 1;
        if (locked === 2) met.resolve();
        await met.promise;
        await installations.get(second);
        await installations.addInstance(first, second, 1);
      });
    await Promise.all([inOrder(one.id, two.id), inOrder(two.id, one.id)]);

    // One of them was undone and ran again.
    expect(locked).toBeGreaterThanOrEqual(3);
    for (const { id } of [one, two]) {
      expect((await describeInstallation(store, id))?.instanceIds).toHaveLength(1);
    }
  });

  test('an error names what PostgreSQL refused, without a value', async () => {
    await store.sessions.createAdminSession(
      'canary-hash',
      operatorSession({ expiresAt: 1, idleAt: 1 }),
    );

    const error: unknown = await store.sessions
      .createAdminSession('canary-hash', operatorSession({ expiresAt: 1, idleAt: 1 }))
      .catch((e) => e);

    expect(error).toMatchObject({ code: '23505', message: expect.stringContaining('unique') });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('canary');
  });

  test('a database that would lose commits in a crash is refused', async () => {
    const [row] = await database.execute('select current_database() as name');
    await database.execute(`alter database ${String(row?.name)} set synchronous_commit = off`);

    await expect(database.open()).rejects.toMatchObject({
      code: 'DATABASE_UNUSABLE',
      message: expect.stringContaining('synchronous_commit'),
    });
  });

  test('a lower synchronous_commit is described as a risk', async () => {
    expect(await store.describeDatabase()).toMatchObject({ risk: null });
    const [row] = await database.execute('select current_database() as name');
    await database.execute(`alter database ${String(row?.name)} set synchronous_commit = local`);

    const opened = await database.open();

    expect(await opened.describeDatabase()).toMatchObject({ risk: 'commit_level' });
  });

  test('a late uninstall and an event of one installation take effect in one of the two orders', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { installation } = await granted(store);
      const [, outcome] = await Promise.all([
        uninstall(store, installation, 2),
        replace(other, installation, 'b', 2),
      ]);

      expect(['stored', 'ended']).toContain(outcome);
      expect(await store.grants.load(installation.id)).toBeUndefined();
    }
  });
});

describe.skipIf(!postgres.isAvailable)('a PostgreSQL that cannot be reached', () => {
  const url = new URL(process.env.DOWEL_TEST_POSTGRES_URL || 'postgres://localhost');

  async function failToOpen(wrongUrl: string): Promise<Error & { code: string }> {
    const error: unknown = await openStore({ url: wrongUrl, keyring }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(Error);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('canary');
    return error as Error & { code: string };
  }

  test('is unavailable when no server answers', async () => {
    const { code, message } = await failToOpen('postgres://dowel:canary@127.0.0.1:1/dowel');

    expect(code).toBe('DATABASE_UNAVAILABLE');
    expect(message).toContain('127.0.0.1:1');
  });

  test('is unusable when its name is wrong', async () => {
    const wrong = new URL(url);
    wrong.password = 'canary';
    wrong.pathname = '/nowhere';

    expect((await failToOpen(wrong.href)).code).toBe('DATABASE_UNUSABLE');
  });

  test('is unusable when its URL is invalid', async () => {
    for (const text of [
      'postgres://dowel:canary@host:port/x',
      'mysql://dowel:canary@host/x',
      'canary',
    ]) {
      expect((await failToOpen(text)).code).toBe('DATABASE_UNUSABLE');
    }
  });
});
