/** What maintenance reads whole tables for, and that the deletions do not depend on it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openEngine } from '../open-engine.ts';
import type { Engine } from '../sql/database.ts';
import {
  createMaintenanceWorld,
  dayMs,
  historyDays,
  type MaintenanceWorld,
} from '../testing/maintenance-world.ts';
import { testDatabases } from '../testing/test-databases.ts';
import { maintain } from './maintenance.ts';

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`maintenance on ${name}`, () => {
    let world: MaintenanceWorld;
    let engine: Engine;

    beforeEach(async () => {
      world = await createMaintenanceWorld(create);
      engine = await openEngine(world.database.location);
    });

    afterEach(async () => {
      await engine.close();
      await world.database.destroy();
    });

    const maintainBy = (readWhole: Engine['readWhole'], signal?: AbortSignal) =>
      maintain(
        {
          ...engine,
          readWhole,
          announcing: (work) => engine.transaction((db) => work(db, () => {})),
        },
        { now: world.now, historyDays, ...(signal && { signal }) },
      );

    test('reads whole tables once a day, without the time limit of requests', async () => {
      let reads = 0;
      const countReads: Engine['readWhole'] = (work) => {
        reads += 1;
        return engine.readWhole(work);
      };
      await maintainBy(countReads);
      await world.database.execute("update maintenance set due_at = 0 where name = 'retention'");
      await maintainBy(countReads);

      expect(reads).toBe(1);
    });

    test('deletes what has expired even if the counts cannot be compared, and then fails', async () => {
      const { id } = await world.begin();
      await world.recordEvent(id, world.now - (historyDays + 1) * dayMs);
      const cause = new Error('canceling statement due to statement timeout');

      await expect(maintainBy(() => Promise.reject(cause))).rejects.toBe(cause);

      expect(await world.count('events')).toBe(0);
    });

    test('a stop that ends the comparison of the counts is no failure', async () => {
      const stopping = new AbortController();
      const stop = () => {
        stopping.abort();
        return Promise.reject(stopping.signal.reason);
      };

      expect(await maintainBy(stop, stopping.signal)).toMatchObject({ repairedCounts: [] });
    });
  });
}
