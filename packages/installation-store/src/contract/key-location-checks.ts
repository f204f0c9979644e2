/** Key locations that were seen, remembered for every process. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { check, minute } from './check.ts';

export const keyLocationChecks = [
  check('a key location is stored once, for every process', async ({ store, other }) => {
    const location = `https://keys.example.com/${randomUUID()}.json`;
    await store.keyLocations.remember(location);
    await other.keyLocations.remember(location);

    const listed = (await other.keyLocations.list()).filter((each) => each.location === location);
    assert.equal(listed.length, 1);
    assert.equal(typeof listed[0]?.usedAt, 'number');
  }),

  check(
    'beyond 512 key locations, the least recently used are deleted',
    async ({ store, other, shiftClock }) => {
      const inUse = `https://keys.example.com/${randomUUID()}.json`;
      const unused = `https://keys.example.com/${randomUUID()}.json`;
      const series = randomUUID();
      await store.keyLocations.remember(inUse);
      await shiftClock(minute);
      await store.keyLocations.remember(unused);
      await shiftClock(minute);
      for (let index = 0; index < 510; index += 1) {
        await store.keyLocations.remember(`https://keys.example.com/${series}/${index}.json`);
      }
      await shiftClock(minute);
      await other.keyLocations.remember(inUse);
      await store.keyLocations.remember(`https://keys.example.com/${randomUUID()}.json`);
      await shiftClock(-3 * minute);

      const listed = (await other.keyLocations.list()).map(({ location }) => location);
      assert.equal(listed.length, 512);
      assert.ok(listed.slice(0, 2).includes(inUse), 'the newest come first');
      assert.ok(!listed.includes(unused));
    },
  ),
];
