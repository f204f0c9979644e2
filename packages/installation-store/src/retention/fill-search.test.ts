/** How the search's texts are written for installations of an older version, on each kind of database. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openEngine } from '../open-engine.ts';
import type { Engine } from '../sql/database.ts';
import { migrateTo } from '../testing/former-schema.ts';
import { startStoreProcess } from '../testing/start-store-process.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';
import { fillSearch } from './fill-search.ts';

const count = 3_000;
const maintenance = { now: Date.now(), historyDays: 30 };
const idOf = (index: number) => `id-${String(index).padStart(5, '0')}`;

for (const { name, isAvailable, createEmpty } of testDatabases) {
  describe.skipIf(!isAvailable)(`filling the search on ${name}`, () => {
    let database: TestDatabase;

    beforeEach(async () => {
      database = await createEmpty();
      await migrateTo(database.location, '0023_fleet_samples');
      const rows = Array.from({ length: count }, (_, index) => {
        const [id, host] = [idOf(index), `host-${index}.example.com`];
        return `('${id}', 'https://${host}', 'tenant-${index}', 'plugin', 'active', 1, 1, 1, ${index}, 'healthy')`;
      });
      await database.execute(`insert into installations (id, issuer, tenant_id, plugin_id, status,
        generation, token_version, began_iat, created_at, condition) values ${rows.join(', ')}`);
      // No part of it can be in a random id, whose letters are a to f.
      await database.execute(`update installations set name = 'Voilà' where id = '${idOf(7)}'`);
    });

    afterEach(() => database.destroy());

    const query = { limit: 10, sort: 'began', now: 0 } as const;

    async function readFilling() {
      const [filling] = await database.execute('select * from search_filling');
      const [texts] = await database.execute('select count(*) as n from search_texts');
      return { ...filling, texts: Number(texts?.n) };
    }

    const isComplete = { is_complete: 1, texts: count };

    test('before, meanwhile and afterwards the search finds the same', async () => {
      const store = await database.open();
      const find = async (search: string) =>
        (await store.reports.listFleet({ ...query, search })).rows.map(({ id }) => id);
      expect(await readFilling()).toMatchObject({ is_complete: 0, texts: 0 });
      const { id } = await store.installations.begin(
        { issuer: 'https://new.example.com', tenantId: 'tenant-new', pluginId: 'plugin' },
        1,
        0,
      );

      for (const _ of ['before', 'after']) {
        expect(await find('host-77.')).toEqual([idOf(77)]);
        expect(await find('voi')).toEqual([idOf(7)]);
        expect(await find('new.ex')).toEqual([id]);
        expect(await find('vo')).toEqual([idOf(7)]);
        await store.maintain(maintenance);
      }

      expect(await readFilling()).toMatchObject({ is_complete: 1, texts: count + 1 });
      expect(await find('VOILÀ')).toEqual([idOf(7)]);
    });

    test('a process that is killed meanwhile loses at most a slice', async () => {
      const killed = startStoreProcess();
      void killed.tell('maintain', database).catch(() => {});
      await vi.waitFor(async () => expect((await readFilling()).texts).toBeGreaterThan(0), {
        timeout: 120_000,
        interval: 5,
      });
      await killed.kill();
      const { texts } = await readFilling();
      expect(texts).toBeGreaterThan(0);
      expect(texts).toBeLessThan(count);

      await database.execute('update maintenance set due_at = 0');
      const report = await (await database.open()).maintain(maintenance);

      expect(report?.searchTexts).toBe(count - texts);
      expect(await readFilling()).toMatchObject(isComplete);
    });

    test('two processes fill at once, and each text is written once', async () => {
      await database.open();
      const engines = [await openEngine(database.location), await openEngine(database.location)];

      const filled = await Promise.all(engines.map(fillAll));

      expect(filled.reduce((sum, each) => sum + each)).toBe(count);
      expect(await readFilling()).toMatchObject(isComplete);
      for (const engine of engines) await engine.close();
    });

    async function fillAll(engine: Engine): Promise<number> {
      let total = 0;
      for (;;) {
        const { deleted, isLast } = await engine.transaction((db) => fillSearch({ ...engine, db }));
        total += deleted;
        if (isLast) return total;
      }
    }

    test('a name that is given before its turn is not overwritten', async () => {
      const store = await database.open();
      await store.operators.describe(idOf(2_999), { name: 'Later' });

      await store.maintain(maintenance);

      const { rows } = await store.reports.listFleet({ ...query, search: 'later' });
      expect(rows.map(({ id }) => id)).toEqual([idOf(2_999)]);
      expect(await readFilling()).toMatchObject(isComplete);
    });

    test('installations that a process of an older version writes later are found within a day', async () => {
      const store = await database.open();
      await store.maintain(maintenance);
      await database.execute(`insert into installations (id, issuer, tenant_id, plugin_id, status,
        generation, token_version, began_iat, created_at, condition)
        values ('a-late', 'https://late.example.com', 't', 'plugin', 'active', 1, 1, 1, 1, 'healthy')`);

      await database.execute('update maintenance set due_at = 0');
      const report = await store.maintain(maintenance);

      expect(report?.searchTexts).toBe(count + 1);
      const { rows } = await store.reports.listFleet({ ...query, search: 'late.example' });
      expect(rows.map(({ id }) => id)).toEqual(['a-late']);
    });
  });
}
