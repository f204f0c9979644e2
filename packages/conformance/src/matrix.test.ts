import { expect, test } from 'vitest';
import { checks } from './checks/all-checks.ts';
import { examine, expected, summarize } from './testing/examine.ts';
import { type MistakeName, mistakes } from './testing/mistakes.ts';

/** One of each kind; matrix.long.test.ts has all. */
const some: MistakeName[] = [
  'reception.form',
  'refuse.tampered',
  'substring',
  'key.rotated',
  'exchange.basic',
  'answer.afterExchange',
  'repeat.atOnce',
  'watch.secrets',
];

test.each(some)('the checks for %s find that mistake, and no other one does', async (name) => {
  const report = await examine(name);

  expect(summarize(report)).toEqual(expected(name, report));
});

test('each check has a mistake that it finds', () => {
  const found = new Set([...mistakes.values()].flatMap(({ finds }) => finds));

  expect(checks.map(({ id }) => id).filter((id) => !found.has(id))).toEqual([]);
});
