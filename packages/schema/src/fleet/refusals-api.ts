/** The API of the dashboard's page about refusals, under `/admin/api/refusals`. Points in time are epoch milliseconds. */
import { z } from 'zod';

const pointInTime = z.int().nonnegative();
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Refusals are counted for each span of this length. */
export const refusalBucketMs = 5 * minuteMs;
/** Stands for several senders or issuers of a group: only some are counted separately. */
export const severalRefused = '*';

const longestMs = 31 * dayMs;
const mostBars = 96;
const barMinutes = [5, 15, 30, 60, 120, 240, 480, 720];

/** What was refused: a post of the platform, or the session of a plug-in's page. */
export const refusedKindSchema = z.enum(['event', 'session']);

/** The query of `GET /admin/api/refusals`. Without `from`, what came in the last `last` milliseconds before `to`. */
export const refusalsQuerySchema = z
  .object({
    from: z.coerce.number().int().nonnegative().optional(),
    /** Default: the server's now. */
    to: z.coerce.number().int().positive().optional(),
    /** Default: a day. */
    last: z.coerce.number().int().min(refusalBucketMs).max(longestMs).default(dayMs),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from < to, {
    path: ['from'],
    message: 'must be before "to"',
  });

/** Refusals that have everything in common but the time. */
export const refusalGroupSchema = z.object({
  /** A reason of docs/errors.md. */
  reason: z.string(),
  kind: refusedKindSchema,
  /** The host that the JWT named as its issuer. Nothing proves it. '' when there is none, `*` when there are several. */
  issuer: z.string(),
  /** An address; for a session only its network. `*` when there are several. */
  sender: z.string(),
  /** The plug-in whose URL was called; '' for the only one. */
  plugin: z.string(),
  count: z.int().positive(),
  firstAt: pointInTime,
  lastAt: pointInTime,
});

/** `GET /admin/api/refusals`: the refusals that belong to no installation. */
export const refusalsSchema = z.object({
  /** The server's clock. */
  now: pointInTime,
  /** Begins with the first bar and ends with the last one. */
  from: pointInTime,
  to: pointInTime,
  barMs: z.int().positive(),
  /** One count per bar, for each reason; those with most refusals first. */
  reasons: z.array(
    z.object({ reason: z.string(), total: z.int(), counts: z.array(z.int().nonnegative()) }),
  ),
  /** The groups with most refusals, at most 100. */
  groups: z.array(refusalGroupSchema),
  /** There are more groups. The counts of the reasons have them all. */
  hasMore: z.boolean(),
});

export type RefusedKind = z.infer<typeof refusedKindSchema>;
export type RefusalGroup = z.infer<typeof refusalGroupSchema>;
export type Refusals = z.infer<typeof refusalsSchema>;
export type RefusalsQuery = z.infer<typeof refusalsQuerySchema>;

/** The time that a report covers, in whole bars. */
export type RefusalSpan = Pick<Refusals, 'from' | 'to' | 'barMs'>;

/** At most 97 bars: the first and the last one may be partly outside of the requested time. */
export function findRefusalSpan({ from, to, last }: RefusalsQuery, now: number): RefusalSpan {
  const end = to ?? now;
  const begin = Math.max(0, end - longestMs, from ?? end - last);
  const barMs = findBarMs(end - begin);
  return { from: begin - (begin % barMs), to: Math.ceil(end / barMs) * barMs, barMs };
}

function findBarMs(durationMs: number): number {
  const widths = barMinutes.map((minutes) => minutes * minuteMs);
  return widths.find((width) => durationMs / width <= mostBars) ?? dayMs;
}
