/** The steps of a span of the fleet's history. */
import type { SeriesRequest } from '@dowel/installation-store';
import type { SeriesSpan } from '@dowel/schema';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** At most 300 steps each. Minutes are kept for 14 days, so longer spans read hours. */
const spans = {
  '24h': { lengthMs: dayMs, stepMs: 5 * minuteMs, fromHours: false },
  '7d': { lengthMs: 7 * dayMs, stepMs: hourMs, fromHours: true },
  '30d': { lengthMs: 30 * dayMs, stepMs: 3 * hourMs, fromHours: true },
} as const satisfies Record<SeriesSpan, object>;

/** The last step is the current one. */
export function planSeries(span: SeriesSpan, now: number): SeriesRequest {
  const { lengthMs, stepMs, fromHours } = spans[span];
  const until = now - (now % stepMs) + stepMs;
  return { from: until - lengthMs, until, stepMs, fromHours, ratesUntil: now - (now % minuteMs) };
}
