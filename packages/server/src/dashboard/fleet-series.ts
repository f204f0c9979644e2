/** The steps of a span of the fleet's history. */
import type { SeriesSpan } from '@dowel/admin-api';
import type { SeriesRequest } from '@dowel/installation-store';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** At most 300 steps each. */
const spans = {
  '24h': { lengthMs: dayMs, stepMs: 5 * minuteMs },
  '7d': { lengthMs: 7 * dayMs, stepMs: hourMs },
  '30d': { lengthMs: 30 * dayMs, stepMs: 3 * hourMs },
} as const satisfies Record<SeriesSpan, object>;

/** The last step is the current one. */
export function planSeries(span: SeriesSpan, now: number): SeriesRequest {
  const { lengthMs, stepMs } = spans[span];
  const until = now - (now % stepMs) + stepMs;
  return { from: until - lengthMs, until, stepMs, ratesUntil: now - (now % minuteMs) };
}
