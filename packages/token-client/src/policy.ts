/** How often, how long, how many: every figure of the token client in one place. */
import { assertCount, assertMilliseconds } from '@dowel/schema';

export interface TokenPolicy {
  /** How long one process may hold the right to refresh. */
  leaseMs: number;
  /**
   * How long the first presentation of a refresh token is listened to: a slow server is not asked twice.
   * It ends {@link leaseMarginMs} before the lease in any case.
   */
  attemptTimeoutMs: number;
  /** The same for a repeated presentation, when an earlier one may still arrive. */
  repeatTimeoutMs: number;
  /** From the end of a request to the end of its lease, when another process may send one. */
  leaseMarginMs: number;
  /** One trigger request. */
  triggerTimeoutMs: number;
  /** How long calls wait for a refresh, from its beginning, before they use their living token. */
  livingWaitMs: number;
  /**
   * Of one process, under way at one tenant's base URL; a tenant that hangs holds up no other, though
   * they share a host. `tokenFetch` limits no connections: a request that waited for one would use up
   * its own time before it is sent.
   */
  refreshesAtOnce: number;
  exchangesAtOnce: number;
  triggersAtOnce: number;
  /** How long a call waits for a token: for a refresh, or for the event that a trigger asked for. */
  waitMs: number;
  /** One call in all, waiting included, unless it names another limit. */
  callTimeoutMs: number;
  /** Calls of one process that wait for tokens at one time. */
  maxWaitingCalls: number;
  /** Refreshes that fail in passing before the breaker opens. */
  maxTries: number;
  /** How often a refresh token is presented while no answer was read. */
  maxPresentations: number;
  /** Refreshes of one installation at once, over all processes … */
  burst: number;
  /** … and one more each time this has passed (threats C19, H07). */
  refreshIntervalMs: number;
  /** Full jitter between 0 and `base * 2^failures`, never more than `max`. */
  backOff: { baseMs: number; maxMs: number };
  /** The longest that a server's Retry-After is obeyed. */
  maxRetryAfterMs: number;
  /** Until the next trigger: after one that was taken, and after one that was not; doubles each time. */
  trigger: { takenMs: number; failedMs: number; maxTakenMs: number; maxFailedMs: number };
  /** Whoever waits for another process looks quickly at first and slower then, if no announcement wakes him sooner. */
  poll: { minMs: number; maxMs: number };
  /** A token counts as expired this long before it is (Spec §8), or at half its life if that is shorter. */
  expiryMarginMs: number;
  /** How long {@link TokenClient.drain} waits for what is under way. */
  drainMs: number;
  /** Token sets in memory: the one that was not used for longest goes. */
  maxGrants: number;
  /** Addresses of calls in memory. */
  maxUrls: number;
  /** After it, a process asks the store whether another one has stored newer tokens. */
  recheckMs: number;
}

export const defaultPolicy: TokenPolicy = {
  leaseMs: 15_000,
  attemptTimeoutMs: 14_000,
  repeatTimeoutMs: 5_000,
  leaseMarginMs: 1_000,
  triggerTimeoutMs: 5_000,
  livingWaitMs: 1_000,
  refreshesAtOnce: 8,
  exchangesAtOnce: 16,
  triggersAtOnce: 8,
  waitMs: 25_000,
  callTimeoutMs: 30_000,
  maxWaitingCalls: 20_000,
  maxTries: 3,
  maxPresentations: 2,
  burst: 3,
  refreshIntervalMs: 5_000,
  backOff: { baseMs: 200, maxMs: 5_000 },
  maxRetryAfterMs: 900_000,
  trigger: { takenMs: 30_000, failedMs: 5_000, maxTakenMs: 900_000, maxFailedMs: 60_000 },
  poll: { minMs: 10, maxMs: 100 },
  expiryMarginMs: 10_000,
  drainMs: 7_000,
  maxGrants: 10_000,
  maxUrls: 2_000,
  recheckMs: 1_000,
};

/**
 * Checks each value. A name that ends in `Ms` is a time in milliseconds, any other a count.
 *
 * @throws TypeError that contains the value's name, the value and the allowed range.
 */
export function assertPolicy(policy: TokenPolicy): void {
  for (const { name, value } of valuesOf('policy', policy)) {
    if (name.endsWith('Ms')) assertMilliseconds(value, name);
    else assertCount(value, name);
  }
}

function valuesOf(name: string, value: unknown): { name: string; value: unknown }[] {
  if (typeof value !== 'object' || value === null) return [{ name, value }];
  return Object.entries(value).flatMap(([key, each]) => valuesOf(`${name}.${key}`, each));
}

/** Retry-After, when the server named one; else full jitter. At least 1. */
export function backOffMs(
  { backOff, maxRetryAfterMs }: TokenPolicy,
  failures: number,
  { retryAfterMs, random }: { retryAfterMs: number | undefined; random: () => number },
): number {
  if (retryAfterMs !== undefined) return Math.max(1, Math.min(retryAfterMs, maxRetryAfterMs));
  const ceiling = Math.min(backOff.maxMs, backOff.baseMs * 2 ** failures);
  return Math.max(1, Math.round(random() * ceiling));
}

/** Until the next trigger, given how many were sent before this one: a fifth more or less, at random. */
export function triggerPauseMs(
  { trigger }: TokenPolicy,
  { sent, isSettled, random }: { sent: number; isSettled: boolean; random: () => number },
): number {
  const factor = 2 ** Math.min(sent, 20) * (0.8 + 0.4 * random());
  return isSettled
    ? Math.min(trigger.takenMs * factor, trigger.maxTakenMs)
    : Math.min(trigger.failedMs * factor, trigger.maxFailedMs);
}
