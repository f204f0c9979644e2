import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { describeKeys } from '../rotation/keyring-rotation.ts';
import { seedGrants } from '../testing/seed-grants.ts';
import { testDatabases } from '../testing/test-databases.ts';
import { warnAtUses } from './key-use.ts';
import { createKeyring } from './keyring.ts';

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`E05: the use of a key on ${name}`, () => {
    test('is counted over all processes and starts', async () => {
      const database = await create();
      const key = randomBytes(32);
      const stores = [];
      for (let count = 0; count < 2; count += 1) {
        stores.push(await database.open({ keyring: createKeyring(key) }));
      }
      for (const store of stores) await seedGrants(store, 10);
      await stores[0]?.maintain({ now: Date.now(), historyDays: 1 });
      for (const store of stores) await store.close();

      const [row] = await database.execute('select uses from key_checks');
      // Five values each, and the check by the first one.
      expect(Number(row?.uses)).toBe(2 * 10 * 5 + 1);
      await database.destroy();
    });

    test('that could not be added is added the next time, and delays nothing', async () => {
      const database = await create();
      const store = await database.open();
      await seedGrants(store, 10);
      await database.execute('alter table key_checks rename to away');
      expect(await store.maintain({ now: Date.now(), historyDays: 1 })).toBeDefined();

      await database.execute('alter table away rename to key_checks');
      await store.close();

      const [row] = await database.execute('select uses from key_checks');
      expect(Number(row?.uses)).toBe(10 * 5 + 1);
      await database.destroy();
    });
  });
}

test('E05: a key that has sealed 2^31 values is worn out', () => {
  const inUse = (uses: number) => new Map([['a', { values: 1, uses }]]);

  expect(warnAtUses).toBe(2 ** 31);
  expect(describeKeys(['a'], inUse(2 ** 31 - 1))).toMatchObject([{ isWornOut: false }]);
  expect(describeKeys(['a'], inUse(2 ** 31))).toMatchObject([{ isWornOut: true }]);
  expect(describeKeys(['b', 'a'], inUse(2 ** 31))).toMatchObject([
    { isWornOut: false },
    { isWornOut: false },
  ]);
});
