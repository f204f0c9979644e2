/** The port of the fleet's history: how many installations were in which state, and what happened per minute. */
import type { StateGroup } from '@dowel/admin-api';

/** What a process has counted since it last recorded. */
export interface FleetRates {
  /** Refreshes that brought tokens. */
  refreshed: number;
  refreshFailed: number;
  /** Events that were accepted. */
  events: number;
  /** Events and init JWTs that can never be accepted. */
  refused: number;
  /** Events and init JWTs that were refused for now and may be accepted later. */
  shed: number;
}

/** The whole steps from `from` on, before `until`. Both are multiples of `stepMs`, epoch milliseconds. */
export interface SeriesRequest {
  from: number;
  until: number;
  stepMs: number;
  /** Rates of later minutes are left out: such a minute is not over. */
  ratesUntil: number;
}

/** One entry per step; null where nothing was recorded. */
export type SeriesValues = (number | null)[];

export interface SampleSeries {
  /** When the first sample was taken; null: there is none. */
  countingSince: number | null;
  /** Mean of the step; for the last step, the newest sample. */
  groups: Record<StateGroup, SeriesValues>;
  /** Lowest and highest count of the step. */
  broken: { min: SeriesValues; max: SeriesValues };
  /** Why installations were broken, the most frequent of the span first, at most five. As `groups`. */
  causes: { cause: string; values: SeriesValues }[];
  /** Per minute, mean of the step. */
  rates: Record<keyof FleetRates, SeriesValues>;
}

export interface SampleStore {
  /**
   * Adds what this process counted to the database's current minute. The first call of a minute, of all
   * processes, also stores how many installations have each state and cause, and adds up the rows of their counts.
   *
   * @returns whether it did.
   */
  record(rates: FleetRates): Promise<boolean>;
  readSeries(request: SeriesRequest): Promise<SampleSeries>;
}
