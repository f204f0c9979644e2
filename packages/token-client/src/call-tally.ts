/** Calls of this process by outcome and time, for the fleet's history. In memory, until they are taken. */
import { callTimeLimitsMs, callTimeRange } from '@dowel/schema';

/** What calls met since they were last taken. */
export interface CallCounts {
  succeeded: number;
  /** They count against the tenant. */
  failed: number;
  /** Refused for what they asked. */
  refused: number;
  /** All of them, by the ranges of `callTimeRange` of `@dowel/schema`. */
  times: number[];
}

export interface CallTally {
  count(outcome: Exclude<keyof CallCounts, 'times'>, durationMs: number): void;
  take(): CallCounts;
}

export function createCallTally(): CallTally {
  let counts = countNothing();
  return {
    count(outcome, durationMs) {
      counts[outcome] += 1;
      const range = callTimeRange(durationMs);
      counts.times[range] = (counts.times[range] ?? 0) + 1;
    },
    take() {
      const taken = counts;
      counts = countNothing();
      return taken;
    },
  };
}

function countNothing(): CallCounts {
  const times = Array.from({ length: callTimeLimitsMs.length + 1 }, () => 0);
  return { succeeded: 0, failed: 0, refused: 0, times };
}
