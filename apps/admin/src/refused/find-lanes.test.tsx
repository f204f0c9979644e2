import { expect, it } from 'vitest';
import { findLanes } from './find-lanes.ts';

const reasonOf = (reason: string, total: number) => ({ reason, total, counts: [total, 1] });

it('lanes where something can be done come first, then the most frequent', () => {
  const lanes = findLanes([
    reasonOf('signature_invalid', 2_766),
    reasonOf('expired', 3),
    reasonOf('issuer_key_mismatch', 132),
  ]);

  expect(lanes.map(({ reason, isActionable }) => [reason, isActionable])).toEqual([
    ['issuer_key_mismatch', true],
    ['expired', true],
    ['signature_invalid', false],
  ]);
});

it('beyond eight lanes, the last one has the other reasons', () => {
  const lanes = findLanes(
    Array.from({ length: 12 }, (_, index) => reasonOf(`r${index}`, 12 - index)),
  );

  expect(lanes).toHaveLength(8);
  expect(lanes.at(-1)).toEqual({ reason: null, isActionable: false, total: 15, counts: [15, 5] });
});
