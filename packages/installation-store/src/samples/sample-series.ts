/** Reads the fleet's history in steps. The database adds up each step, so a long span costs few rows. */
import { type StateGroup, stateGroupSchema } from '@dowel/admin-api';
import { callTimePercentile } from '@dowel/schema';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';

/** What happened, as counts or per minute. */
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
  callsSucceeded: number;
  /** The platform or the access was at fault. */
  callsFailed: number;
  /** Refused for what the plug-in asked. */
  callsRefused: number;
}

/** What a process has counted since it last recorded. */
export interface FleetCounts extends FleetRates {
  /** All calls, by the ranges of `callTimeRange` of `@dowel/schema`. */
  callTimes: readonly number[];
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
type SeriesValues = (number | null)[];

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
  /** How long half of the calls took at most, and 95 % of them, in milliseconds. Null without calls. */
  callMs: { p50: SeriesValues; p95: SeriesValues };
}

/** Causes that a chart can name. */
const maxCauses = 5;

const groups = stateGroupSchema.options;
export const rateColumns = {
  refreshed: 'refreshed',
  refreshFailed: 'refresh_failed',
  events: 'events',
  refused: 'refused',
  shed: 'shed',
  callsSucceeded: 'calls_succeeded',
  callsFailed: 'calls_failed',
  callsRefused: 'calls_refused',
} as const satisfies Record<keyof FleetRates, keyof Tables['fleet_minutes']>;
export const rateNames = Object.keys(rateColumns) as (keyof FleetRates)[];

/** By the ranges of `callTimeRange`. */
export const callTimeColumns = [
  'calls_50',
  'calls_100',
  'calls_250',
  'calls_500',
  'calls_1000',
  'calls_2500',
  'calls_10000',
  'calls_slower',
] as const satisfies (keyof Tables['fleet_minutes'])[];

/** The sums of a step, of all installations or of one cause. */
type Part = {
  step: number;
  /** '' for all installations. */
  cause: string;
  /** Minutes that are over. */
  minutes: number;
  sampled: number;
  broken_min: number | null;
  broken_max: number | null;
} & Record<StateGroup | keyof FleetRates | (typeof callTimeColumns)[number], number | null>;

export async function readSeries(
  db: Kysely<Tables>,
  request: SeriesRequest,
): Promise<SampleSeries> {
  const { from, until, stepMs } = request;
  const parts = await selectParts(db, request).execute();
  const steps = Array.from(
    { length: (until - from) / stepMs },
    (_, index) => from + index * stepMs,
  );
  const byStep = new Map(
    parts.filter(({ cause }) => cause === '').map((part) => [part.step, part]),
  );
  const ofAll = steps.map((step) => byStep.get(step));
  const mapAll = (read: (part: Part) => number | null): SeriesValues =>
    ofAll.map((part) => part && read(part)).map((value) => value ?? null);
  const series: SampleSeries = {
    countingSince: await findFirst(db),
    groups: mapKeys(groups, (group) => mapAll((part) => mean(part[group], part.sampled))),
    broken: {
      min: mapAll((part) => part.broken_min),
      max: mapAll((part) => part.broken_max),
    },
    causes: listCauses(parts, ofAll),
    rates: mapKeys(rateNames, (rate) => mapAll((part) => mean(part[rate], part.minutes))),
    callMs: {
      p50: mapAll((part) => callTimePercentile(callTimesOf(part), 0.5)),
      p95: mapAll((part) => callTimePercentile(callTimesOf(part), 0.95)),
    },
  };
  await endWithNewest(db, series, { from: until - stepMs, until });
  return series;
}

const callTimesOf = (part: Part): number[] => callTimeColumns.map((column) => part[column] ?? 0);

/** The last step shows the current state, so it is the newest sample and not a mean. */
async function endWithNewest(
  db: Kysely<Tables>,
  { groups: counts, causes }: SampleSeries,
  { from, until }: Pick<SeriesRequest, 'from' | 'until'>,
): Promise<void> {
  const newest = await db
    .selectFrom('fleet_minutes')
    .select(['at', ...groups])
    .where('at', '>=', from)
    .where('at', '<', until)
    .where('cause', '=', '')
    .where('broken', 'is not', null)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!newest) return;
  const rows = await db
    .selectFrom('fleet_minutes')
    .select(['cause', 'broken'])
    .where('at', '=', newest.at)
    .execute();
  for (const group of groups) counts[group].splice(-1, 1, newest[group]);
  for (const { cause, values } of causes) {
    values.splice(-1, 1, rows.find((row) => row.cause === cause)?.broken ?? 0);
  }
}

export function selectParts(
  db: Kysely<Tables>,
  { from, until, stepMs, ratesUntil }: SeriesRequest,
) {
  const length = sql`cast(${stepMs} as bigint)`;
  const isOver = sql<boolean>`at < cast(${ratesUntil} as bigint)`;
  const sum = (value: RawBuilder<unknown>) => sql<number>`cast(sum(${value}) as bigint)`;
  return db
    .selectFrom('fleet_minutes')
    .select([
      sql<number>`at / ${length} * ${length}`.as('step'),
      'cause',
      sum(sql`case when ${isOver} then 1 else 0 end`).as('minutes'),
      sql<number>`cast(count(broken) as bigint)`.as('sampled'),
      sql<number | null>`min(broken)`.as('broken_min'),
      sql<number | null>`max(broken)`.as('broken_max'),
      ...groups.map((group) => sum(sql.ref(group)).as(group)),
      ...rateNames.map((rate) =>
        sum(sql`case when ${isOver} then ${sql.ref(rateColumns[rate])} else 0 end`).as(rate),
      ),
      ...callTimeColumns.map((column) =>
        sum(sql`case when ${isOver} then ${sql.ref(column)} else 0 end`).as(column),
      ),
    ])
    .where('at', '>=', from)
    .where('at', '<', until)
    .groupBy(['step', 'cause'])
    .$castTo<Part>();
}

async function findFirst(db: Kysely<Tables>): Promise<number | null> {
  const first = await db
    .selectFrom('fleet_minutes')
    .select(({ fn }) => fn.min('at').as('at'))
    .executeTakeFirst();
  return first?.at ?? null;
}

/** A minute without the cause counts as zero. */
function listCauses(
  parts: readonly Part[],
  ofAll: readonly (Part | undefined)[],
): SampleSeries['causes'] {
  const frequency = (ofOne: readonly Part[]) =>
    ofOne.reduce((sum, { broken }) => sum + (broken ?? 0), 0);
  return [...Map.groupBy(parts, ({ cause }) => cause)]
    .filter(([cause]) => cause !== '')
    .toSorted(([, one], [, other]) => frequency(other) - frequency(one))
    .slice(0, maxCauses)
    .map(([cause, ofOne]) => {
      const byStep = new Map(ofOne.map((part) => [part.step, part]));
      const values = ofAll.map((part) =>
        part ? mean(byStep.get(part.step)?.broken ?? 0, part.sampled) : null,
      );
      return { cause, values };
    });
}

/** Rounded to a hundredth, because more digits would only make the answer longer. */
function mean(sum: number | null, count: number): number | null {
  return count === 0 ? null : Math.round(((sum ?? 0) / count) * 100) / 100;
}

function mapKeys<Name extends string>(
  names: readonly Name[],
  readValues: (name: Name) => SeriesValues,
): Record<Name, SeriesValues> {
  return Object.fromEntries(names.map((name) => [name, readValues(name)])) as Record<
    Name,
    SeriesValues
  >;
}
