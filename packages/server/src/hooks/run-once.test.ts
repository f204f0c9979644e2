import { type TestDatabase, testDatabases } from '@dowel/installation-store/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runOnce } from './run-once.ts';

const daily = { name: 'digest', everyMs: 24 * 60 * 60_000 };

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`periodic work on ${name}`, () => {
    let database: TestDatabase;

    beforeEach(async () => {
      database = await create();
    });

    afterEach(() => database.destroy());

    test('S25: runs in one of two processes, once per interval', async () => {
      const stores = [await database.open(), await database.open()];
      let runs = 0;
      const count = () => {
        runs += 1;
      };
      const runEverywhere = () =>
        Promise.all(stores.map((store) => runOnce(store, daily, () => count())));

      expect((await runEverywhere()).filter(Boolean)).toEqual([true]);
      await runEverywhere();
      expect(runs).toBe(1);
      await database.shiftClock(daily.everyMs);
      await runEverywhere();
      expect(runs).toBe(2);
    });

    test('has used its turn also if it fails', async () => {
      const store = await database.open();
      const fail = () => Promise.reject(new Error('No mail server'));

      await expect(runOnce(store, daily, fail)).rejects.toThrow('No mail server');
      expect(await runOnce(store, daily, fail)).toBe(false);
    });
  });
}
