/** The facts about the back end, recorded for programs that run beside it. */
import assert from 'node:assert/strict';
import { check } from './check.ts';

export const backEndChecks = [
  check(
    'the facts of a back end replace earlier ones, for every process',
    async ({ store, other }) => {
      await store.backEnd.record('{"version":1}');
      await other.backEnd.record('{"version":2}');
      await other.backEnd.record('{"version":2}');

      assert.equal(await store.backEnd.last(), '{"version":2}');
    },
  ),
];
