/** The API of the fleet's history, under `/admin/api/fleet/series`. Points in time are epoch milliseconds. */
import { z } from 'zod';
import { pointInTime } from '../point-in-time.ts';
import { stateGroupSchema } from './installation-state.ts';

/** One entry per step; null where nothing was recorded. */
const values = z.array(z.number().nonnegative().nullable());

export const seriesSpanSchema = z.enum(['24h', '7d', '30d']);

/** The query of `GET /admin/api/fleet/series`. */
export const fleetSeriesQuerySchema = z.object({ span: seriesSpanSchema.default('24h') });

/** `GET /admin/api/fleet/series`: at most 300 steps. */
export const fleetSeriesSchema = z.object({
  /** The server's clock. */
  now: pointInTime,
  span: seriesSpanSchema,
  /** When the first step begins. */
  from: pointInTime,
  stepMs: z.int().positive(),
  /** When the first sample was taken; null: there is none. */
  countingSince: pointInTime.nullable(),
  /**
   * How many installations were in each group of states: the mean of the step; for the last step, the newest
   * sample.
   */
  groups: z.record(stateGroupSchema, values),
  /** The lowest and the highest count of broken ones in the step. */
  broken: z.object({ min: values, max: values }),
  /**
   * Why they were broken, counted likewise, the most frequent first, at most five: a reason of docs/errors.md, the state
   * `unreachable` or `no_tokens`, or `other`.
   */
  causes: z.array(z.object({ cause: z.string(), values })),
  /** Per minute, without the minute that is not over. */
  rates: z.object({
    /** Refreshes that brought tokens. */
    refreshed: values,
    refreshFailed: values,
    /** Events that were accepted. */
    events: values,
    /** Events and init JWTs that can never be accepted. */
    refused: values,
    /** Events and init JWTs that were refused for now and may be accepted later. */
    shed: values,
    callsSucceeded: values,
    /** Calls for which the platform or the access was at fault. */
    callsFailed: values,
    /** Calls that the platform refused for what the plug-in asked. */
    callsRefused: values,
  }),
  /** How long half of the calls took at most, and 95 % of them, in milliseconds. Null without calls. */
  callMs: z.object({ p50: values, p95: values }),
});

export type SeriesSpan = z.infer<typeof seriesSpanSchema>;
export type FleetSeries = z.infer<typeof fleetSeriesSchema>;
