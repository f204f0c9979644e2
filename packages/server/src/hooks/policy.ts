/** All times and limits of hooks. */
import { assertCount, assertMilliseconds, assertTimeLimit } from '@dowel/schema';
import { givenOf } from '../base/option-shapes.ts';

export interface HookPolicy {
  /** The time of one attempt, at most 600,000. Default 30,000. */
  timeoutMs: number;
  /**
   * The waits after failed attempts, each at random up to a fifth more or less. After one more failure than
   * waits, a delivery is parked. Default 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h.
   */
  delaysMs: readonly number[];
  /** Hooks of this process at once. Default 16. */
  concurrency: number;
  /** The time of `beforeInstall`, at most 10,000. Default 5,000. */
  beforeInstallMs: number;
  /** After this time without a usable access token, `broken` is called. Default 60,000. */
  brokenAfterMs: number;
}

/** The names on the dashboard. */
export const hookPolicyLabels: Record<keyof HookPolicy, { en: string; de: string }> = {
  timeoutMs: { en: 'Time of an attempt', de: 'Zeit eines Versuchs' },
  delaysMs: { en: 'Waits between attempts', de: 'Pausen zwischen Versuchen' },
  concurrency: { en: 'Hooks at once', de: 'Hooks zugleich' },
  beforeInstallMs: { en: 'Time of beforeInstall', de: 'Zeit von beforeInstall' },
  brokenAfterMs: {
    en: 'The hook “broken” is called after',
    de: 'Der Hook „broken“ wird aufgerufen nach',
  },
};

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

export const defaultHookPolicy: HookPolicy = {
  timeoutMs: 30 * secondMs,
  delaysMs: [
    5 * secondMs,
    30 * secondMs,
    2 * minuteMs,
    10 * minuteMs,
    30 * minuteMs,
    hourMs,
    2 * hourMs,
  ],
  concurrency: 16,
  beforeInstallMs: 5 * secondMs,
  brokenAfterMs: minuteMs,
};

const longestMs = {
  timeoutMs: 10 * minuteMs,
  beforeInstallMs: 10 * secondMs,
  brokenAfterMs: 24 * hourMs,
  delaysMs: 3 * hourMs,
};

/**
 * The policy with its defaults.
 *
 * @throws TypeError that contains the option's name, its value and the allowed range.
 */
export function readHookPolicy(given: Partial<HookPolicy> = {}): HookPolicy {
  const policy = { ...defaultHookPolicy, ...givenOf(given) };
  const { concurrency, delaysMs } = policy;
  assertCount(concurrency, 'hookPolicy.concurrency');
  for (const name of ['timeoutMs', 'beforeInstallMs'] as const) {
    assertTimeLimit(policy[name], `hookPolicy.${name}`, longestMs[name]);
  }
  assertTime(policy.brokenAfterMs, 'brokenAfterMs', longestMs.brokenAfterMs);
  if (!Array.isArray(delaysMs)) {
    throw new TypeError('hookPolicy.delaysMs must be an array of milliseconds');
  }
  delaysMs.forEach((each, index) => {
    assertTime(each, `delaysMs[${index}]`, longestMs.delaysMs);
  });
  return policy;
}

function assertTime(ms: number, name: string, mostMs: number): void {
  const option = `hookPolicy.${name}`;
  assertMilliseconds(ms, option);
  if (ms > mostMs) throw new TypeError(`${option} must be at most ${mostMs}, not ${ms}`);
}

/** The number of attempts before a delivery is parked. */
export function maxAttempts({ delaysMs }: HookPolicy): number {
  return delaysMs.length + 1;
}

/** The wait before the next attempt; undefined when there is none. */
export function delayAfter(
  policy: HookPolicy,
  attempt: number,
  { random, retryAfterMs = 0 }: { random: () => number; retryAfterMs?: number | undefined },
): number | undefined {
  const delayMs = policy.delaysMs[attempt - 1];
  if (delayMs === undefined) return undefined;
  return Math.round(Math.max(delayMs * (0.8 + 0.4 * random()), retryAfterMs));
}
