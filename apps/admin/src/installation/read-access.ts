import type { Outage } from '@dowel/schema';

export interface ShownOutage {
  id: number;
  cause: string;
  beganAt: number;
  endedAt: number;
}

/**
 * Outages cut to a span of time, oldest first, and the share of the span that had access.
 *
 * @param start epoch milliseconds, as `end`.
 */
export function readAccess(
  outages: readonly Outage[],
  start: number,
  end: number,
): { outages: ShownOutage[]; share: number } {
  const shown = outages
    .map(({ id, cause, beganAt, endedAt }) => ({
      id,
      cause,
      beganAt: Math.max(beganAt, start),
      endedAt: Math.min(endedAt ?? end, end),
    }))
    .filter(({ beganAt, endedAt }) => endedAt > start && beganAt < end)
    .toSorted((a, b) => a.beganAt - b.beganAt);
  const lostMs = shown.reduce((sum, { beganAt, endedAt }) => sum + endedAt - beganAt, 0);
  return { outages: shown, share: end > start ? Math.max(0, 1 - lostMs / (end - start)) : 1 };
}
