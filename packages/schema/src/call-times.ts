/** How long calls took, counted in a few ranges: counts of several processes can be added, percentiles cannot. */

/** The upper ends of the ranges, in milliseconds. Calls that took longer are in one more range. */
export const callTimeLimitsMs = [50, 100, 250, 500, 1_000, 2_500, 10_000] as const;

/** The number of the range that a time belongs to. */
export function callTimeRange(ms: number): number {
  const index = callTimeLimitsMs.findIndex((limit) => ms <= limit);
  return index === -1 ? callTimeLimitsMs.length : index;
}

/**
 * The time in milliseconds that a share of the calls did not exceed, estimated within its range; null without calls. Of the
 * slowest range it is the lower end.
 *
 * @param counts of each range.
 * @param share from 0 to 1.
 */
export function callTimePercentile(counts: readonly number[], share: number): number | null {
  const wanted = counts.reduce((sum, count) => sum + count, 0) * share;
  if (wanted === 0) return null;
  let before = 0;
  for (const [index, count] of counts.entries()) {
    const from = callTimeLimitsMs[index - 1] ?? 0;
    const to = callTimeLimitsMs[index] ?? from;
    if (before + count >= wanted)
      return Math.round(from + ((wanted - before) / count) * (to - from));
    before += count;
  }
  return callTimeLimitsMs.at(-1) ?? null;
}
