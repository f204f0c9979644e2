import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assertPolicy, backOffMs, defaultPolicy, triggerPauseMs } from './policy.ts';
import { createTokenClient } from './token-client.ts';
import type { TokenStore } from './token-store.ts';

test('a back-off is a random time up to a ceiling, which doubles up to five seconds', () => {
  const ceilings = [0, 1, 2, 3, 4, 5, 50].map((failures) =>
    backOffMs(defaultPolicy, { failures }, () => 1),
  );

  expect(ceilings).toEqual([200, 400, 800, 1600, 3200, 5000, 5000]);
  expect(backOffMs(defaultPolicy, { failures: 5 }, () => 0)).toBe(1);
});

test('Retry-After is obeyed for a quarter of an hour at most', () => {
  const pauseAfter = (retryAfterMs: number) =>
    backOffMs(defaultPolicy, { failures: 0, retryAfterMs }, () => 0.5);

  expect([2_000, 0, 86_400_000].map(pauseAfter)).toEqual([2_000, 1, 900_000]);
});

test('R2: a refresh without an answer is repeated after three seconds at the earliest', () => {
  const lost = { failures: 0, mayBeSpent: true };

  expect(backOffMs(defaultPolicy, lost, () => 0)).toBe(3_000);
  expect(backOffMs(defaultPolicy, lost, () => 1)).toBe(3_200);
  expect(backOffMs(defaultPolicy, { ...lost, retryAfterMs: 1 }, () => 0.5)).toBe(3_000);
  expect(backOffMs(defaultPolicy, { ...lost, retryAfterMs: 9_000 }, () => 0.5)).toBe(9_000);
});

test('T7, C20: in three minutes at most twelve refused triggers are sent, and they never stop', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 20 }), (dice) => {
      let elapsedMs = 0;
      let sent = 0;
      while (elapsedMs < 180_000) {
        const random = () => dice[sent % dice.length] ?? 0;
        elapsedMs += triggerPauseMs(defaultPolicy, { sent, isSettled: false, random });
        sent += 1;
      }
      expect(sent).toBeGreaterThan(3);
      expect(sent).toBeLessThanOrEqual(12);
    }),
  );
});

test('accepted triggers are repeated after 30 seconds, and then with growing pauses', () => {
  const random = () => 0.5;
  const pauses = [0, 1, 2, 5, 40].map((sent) =>
    triggerPauseMs(defaultPolicy, { sent, isSettled: true, random }),
  );

  expect(pauses).toEqual([30_000, 60_000, 120_000, 900_000, 900_000]);
});

test('a refresh ends before its lease, and two of them and an event end before their calls do', () => {
  const { leaseMs, leaseMarginMs, attemptTimeoutMs, repeatTimeoutMs, ...policy } = defaultPolicy;
  const longestPauseMs = backOffMs(defaultPolicy, { failures: 0, mayBeSpent: true }, () => 1);

  expect(attemptTimeoutMs).toBeLessThanOrEqual(leaseMs - leaseMarginMs);
  expect(attemptTimeoutMs + longestPauseMs + repeatTimeoutMs).toBeLessThan(policy.waitMs);
  expect(policy.waitMs).toBeLessThan(policy.callTimeoutMs);
});

const noRefresh =
  'no refresh would ever be sent. It must be more than policy.leaseMarginMs and the shorter one of ' +
  'policy.attemptTimeoutMs and policy.repeatTimeoutMs together';

test.each([
  [
    { leaseMs: NaN },
    'policy.leaseMs must be a number of milliseconds from 0 to 2147483647, not NaN',
  ],
  [{ drainMs: -1 }, 'policy.drainMs must be a number of milliseconds from 0 to 2147483647, not -1'],
  [
    { backOff: { baseMs: Infinity, maxMs: 1 } },
    'policy.backOff.baseMs must be a number of milliseconds from 0 to 2147483647, not Infinity',
  ],
  [{ leaseMS: 6_000 } as object, 'policy.leaseMS is no value of a policy'],
  [{ backOff: { baseMs: 100 } } as object, 'policy.backOff.maxMs is missing'],
  [{ maxTries: 0 }, 'policy.maxTries must be a whole number from 1 to 9007199254740991, not 0'],
  [{ burst: 1.5 }, 'policy.burst must be a whole number from 1 to 9007199254740991, not 1.5'],
  [
    { callPlaces: { ...defaultPolicy.callPlaces, firstPlaces: NaN } },
    'policy.callPlaces.firstPlaces must be a whole number from 1 to 9007199254740991, not NaN',
  ],
  [{ leaseMs: 60_001 }, 'policy.leaseMs must be at most 60000, not 60001'],
  [{ burst: 13 }, 'policy.burst × policy.refreshIntervalMs must be at most 60000, not 65000'],
  [
    { backOff: { baseMs: 1, maxMs: 1_200_001 } },
    'policy.backOff.maxMs must be at most 1200000, not 1200001',
  ],
  [
    { unansweredPauseMs: 1_195_001 },
    'policy.unansweredPauseMs + policy.backOff.maxMs must be at most 1200000, not 1200001',
  ],
  [{ leaseMs: 6_000 }, `policy.leaseMs must be more than 6000, not 6000: ${noRefresh}`],
  [
    { leaseMs: 3_000, attemptTimeoutMs: 2_000 },
    `policy.leaseMs must be more than 3000, not 3000: ${noRefresh}`,
  ],
  [{ leaseMarginMs: 15_000 }, `policy.leaseMs must be more than 20000, not 15000: ${noRefresh}`],
  [{ maxRetryAfterMs: 1_200_001 }, 'policy.maxRetryAfterMs must be at most 1200000, not 1200001'],
])('a client with the policy %j is not created', (policy, message) => {
  const store = { onChange: () => () => {} } as unknown as TokenStore;

  expect(() => createTokenClient({ store, policy })).toThrow(new TypeError(message));
});

test.each([{}, { leaseMs: 6_001 }])(
  'the default policy with the changes %j is valid',
  (changes) => {
    expect(() => assertPolicy({ ...defaultPolicy, ...changes })).not.toThrow();
  },
);
