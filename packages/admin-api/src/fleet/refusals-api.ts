/** The API of the counts of refusals, under `/admin/api/refusals`. Points in time are epoch milliseconds. */
import { z } from 'zod';
import { pointInTime } from '../point-in-time.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The query of `GET /admin/api/refusals`. */
export const refusalsQuerySchema = z.object({
  /** How far the counts go back, in milliseconds. They begin with a whole hour. Default: a day. */
  last: z.coerce
    .number()
    .int()
    .min(hourMs)
    .max(31 * dayMs)
    .default(dayMs),
});

/** How often there was a reason. */
const refusedReasonSchema = z.object({
  /** A reason of docs/errors.md. */
  reason: z.string(),
  count: z.int().positive(),
  firstAt: pointInTime,
  lastAt: pointInTime,
});

/** `GET /admin/api/refusals`: how often each reason was, of events and sessions. */
export const refusalsSchema = z.object({
  /** The server's clock. */
  now: pointInTime,
  /** The beginning of the first hour that is counted. */
  from: pointInTime,
  /** The most frequent reasons first. */
  reasons: z.array(refusedReasonSchema),
});

export type Refusals = z.infer<typeof refusalsSchema>;
export type RefusedReason = z.infer<typeof refusedReasonSchema>;
export type RefusalsQuery = z.infer<typeof refusalsQuerySchema>;

/** The beginning of the hour of a time, epoch milliseconds. */
export const hourOf = (at: number): number => at - (at % hourMs);
