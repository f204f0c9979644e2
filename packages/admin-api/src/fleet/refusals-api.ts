/** The API of the dashboard's page about refusals, under `/admin/api/refusals`. Points in time are epoch milliseconds. */
import { z } from 'zod';
import { pointInTime } from '../point-in-time.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What was refused: a post of the platform, or the session of a plug-in's page. */
const refusedKindSchema = z.enum(['event', 'session']);

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

/** One event or session that was refused. */
const refusedRequestSchema = z.object({
  at: pointInTime,
  /** A reason of docs/errors.md. */
  reason: z.string(),
  kind: refusedKindSchema,
  /** The host that the JWT named as its issuer. Nothing proves it. '' when there is none. */
  issuer: z.string(),
  /** An address; for a session only its network. */
  sender: z.string(),
  /** The plug-in whose URL was called; '' for the only one. */
  plugin: z.string(),
});

/** `GET /admin/api/refusals`: the refusals that belong to no installation. */
export const refusalsSchema = z.object({
  /** The server's clock. */
  now: pointInTime,
  /** The beginning of the first hour that is counted. */
  from: pointInTime,
  /** The most frequent reasons first. */
  reasons: z.array(refusedReasonSchema),
  /** The newest refusals first, at most ten of a reason and 100 in all. They may be older than `from`. */
  last: z.array(refusedRequestSchema),
});

export type RefusedRequest = z.infer<typeof refusedRequestSchema>;
export type Refusals = z.infer<typeof refusalsSchema>;
export type RefusedKind = z.infer<typeof refusedKindSchema>;
export type RefusedReason = z.infer<typeof refusedReasonSchema>;
export type RefusalsQuery = z.infer<typeof refusalsQuerySchema>;

/** The beginning of the hour of a time, epoch milliseconds. */
export const hourOf = (at: number): number => at - (at % hourMs);
