import { expect, test } from 'vitest';
import { callTimeLimitsMs, callTimePercentile, callTimeRange } from './call-times.ts';

const count = (times: readonly number[]) => {
  const counts = Array.from({ length: callTimeLimitsMs.length + 1 }, () => 0);
  for (const ms of times) counts[callTimeRange(ms)] = (counts[callTimeRange(ms)] ?? 0) + 1;
  return counts;
};

test('a percentile lies in the range of the true one', () => {
  const times = Array.from({ length: 1_000 }, (_, index) => index);
  const counts = count(times);

  expect(callTimePercentile(counts, 0.5)).toBeCloseTo(500, -1);
  expect(callTimePercentile(counts, 0.95)).toBeCloseTo(950, -1);
});

test('added counts give the percentile of all calls, which the mean of percentiles is not', () => {
  const fast = count(Array.from({ length: 90 }, () => 40));
  const slow = count(Array.from({ length: 10 }, () => 2_000));
  const all = fast.map((each, index) => each + (slow[index] ?? 0));

  expect(callTimePercentile(all, 0.5)).toBeLessThanOrEqual(50);
  expect(callTimePercentile(all, 0.95)).toBeGreaterThan(1_000);
});

test('the slowest range has its lower end, and no calls have no percentile', () => {
  expect(callTimePercentile(count([60_000]), 0.5)).toBe(10_000);
  expect(callTimePercentile(count([]), 0.5)).toBeNull();
});
