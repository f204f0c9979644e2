/** Which counts of refusals are deleted, on each kind of database. Why: docs/decisions/0046-refusals-counted.md. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RefusalCount } from '../refusal-store.ts';
import { createMaintenanceWorld, type MaintenanceWorld } from '../testing/maintenance-world.ts';
import { testDatabases } from '../testing/test-databases.ts';

const refusalAt = (at: number): RefusalCount => ({
  bucketAt: at,
  reason: 'expired',
  kind: 'event',
  issuer: 'acme.example.com',
  sender: '192.0.2.7',
  plugin: '',
  count: 1,
  firstAt: at,
  lastAt: at,
});

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`maintenance on ${name}`, () => {
    let world: MaintenanceWorld;

    beforeEach(async () => {
      world = await createMaintenanceWorld(create);
    });

    afterEach(() => world.database.destroy());

    test('I11: of a flood of refusals, the newest hundred thousand are kept', async () => {
      const { database, store, now, maintain, count } = world;
      await store.refusals.add([refusalAt(now)]);
      await database.execute(`insert into refusals
        with recursive numbers (i) as (select 0 union all select i + 1 from numbers where i < 100999)
        select ${now} - (i / 200 + 1) * 300000, 'expired', 'event', 'h' || i, '*', '', 1, 0, 0 from numbers`);

      const report = await maintain(now);

      expect(report?.deleted.refusals).toBeGreaterThanOrEqual(800);
      expect(await count('refusals')).toBe(101_001 - Number(report?.deleted.refusals));
      const span = { from: now, to: now + 300_000, barMs: 300_000 };
      expect((await store.reports.reportRefusals(span)).groups).toHaveLength(1);
    });
  });
}
