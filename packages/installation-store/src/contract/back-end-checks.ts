/** What the back end uses, recorded for programs beside it. */
import assert from 'node:assert/strict';
import { check } from './check.ts';

export const backEndChecks = [
  check(
    'what a back end uses replaces what one used before, for every process',
    async ({ store, other }) => {
      await store.backEnd.record('{"version":1}');
      await other.backEnd.record('{"version":2}');
      await other.backEnd.record('{"version":2}');

      assert.equal(await store.backEnd.last(), '{"version":2}');
    },
  ),
];
