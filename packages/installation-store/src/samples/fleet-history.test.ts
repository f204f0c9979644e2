/** How the fleet's history is sampled and read, on each kind of database. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openEngine } from '../open-engine.ts';
import { selectParts } from '../samples/sample-series.ts';
import { explain } from '../testing/explain.ts';
import {
  createMaintenanceWorld,
  type MaintenanceWorld,
  minuteMs,
} from '../testing/maintenance-world.ts';
import { testDatabases } from '../testing/test-databases.ts';
import type { SeriesRequest } from './sample-series.ts';

const hourMs = 60 * minuteMs;

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`the history of the fleet on ${name}`, () => {
    let world: MaintenanceWorld;
    /** The begin of an hour. */
    let hour: number;

    beforeEach(async () => {
      world = await createMaintenanceWorld(create);
      hour = world.now - (world.now % hourMs);
    });

    afterEach(() => world.database.destroy());

    interface Minute {
      at: number;
      refreshed?: number;
      /** Null: no process took the sample. */
      broken: number | null;
      causes?: Record<string, number>;
    }

    async function insert(minutes: readonly Minute[]): Promise<void> {
      const { execute } = world.database;
      const rows = minutes.map(
        ({ at, refreshed = 0, broken }) =>
          `(${at}, '', ${refreshed}, 0, 0, 0, 0, ${broken === null ? null : 100}, 0, ${broken}, 0, 0, 0)`,
      );
      await execute(`insert into fleet_minutes (at, cause, refreshed, refresh_failed, events, refused, shed,
        working, risk, broken, pending, paused, uninstalled) values ${rows.join()}`);
      const causes = minutes.flatMap(({ at, causes: ofMinute = {} }) =>
        Object.entries(ofMinute).map(([cause, n]) => `(${at}, '${cause}', ${n})`),
      );
      if (causes.length > 0) {
        await execute(`insert into fleet_minutes (at, cause, broken) values ${causes.join()}`);
      }
    }

    const read = (request: Partial<SeriesRequest>) =>
      world.store.samples.readSeries({
        from: hour,
        until: hour + hourMs,
        stepMs: hourMs,
        ratesUntil: hour + 100 * hourMs,
        ...request,
      });

    test('a step is the mean of its minutes, with the lowest and the highest count', async () => {
      await insert([
        { at: hour, broken: 2, refreshed: 10, causes: { invalid_grant: 2 } },
        { at: hour + minuteMs, broken: 8, refreshed: 20 },
        { at: hour + 2 * minuteMs, broken: null, refreshed: 33 },
        { at: hour + 10 * minuteMs, broken: 4 },
      ]);

      const series = await read({ stepMs: 5 * minuteMs });

      expect(series.groups.broken.slice(0, 4)).toEqual([5, null, 4, null]);
      expect(series.broken.min.slice(0, 4)).toEqual([2, null, 4, null]);
      expect(series.broken.max.slice(0, 4)).toEqual([8, null, 4, null]);
      expect(series.rates.refreshed.slice(0, 4)).toEqual([21, null, 0, null]);
      const [cause] = series.causes;
      expect(cause?.cause).toBe('invalid_grant');
      expect(cause?.values.slice(0, 4)).toEqual([1, null, 0, null]);
      expect(series.countingSince).toBe(hour);
    });

    test('the rates of a minute that is not over are left out', async () => {
      await insert([
        { at: hour, broken: 2, refreshed: 10 },
        { at: hour + minuteMs, broken: 4, refreshed: 1 },
      ]);

      const series = await read({ ratesUntil: hour + minuteMs });

      expect(series.rates.refreshed).toEqual([10]);
      expect(series.broken.max).toEqual([4]);
    });

    test('the last step has the newest sample, and others have their mean', async () => {
      await insert([
        { at: hour, broken: 2, causes: { invalid_grant: 2 } },
        { at: hour + minuteMs, broken: 4, causes: { invalid_grant: 4 } },
        { at: hour + hourMs, broken: 6, causes: { invalid_grant: 6 } },
        { at: hour + hourMs + minuteMs, broken: 9, causes: { other: 9 } },
        { at: hour + hourMs + 2 * minuteMs, broken: null },
      ]);

      const series = await read({ until: hour + 2 * hourMs });

      expect(series.groups.broken).toEqual([3, 9]);
      expect(new Map(series.causes.map(({ cause, values }) => [cause, values]))).toEqual(
        new Map([
          ['invalid_grant', [3, 0]],
          ['other', [0, 9]],
        ]),
      );
    });

    test('an install that waits too long for its tokens counts as broken in the sample', async () => {
      await world.begin();
      await world.database.shiftClock(10 * minuteMs);

      await world.store.samples.record({
        refreshed: 0,
        refreshFailed: 0,
        events: 0,
        refused: 0,
        shed: 0,
      });

      const { groups, causes } = await read({ until: hour + 2 * hourMs });
      const newest = (values: readonly (number | null)[]) => values.findLast((n) => n !== null);
      expect(newest(groups.broken)).toBe(1);
      expect(newest(groups.pending)).toBe(0);
      expect(causes.map(({ cause, values }) => [cause, newest(values)])).toEqual([
        ['no_tokens', 1],
      ]);
    });

    test('the rows of the counts are added up each minute, by one process, and no count changes', async () => {
      const { store, database } = world;
      await world.begin();
      const moves = Array.from({ length: 12_000 }, (_, index) =>
        index % 2 === 0 ? "('healthy', null, 1)" : "('awaiting', 'invalid_grant', -1)",
      );
      await database.execute(
        `insert into condition_counts (condition, cause, n) values ${moves.join()}`,
      );
      const other = await database.open();
      const before = await store.reports.countConditions();
      const rates = { refreshed: 0, refreshFailed: 0, events: 0, refused: 0, shed: 0 };

      const taken = [
        await store.samples.record(rates),
        await store.samples.record(rates),
        await other.samples.record(rates),
      ];

      // Two, if a minute ended meanwhile.
      expect([1, 2]).toContain(taken.filter(Boolean).length);
      // Each batch leaves a row of each condition.
      expect(await world.count('condition_counts')).toBeLessThan(15);
      expect(await other.reports.countConditions()).toEqual(before);
    });

    test('a span is read by index', async () => {
      const rows = Array.from({ length: 3_000 }, (_, index) => ({
        at: hour + index * minuteMs,
        broken: 1,
        causes: { other: 1 },
      }));
      await insert(rows);
      await world.database.execute('analyze');
      const engine = await openEngine(world.database.location);
      const request = {
        from: hour,
        until: hour + 60 * minuteMs,
        stepMs: 5 * minuteMs,
        ratesUntil: hour,
      };

      try {
        const query = selectParts(engine.db, request).compile();
        const plan = await explain(engine, query, { isLarge: true });
        expect(plan).not.toMatch(/Seq Scan|SCAN (?!.*USING)\w+/);
        expect(plan).toMatch(/SEARCH|Index (Only )?Scan|Bitmap Index Scan/);
      } finally {
        await engine.close();
      }
    });
  });
}
