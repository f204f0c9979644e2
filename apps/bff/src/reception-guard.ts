/**
 * What one stranger can cost. Each sender has a counter of its own, which only refused JWTs fill, and
 * what the platform signed is verified whatever that counter says: a stranger behind the same proxy
 * must not lock it out.
 */
import type { Sender } from '@dowel/platform-jwt';
import { LRUCache } from 'lru-cache';
import { parseSenderAddress } from './sender-address.ts';

export interface ReceptionLimits {
  /** Refused events from one address within a minute, before it is told to wait. */
  refusalsPerMinute: number;
  /** Delay of the event loop above which new events are sent away to come again. */
  maxLagMs: number;
}

export const defaultReceptionLimits: ReceptionLimits = {
  refusalsPerMinute: 120,
  maxLagMs: 200,
};

const windowMs = 60_000;
const lagSampleMs = 100;
const lagSmoothing = 0.5;
/** Strangers are sent away long before the platform is. */
const lagFactorOfKnown = 4;
/** Beyond these, the senders met longest ago are forgotten. */
const maxCounted = 10_000;
const maxKnown = 1_000;

export interface ReceptionGuard {
  limits: ReceptionLimits;
  /** Epoch milliseconds. */
  now: () => number;
  lag: { currentMs(): number };
  /** By address: refusals of the minute that began at `startedAt`. */
  refusals: LRUCache<string, { startedAt: number; count: number }>;
  /** Addresses that an accepted event came from. */
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

/** @param ip as the proxy in front wrote it, or as the socket has it */
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

/** Whether the process is too late to take anything more from this sender. */
export function isOverloaded({ limits, lag }: ReceptionGuard, { isKnown }: Sender): boolean {
  return lag.currentMs() > limits.maxLagMs * (isKnown ? lagFactorOfKnown : 1);
}

/** Whether the sender is told to wait, unless its next JWT holds. */
export function isLimited(guard: ReceptionGuard, { address }: Sender): boolean {
  const counted = findWindow(guard, address);
  return counted !== undefined && counted.count >= guard.limits.refusalsPerMinute;
}

/** Of a JWT that will never be accepted. One that may come again does not count: it may be the platform's. */
export function countRefusal(guard: ReceptionGuard, { address }: Sender): void {
  const { startedAt, count } = findWindow(guard, address) ?? { startedAt: guard.now(), count: 0 };
  guard.refusals.set(address, { startedAt, count: count + 1 });
}

/**
 * An event of this sender was accepted. An init JWT does not make its sender known: each user's browser
 * has some.
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

/** How late the event loop runs, smoothed: one long task is no overload, a series of them is. */
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
