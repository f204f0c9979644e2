import { expect, test } from 'vitest';
import { defaultHookPolicy, delayAfter, maxAttempts, readHookPolicy } from './policy.ts';

test('a failed attempt is followed by the next wait, a fifth more or less', () => {
  const delays = (random: number) =>
    defaultHookPolicy.delaysMs.map((_, index) =>
      delayAfter(defaultHookPolicy, index + 1, { random: () => random }),
    );

  expect(delays(0)).toEqual(defaultHookPolicy.delaysMs.map((ms) => ms * 0.8));
  expect(delays(0.5)).toEqual(defaultHookPolicy.delaysMs);
  expect(delayAfter(defaultHookPolicy, 8, { random: () => 0 })).toBeUndefined();
  expect(maxAttempts(defaultHookPolicy)).toBe(8);
});

test('a longer wait that the platform asks for counts', () => {
  const options = { random: () => 0.5, retryAfterMs: 60_000 };

  expect(delayAfter(defaultHookPolicy, 1, options)).toBe(60_000);
  expect(delayAfter(defaultHookPolicy, 4, options)).toBe(600_000);
});

test('a value that is undefined counts as left out', () => {
  const policy: object = { timeoutMs: undefined, delaysMs: undefined, concurrency: 3 };

  expect(readHookPolicy(policy)).toEqual({ ...defaultHookPolicy, concurrency: 3 });
});

test.each([
  { timeoutMs: 600_001 },
  { timeoutMs: Number.NaN },
  { timeoutMs: 0 },
  { beforeInstallMs: 10_001 },
  { beforeInstallMs: 0 },
  { beforeInstallMs: 1_500.5 },
  { concurrency: 0 },
  { delaysMs: [5_000, -1] },
  { delaysMs: [3 * 60 * 60_000 + 1] },
  { brokenAfterMs: Number.POSITIVE_INFINITY },
])('the policy %j is refused', (policy) => {
  expect(() => readHookPolicy(policy)).toThrow(TypeError);
  expect(() => readHookPolicy(policy)).toThrow(/^hookPolicy\./);
});
