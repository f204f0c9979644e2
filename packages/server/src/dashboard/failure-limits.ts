/** How often a sign-in may fail: for each name, address or network, within a quarter of an hour. Row F01 of docs/threats.md. */
import { LRUCache } from 'lru-cache';
import { ApiError } from '../errors.ts';

const windowMs = 15 * 60 * 1000;
/** Above this number, those seen longest ago are forgotten. */
const maxCounted = 10_000;

/** Counts one sort of keys, so that many of another sort push none of them out. */
export interface FailureCounter {
  maxFailures: number;
  counted: LRUCache<string, { startedAt: number; count: number }>;
  /** Epoch milliseconds. */
  now: () => number;
}

/** What an attempt counts for. */
export interface FailureLimit {
  counter: FailureCounter;
  key: string;
}

export function createFailureCounter(maxFailures: number, now: () => number): FailureCounter {
  return { maxFailures, counted: new LRUCache({ max: maxCounted }), now };
}

/**
 * Does what may fail. Only what `hasFailed` finds is counted; an attempt that throws checked nothing.
 *
 * @throws ApiError `TOO_MANY_ATTEMPTS`: nothing was done.
 */
export async function limitFailures<Outcome>(
  limits: readonly FailureLimit[],
  attempt: () => Promise<Outcome>,
  hasFailed: (outcome: Outcome) => boolean,
): Promise<Outcome> {
  if (limits.some(isReached)) {
    throw new ApiError('TOO_MANY_ATTEMPTS', 'Too many attempts: wait, or use a one-time code', {
      headers: { 'Retry-After': String(windowMs / 1000) },
    });
  }
  // Counted before it is checked: attempts at the same time must not pass together.
  for (const limit of limits) add(limit, 1);
  let isCounted = false;
  try {
    const outcome = await attempt();
    isCounted = hasFailed(outcome);
    return outcome;
  } finally {
    if (!isCounted) for (const limit of limits) add(limit, -1);
  }
}

function isReached(limit: FailureLimit): boolean {
  return countOf(limit) >= limit.counter.maxFailures;
}

function countOf({ counter: { counted, now }, key }: FailureLimit): number {
  const found = counted.peek(key);
  if (!found) return 0;
  const ageMs = now() - found.startedAt;
  return ageMs >= 0 && ageMs < windowMs ? found.count : 0;
}

function add(limit: FailureLimit, change: number): void {
  const { counter, key } = limit;
  const before = countOf(limit);
  const count = before + change;
  // A key without failures takes no place from another one.
  if (count <= 0) {
    counter.counted.delete(key);
    return;
  }
  const startedAt = before > 0 ? counter.counted.peek(key)?.startedAt : undefined;
  counter.counted.set(key, { startedAt: startedAt ?? counter.now(), count });
}
