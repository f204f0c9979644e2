import type { Outage } from '@dowel/admin-api';

export interface ShownOutage {
  id: number;
  cause: string;
  lostAt: number;
  endedAt: number;
}

/**
 * The times without access in a span of time, oldest first, and the share of the span that had access. An outage
 * whose token lived until the end of the outage took no access away.
 *
 * @param start epoch milliseconds, as `end`.
 */
export function readAccess(
  outages: readonly Outage[],
  start: number,
  end: number,
): { outages: ShownOutage[]; share: number } {
  const shown = outages
    .map(({ id, cause, accessEndsAt, endedAt }) => ({
      id,
      cause,
      lostAt: Math.max(accessEndsAt, start),
      endedAt: Math.min(endedAt ?? end, end),
    }))
    .filter(({ lostAt, endedAt }) => lostAt < endedAt)
    .toSorted((a, b) => a.lostAt - b.lostAt);
  const lostMs = shown.reduce((sum, { lostAt, endedAt }) => sum + endedAt - lostAt, 0);
  return { outages: shown, share: end > start ? Math.max(0, 1 - lostMs / (end - start)) : 1 };
}
