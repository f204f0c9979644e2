/** How the plug-ins of the installations are found, on each kind of database. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEngine } from '../open-engine.ts';
import type { Engine } from '../sql/database.ts';
import { countStatements } from '../testing/count-statements.ts';
import { explain } from '../testing/explain.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';
import { listPluginIds, selectPluginIds } from './plugin-ids.ts';

const idOf = (index: number) => `Plugin-${String(index).padStart(3, '0')}`;

describe.each(testDatabases)(
  'the plug-ins of installations on $name',
  ({ isAvailable, create }) => {
    describe.skipIf(!isAvailable)('', () => {
      let database: TestDatabase;
      let engine: Engine;

      beforeAll(async () => {
        database = await create();
        engine = await openEngine(database.location);
        const rows = Array.from(
          { length: 60 },
          (_, index) =>
            `('i${index}', 'https://a', 't${index}', '${idOf(index)}', 'active', 1, 1, 1, 1, 'healthy')`,
        );
        await database.execute(`insert into installations (id, issuer, tenant_id, plugin_id, status,
        generation, token_version, began_iat, created_at, condition) values ${rows.join()}`);
      });

      afterAll(async () => {
        await engine.close();
        await database.destroy();
      });

      test('one statement reads the first fifty, by index', async () => {
        const { db, statements } = countStatements(engine.db);

        const ids = await listPluginIds(db);

        expect(ids).toEqual(Array.from({ length: 50 }, (_, index) => idOf(index)));
        expect(statements()).toBe(1);
        const plan = await explain(engine, selectPluginIds().compile(engine.db), { isLarge: true });
        expect(plan).toMatch(/installations_plugin/);
        expect(plan).not.toMatch(/Seq Scan on installations|SCAN installations$/m);
      });
    });
  },
);
