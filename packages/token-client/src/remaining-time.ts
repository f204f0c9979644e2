/**
 * The remaining time of a right with a time limit: a lease, or the claim of an event. After its end another
 * process may take it over.
 */
import type { Timer } from '@dowel/http';

export interface Clocks {
  timer: Timer;
  /** Epoch milliseconds. */
  now: () => number;
}

/** A point in time on both clocks. */
export interface Moment {
  monotonic: number;
  now: number;
}

/** The present moment by both clocks. */
export function momentOf({ timer, now }: Clocks): Moment {
  return { monotonic: timer.monotonic(), now: now() };
}

/**
 * The remaining milliseconds of a right that began at `since`; negative after its end. The clock that shows
 * more counts: the timer may stop while the machine sleeps, and the time of day may be set back.
 */
export function remainingMs(
  { timer, now }: Clocks,
  { since, lastsMs }: { since: Moment; lastsMs: number },
): number {
  return lastsMs - Math.max(timer.monotonic() - since.monotonic, now() - since.now);
}
