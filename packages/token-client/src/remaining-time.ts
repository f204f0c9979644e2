/**
 * How long this process still has a right that ends by itself: a lease, or the claim of an event. Another
 * process may take the right over at its end.
 */
import type { Timer } from './timer.ts';

export interface Clocks {
  timer: Timer;
  /** Epoch milliseconds. */
  now: () => number;
}

/** A point in time by both clocks. */
export interface Moment {
  monotonic: number;
  now: number;
}

/** The present moment by both clocks. */
export function momentOf({ timer, now }: Clocks): Moment {
  return { monotonic: timer.monotonic(), now: now() };
}

/**
 * Milliseconds that are left of a right that began at `since`; negative after its end. The clock that
 * went further counts: the timer may stand still while the machine sleeps, and the time of day may be
 * set back.
 */
export function remainingMs(
  { timer, now }: Clocks,
  { since, lastsMs }: { since: Moment; lastsMs: number },
): number {
  return lastsMs - Math.max(timer.monotonic() - since.monotonic, now() - since.now);
}
