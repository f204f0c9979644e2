import { expect, test } from 'vitest';
import { chooseChecks } from './choose-checks.ts';
import { describeCheck } from './describe-check.ts';

test('checks come in the order of reports, however they were named', () => {
  expect(chooseChecks(['page.framing', 'manifest.valid']).map(({ id }) => id)).toEqual([
    'manifest.valid',
    'page.framing',
  ]);
});

test('an unknown id gets the one that was probably meant', () => {
  expect(() => chooseChecks(['refuse.tampred'])).toThrow(
    'There is no check "refuse.tampred". Did you mean refuse.tampered?',
  );
  expect(() => describeCheck('everything')).toThrow(/^There is no check "everything"\.$/);
});

test('a check in words has all that its author wrote', () => {
  const [check] = chooseChecks(['reception.json']);

  const text = describeCheck('reception.json');

  for (const words of [check?.claim, check?.why, check?.seen, check?.fix, 'should (Spec §4.4)']) {
    expect(text).toContain(words);
  }
});
