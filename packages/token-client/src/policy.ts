/** All limits and times of the token client. */

import { assertCount, assertMilliseconds, expiryMarginMs } from '@dowel/schema';
import type { GateFigures } from './fair-gate.ts';
import type { TokenRequestError } from './token-request-error.ts';
import { longestLeaseMs, longestPauseMs } from './token-store.ts';

export interface TokenPolicy {
  /** How long one process may hold the right to refresh, at most `longestLeaseMs` of the store. */
  leaseMs: number;
  /**
   * How long to wait for the answer to the first presentation of a refresh token. Long, so that a slow server
   * is not asked twice. It always ends {@link leaseMarginMs} before the lease.
   */
  attemptTimeoutMs: number;
  /** The same for a repeated presentation, while an earlier one may still arrive. */
  repeatTimeoutMs: number;
  /** The time between the end of a request and the end of its lease, after which another process may send one. */
  leaseMarginMs: number;
  /** The time limit of a trigger request. */
  triggerTimeoutMs: number;
  /** How long calls with a valid token wait for a refresh, from its start, before they use that token. */
  livingWaitMs: number;
  /**
   * How many calls of one process may run at once, by origin and tenant. A host can serve the 256 connections.
   * 64 of them stay free for tenants that answer, however many others hang. If 64 new tenants hang, 16 of them
   * take four places and the others one, so other new tenants still get a place.
   */
  callPlaces: GateFigures;
  /**
   * How many refreshes, exchanges and triggers of one process may run at once: each kind has its own limit, by
   * base URL and installation. `tokenFetch` must not limit connections: a request that waits for one would use
   * up its time before it is sent.
   */
  requestPlaces: GateFigures;
  /**
   * How many refreshes of one process may run at once, and how many triggers, by base URL. More than 80 for one base
   * URL would not end earlier, but delay all other work. A base URL that has not answered yet may have 64: if 60 of its
   * installations hang, another one still gets a place. 80 stay free for base URLs that answer.
   */
  refreshPlaces: GateFigures;
  /** How long a call waits for a token from a refresh, or from the event that a trigger requested. */
  waitMs: number;
  /** The time limit of one call, including all waits, unless it names another limit. */
  callTimeoutMs: number;
  /**
   * The most calls of one process that may wait for tokens at once. One installation may have a quarter of what
   * the others leave, so that the calls of an installation without tokens do not take the places of others.
   */
  maxWaitingCalls: number;
  /** Temporary refresh failures before calls stop waiting for another try. */
  maxTries: number;
  /** How often a refresh token is presented without an answer. */
  maxPresentations: number;
  /**
   * The least time between a presentation without an answer and the next one. A proxy that restarts loses what is
   * sent within a second or two, and must not lose both presentations.
   */
  unansweredPauseMs: number;
  /** The token bucket of one installation, over all processes: refreshes at once … */
  burst: number;
  /** … and the time after which one more is allowed (threats C19, H07). */
  refreshIntervalMs: number;
  /** Full jitter: a random time up to `baseMs * 2^failures`, at most `maxMs`. */
  backOff: { baseMs: number; maxMs: number };
  /** The longest Retry-After of a server that is obeyed. */
  maxRetryAfterMs: number;
  /** The pause after an accepted trigger, and after a failed one. It doubles each time, up to its maximum. */
  trigger: { takenMs: number; failedMs: number; maxTakenMs: number; maxFailedMs: number };
  /** The longest pause before the database is read again for another process's tokens. An announcement ends it. */
  pollMs: number;
  /** A token counts as expired this long before it expires (Spec §8), but not before half of its lifetime. */
  expiryMarginMs: number;
  /** How long {@link TokenClient.drain} waits for work in progress. */
  drainMs: number;
  /** The most stored token sets in memory. The least recently used is dropped. */
  maxGrants: number;
  /** After this time without a usable access token, an installation counts as broken. */
  brokenAfterMs: number;
  /**
   * How long a 401 renews no token on a path that refused a new one, while other paths accept the current
   * token.
   */
  refusedPathMs: number;
}

export const defaultPolicy: TokenPolicy = {
  leaseMs: 15_000,
  attemptTimeoutMs: 14_000,
  repeatTimeoutMs: 5_000,
  leaseMarginMs: 1_000,
  triggerTimeoutMs: 5_000,
  livingWaitMs: 1_000,
  callPlaces: { places: 256, firstPlaces: 4, maxPlaces: 32, suspectPlaces: 64, newPlaces: 128 },
  requestPlaces: { places: 96, firstPlaces: 4, maxPlaces: 16, suspectPlaces: 16, newPlaces: 64 },
  refreshPlaces: { places: 160, firstPlaces: 64, maxPlaces: 80, suspectPlaces: 64, newPlaces: 80 },
  waitMs: 25_000,
  callTimeoutMs: 30_000,
  maxWaitingCalls: 40_000,
  maxTries: 3,
  maxPresentations: 2,
  unansweredPauseMs: 3_000,
  burst: 3,
  refreshIntervalMs: 5_000,
  backOff: { baseMs: 200, maxMs: 5_000 },
  maxRetryAfterMs: 900_000,
  trigger: { takenMs: 30_000, failedMs: 5_000, maxTakenMs: 900_000, maxFailedMs: 60_000 },
  pollMs: 1_000,
  expiryMarginMs,
  drainMs: 7_000,
  maxGrants: 10_000,
  brokenAfterMs: 60_000,
  refusedPathMs: 30_000,
};

