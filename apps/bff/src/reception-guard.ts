/**
 * Limits the load that one stranger can cause. Each sender has a counter, which only refused JWTs
 * increase. JWTs are verified even if the counter is full: a stranger behind the same proxy must not
 * lock the platform out.
 */
import type { Sender } from '@dowel/platform-jwt';
import { LRUCache } from 'lru-cache';
import { parseSenderAddress } from './sender-address.ts';

export interface ReceptionLimits {
  /** Refused events from one address within a minute, before it gets 429. */
  refusalsPerMinute: number;
  /** Delay of the event loop, in milliseconds, above which new events are rejected with 503. */
  maxLagMs: number;
}

export const defaultReceptionLimits: ReceptionLimits = {
  refusalsPerMinute: 120,
  maxLagMs: 200,
};

const windowMs = 60_000;
const lagSampleMs = 100;
const lagSmoothing = 0.5;
/** Strangers are rejected long before the platform is. */
const lagFactorOfKnown = 4;
/** Above this number, the senders seen longest ago are forgotten. */
const maxCounted = 10_000;
const maxKnown = 1_000;

export interface ReceptionGuard {
  limits: ReceptionLimits;
  /** Epoch milliseconds. */
  now: () => number;
  lag: { currentMs(): number };
  /** By address: refusals of the minute that began at `startedAt`. */
  refusals: LRUCache<string, { startedAt: number; count: number }>;
  /** Addresses from which an accepted event came. */
  known: LRUCache<string, true>;
}

export function createReceptionGuard(limits: ReceptionLimits, now: () => number): ReceptionGuard {
  return {
    limits,
    now,
    lag: watchLag(),
    refusals: new LRUCache({ max: maxCounted }),
    known: new LRUCache({ max: maxKnown }),
  };
}

/** @param ip as the proxy in front wrote it, or the socket's address */
export function findSender({ known }: ReceptionGuard, ip: string): Sender {
  const { address, network } = parseSenderAddress(ip);
  return {
    address,
    network,
    get isKnown() {
      return known.has(address);
    },
  };
}

/** Whether the process is too overloaded to accept a request of this sender. */
export function isOverloaded({ limits, lag }: ReceptionGuard, { isKnown }: Sender): boolean {
  return lag.currentMs() > limits.maxLagMs * (isKnown ? lagFactorOfKnown : 1);
}

/** Whether the sender's refusals are answered 429. A valid JWT is still accepted. */
export function isLimited(guard: ReceptionGuard, { address }: Sender): boolean {
  const counted = findWindow(guard, address);
  return counted !== undefined && counted.count >= guard.limits.refusalsPerMinute;
}

/** Counts a JWT that can never be accepted. A retryable one does not count: it may be the platform's. */
export function countRefusal(guard: ReceptionGuard, { address }: Sender): void {
  const { startedAt, count } = findWindow(guard, address) ?? { startedAt: guard.now(), count: 0 };
  guard.refusals.set(address, { startedAt, count: count + 1 });
}

/**
 * Call it when an event of this sender was accepted. An init JWT does not make its sender known, because
 * every user's browser has some.
 */
export function recogniseSender({ known }: ReceptionGuard, { address }: Sender): void {
  known.set(address, true);
}

function findWindow({ refusals, now }: ReceptionGuard, address: string) {
  const counted = refusals.peek(address);
  if (!counted) return undefined;
  const ageMs = now() - counted.startedAt;
  return ageMs >= 0 && ageMs < windowMs ? counted : undefined;
}

/** The delay of the event loop, smoothed: one long task is not an overload, but a series is. */
function watchLag() {
  let lagMs = 0;
  let expectedAt = performance.now() + lagSampleMs;
  setInterval(() => {
    const lateMs = Math.max(0, performance.now() - expectedAt);
    lagMs += lagSmoothing * (lateMs - lagMs);
    expectedAt = performance.now() + lagSampleMs;
  }, lagSampleMs).unref();
  return { currentMs: () => lagMs };
}
