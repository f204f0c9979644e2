/**
 * What one stranger can cost: events and init JWTs are admitted before their signature is looked at,
 * by counters that only strangers fill. What the platform signed is verified, so it never counts.
 */
import { RateLimiterMemory } from 'rate-limiter-flexible';

export interface ReceptionLimits {
  /** Refused events from one address within a minute, before it waits. */
  refusalsPerMinute: number;
  /** Signatures verified at the same time. */
  maxVerifications: number;
  /** Delay of the event loop above which new events are sent away to come again. */
  maxLagMs: number;
}

export const defaultReceptionLimits: ReceptionLimits = {
  refusalsPerMinute: 120,
  maxVerifications: 64,
  maxLagMs: 200,
};

const keyHostCost = 10;
const lagSampleMs = 100;
const lagSmoothing = 0.5;

export type ReceptionGuard = ReturnType<typeof createReceptionGuard>;

export function createReceptionGuard(limits: ReceptionLimits) {
  const refusals = new RateLimiterMemory({ points: limits.refusalsPerMinute, duration: 60 });
  const lag = watchLag();
  let verifications = 0;

  return {
    /** Why a request is sent away unread, or undefined. */
    async turnAway(address: string): Promise<'rate_limited' | 'overloaded' | undefined> {
      if (lag.currentMs() > limits.maxLagMs) return 'overloaded';
      const counted = await refusals.get(address);
      return counted && counted.consumedPoints >= limits.refusalsPerMinute
        ? 'rate_limited'
        : undefined;
    },

    /** A refusal that made us ask a key host costs as much as ten others: those questions are few. */
    async countRefusal(address: string, askedKeyHost: boolean): Promise<void> {
      // Rejects with the state of the counter once it is full, which turnAway reads anyway.
      await refusals.consume(address, askedKeyHost ? keyHostCost : 1).catch(() => undefined);
    },

    /** Runs one verification, or resolves with undefined when too many are running. */
    async verify<Result>(verification: () => Promise<Result>): Promise<Result | undefined> {
      if (verifications >= limits.maxVerifications) return undefined;
      verifications += 1;
      try {
        return await verification();
      } finally {
        verifications -= 1;
      }
    },
  };
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