/**
 * Checks each value, and the times that depend on each other. A name that ends in `Ms` is a time in milliseconds, any
 * other a count.
 *
 * @throws TypeError that contains the value's name, the value and the allowed range.
 */
export function assertPolicy(policy: TokenPolicy): void {
  assertNames(policy);
  for (const { name, value } of valuesOf('policy', policy)) {
    if (name.endsWith('Ms')) assertMilliseconds(value, name);
    else assertCount(value, name);
  }
  for (const { name, value, mostMs } of timesThatStoresBound(policy)) {
    if (value > mostMs) throw new TypeError(`${name} must be at most ${mostMs}, not ${value}`);
  }
  assertTimeToSend(policy);
}

/** A group of values, such as `backOff`, is given as a whole. */
function assertNames(policy: TokenPolicy): void {
  const namesOf = (each: TokenPolicy) => valuesOf('policy', each).map(({ name }) => name);
  const known = namesOf(defaultPolicy);
  const given = namesOf(policy);
  const unknown = given.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new TypeError(`${unknown} is no value of a policy`);
  const missing = known.find((name) => !given.includes(name));
  if (missing !== undefined) throw new TypeError(`${missing} is missing`);
}

/** A refresh is sent only if its lease leaves the time for one. */
function assertTimeToSend({
  leaseMs,
  leaseMarginMs,
  attemptTimeoutMs,
  repeatTimeoutMs,
}: TokenPolicy): void {
  const leastMs = leaseMarginMs + Math.min(attemptTimeoutMs, repeatTimeoutMs);
  if (leaseMs > leastMs) return;
  throw new TypeError(
    `policy.leaseMs must be more than ${leastMs}, not ${leaseMs}: no refresh would ever be sent. ` +
      'It must be more than policy.leaseMarginMs and the shorter one of policy.attemptTimeoutMs ' +
      'and policy.repeatTimeoutMs together',
  );
}

/**
 * A store treats a longer time as written before the clock was set back: a lease would count as lapsed, and two
 * processes would present the same refresh token.
 */
function timesThatStoresBound({
  leaseMs,
  burst,
  refreshIntervalMs,
  backOff,
  maxRetryAfterMs,
  unansweredPauseMs,
}: TokenPolicy) {
  const bucketMs = burst * refreshIntervalMs;
  return [
    { name: 'policy.leaseMs', value: leaseMs, mostMs: longestLeaseMs },
    { name: 'policy.burst × policy.refreshIntervalMs', value: bucketMs, mostMs: longestLeaseMs },
    { name: 'policy.backOff.maxMs', value: backOff.maxMs, mostMs: longestPauseMs },
    { name: 'policy.maxRetryAfterMs', value: maxRetryAfterMs, mostMs: longestPauseMs },
    {
      name: 'policy.unansweredPauseMs + policy.backOff.maxMs',
      value: unansweredPauseMs + backOff.maxMs,
      mostMs: longestPauseMs,
    },
  ];
}

function valuesOf(name: string, value: unknown): { name: string; value: unknown }[] {
  if (typeof value !== 'object' || value === null) return [{ name, value }];
  return Object.entries(value).flatMap(([key, each]) => valuesOf(`${name}.${key}`, each));
}

/** The values that decide when a failed refresh is tried again. */
interface Failure extends Partial<Pick<TokenRequestError, 'retryAfterMs' | 'mayBeSpent'>> {
  /** Failures before this one. */
  failures: number;
}

/**
 * The server's Retry-After, or a time with full jitter. At least 1, and after a presentation without an answer not
 * before `unansweredPauseMs`.
 */
export function backOffMs(
  policy: TokenPolicy,
  { failures, retryAfterMs, mayBeSpent = false }: Failure,
  random: () => number,
): number {
  const { backOff, maxRetryAfterMs, unansweredPauseMs } = policy;
  const leastMs = mayBeSpent ? unansweredPauseMs : 0;
  if (retryAfterMs !== undefined) {
    return Math.max(1, leastMs, Math.min(retryAfterMs, maxRetryAfterMs));
  }
  const ceiling = Math.min(backOff.maxMs, backOff.baseMs * 2 ** failures);
  // The random time is added, so that installations that failed together are not retried together.
  return Math.max(1, leastMs + Math.round(random() * ceiling));
}

/** The pause until the next trigger, given how many were sent before this one. Randomly up to a fifth more or less. */
export function triggerPauseMs(
  { trigger }: TokenPolicy,
  { sent, isSettled, random }: { sent: number; isSettled: boolean; random: () => number },
): number {
  const factor = 2 ** Math.min(sent, 20) * (0.8 + 0.4 * random());
  return isSettled
    ? Math.min(trigger.takenMs * factor, trigger.maxTakenMs)
    : Math.min(trigger.failedMs * factor, trigger.maxFailedMs);
}
