/** How PostgreSQL gets its index of the search's texts, and what it does without. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openEngine } from '../open-engine.ts';
import { openStore } from '../open-store.ts';
import { createKeyring } from '../sealing/keyring.ts';
import type { Store } from '../store.ts';
import { postgres, type TestDatabase } from '../testing/test-databases.ts';

const maintenance = { now: Date.now(), historyDays: 30 };
const query = { limit: 10, sort: 'began', now: 0 } as const;
const key = { issuer: 'https://acme.example.com', tenantId: 'tenant', pluginId: 'plugin' };

describe.skipIf(!postgres.isAvailable)('the index of texts on PostgreSQL', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await postgres.createEmpty();
  });

  afterEach(() => database.destroy());

  const listIndexes = () =>
    database.execute(`select indisvalid as is_valid from pg_index
      where indexrelid = to_regclass('search_texts_trigrams')`);

  async function find(store: Store, search: string): Promise<number> {
    return (await store.reports.listFleet({ ...query, search })).rows.length;
  }

  test('maintenance makes it once', async () => {
    const store = await database.open();
    await store.installations.begin(key, 1, 0);

    expect(await store.maintain(maintenance)).toMatchObject({ search: { state: 'indexed' } });
    await database.execute('update maintenance set due_at = 0');
    expect(await store.maintain(maintenance)).toMatchObject({ search: { state: 'indexed' } });

    expect(await listIndexes()).toEqual([{ is_valid: true }]);
    expect(await find(store, 'acme')).toBe(1);
  });

  test('one that an attempt left behind unfinished is dropped and made again', async () => {
    const store = await database.open();
    await store.maintain(maintenance);
    await database.execute(`update pg_index set indisvalid = false
      where indexrelid = 'search_texts_trigrams'::regclass`);
    await database.execute('update maintenance set due_at = 0');

    expect(await store.maintain(maintenance)).toMatchObject({ search: { state: 'indexed' } });

    expect(await listIndexes()).toEqual([{ is_valid: true }]);
  });

  test('two processes do not make it at the same time', async () => {
    await database.open();
    const engines = [await openEngine(database.location), await openEngine(database.location)];

    const states = await Promise.all(engines.map((engine) => engine.buildTextIndex()));

    expect(states.map(({ state }) => state)).toContain('indexed');
    expect(await listIndexes()).toEqual([{ is_valid: true }]);
    for (const engine of engines) await engine.close();
  });

  test('a stop of maintenance does not wait until it is made, and the next run makes it', async () => {
    const store = await database.open();
    const { location } = database;
    // The index waits for transactions that have written texts.
    const writer = new pg.Client({ connectionString: 'url' in location ? location.url : '' });
    await writer.connect();
    await writer.query('begin; lock table search_texts in row exclusive mode');
    const countBuilds = async () => {
      const [row] = await database.execute(`select count(*)::integer as count from pg_stat_activity
        where datname = current_database() and query like 'create index concurrently%'`);
      return row?.count;
    };
    const stopping = new AbortController();
    const maintaining = store.maintain({ ...maintenance, signal: stopping.signal });
    await vi.waitFor(async () => expect(await countBuilds()).toBe(1), 120_000);

    stopping.abort();

    expect(await maintaining).toMatchObject({ search: { state: 'filling' } });
    await vi.waitFor(async () => expect(await countBuilds()).toBe(0), 120_000);
    await writer.end();
    await database.execute('update maintenance set due_at = 0');
    expect(await store.maintain(maintenance)).toMatchObject({ search: { state: 'indexed' } });
  });

  test('an extension in a schema of its own is used', async () => {
    await database.execute('create schema "Extensions"');
    await database.execute('create extension pg_trgm schema "Extensions"');
    const store = await database.open();

    expect(await store.maintain(maintenance)).toMatchObject({ search: { state: 'indexed' } });
  });

  test('a role that may not create the extension searches without it, and the reason is reported', async () => {
    const role = `dowel_${randomUUID().replaceAll('-', '')}`;
    await database.execute(`create role ${role} login`);
    await database.execute(`grant usage, create on schema public to ${role}`);
    const url = new URL('url' in database.location ? database.location.url : '');
    url.username = role;
    const keyring = createKeyring(database.encryptionKey);
    const store = await openStore({ url: url.href, keyring });
    try {
      await store.installations.begin(key, 1, 0);

      expect(await store.maintain(maintenance)).toMatchObject({
        search: { state: 'scanned', why: 'permission denied to create extension "pg_trgm"' },
      });
      expect(await store.describeDatabase()).toMatchObject({ search: 'scanned' });

      expect(await find(store, 'ACME.ex')).toBe(1);
      expect(await find(store, 'ac%e')).toBe(0);
      expect(await listIndexes()).toEqual([]);
      const total = await store.reports.countMatches({ ...query, search: 'acme' });
      expect(total).toEqual({ count: 1, isExact: true });
    } finally {
      await store.close();
      await database.execute(`drop owned by ${role}`);
      await database.execute(`drop role ${role}`);
    }
  });

  test('a search that takes too long shows what a walk finds', async () => {
    const store = await database.open();
    await store.installations.begin(key, 1, 0);
    const { location } = database;
    const blocker = new pg.Client({ connectionString: 'url' in location ? location.url : '' });
    await blocker.connect();
    await blocker.query('begin');
    await blocker.query('lock table search_texts in access exclusive mode');
    const engine = await openEngine(location);
    const limits = { maxFound: 10, maxLookedAt: 10 };

    const found = await engine.textIndex.find(engine.db, 'acme', limits);

    expect(found).toEqual({ ids: undefined, isMany: false });
    await blocker.end();
    await engine.close();
  });
});
