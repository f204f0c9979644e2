/** The groups of a log of calls that is almost full, on each kind of database. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMaintenanceWorld, type MaintenanceWorld } from '../testing/maintenance-world.ts';
import { testDatabases } from '../testing/test-databases.ts';

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`the groups of calls on ${name}`, () => {
    let world: MaintenanceWorld;

    beforeEach(async () => {
      world = await createMaintenanceWorld(create);
    });
    afterEach(() => world.database.destroy());

    async function insertFailures(count: number): Promise<void> {
      const { id } = await world.begin();
      await world.database.execute(`insert into call_log
        (id, installation_id, at, first_at, n, method, path, reason, duration_ms, attempts)
        select cast(i as text), '${id}', ${world.now} - i, ${world.now} - i, 2, 'GET', '/', 'timed_out', 1, 1
        from (with recursive counted (i) as
          (select 1 union all select i + 1 from counted where i < ${count}) select i from counted) as n`);
    }

    test('count the latest 20,000 rows, and say from when on', async () => {
      await insertFailures(20_500);

      const { countedFrom, reasons } = await world.store.reports.groupCalls({});

      expect(reasons.map(({ calls }) => calls)).toEqual([40_000]);
      expect(countedFrom).toBe(world.now - 20_000);
    });

    test('count all rows of a smaller log', async () => {
      await insertFailures(100);

      const { countedFrom, reasons } = await world.store.reports.groupCalls({});

      expect(countedFrom).toBeNull();
      expect(reasons).toMatchObject([{ calls: 200, firstAt: world.now - 100 }]);
    });
  });
}
