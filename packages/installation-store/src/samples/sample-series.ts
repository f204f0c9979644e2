/** Reads the fleet's history in steps. The database adds up each step, so a long span costs few rows. */
import { type StateGroup, stateGroupSchema } from '@dowel/schema';
import { type Kysely, sql } from 'kysely';
import type { FleetRates, SampleSeries, SeriesRequest, SeriesValues } from '../sample-store.ts';
import type { Tables } from '../sql/tables.ts';

const hourMs = 3_600_000;
/** Causes that a chart can name. */
const maxCauses = 5;

const groups = stateGroupSchema.options;
const rateColumns = {
  refreshed: 'refreshed',
  refreshFailed: 'refresh_failed',
  events: 'events',
  refused: 'refused',
  shed: 'shed',
} as const satisfies Record<keyof FleetRates, keyof Tables['fleet_samples']>;
const rateNames = Object.keys(rateColumns) as (keyof FleetRates)[];

/** What one table has for one step: sums, because two tables can share a step. */
type Part = {
  step: number;
  minutes: number;
  sampled: number;
  broken_min: number | null;
  broken_max: number | null;
} & Record<StateGroup | keyof FleetRates, number | null>;

interface CausePart {
  step: number;
  cause: string;
  n: number;
}

export async function readSeries(
  db: Kysely<Tables>,
  request: SeriesRequest,
): Promise<SampleSeries> {
  const { from, until, stepMs, fromHours, ratesUntil } = request;
  const minutesFrom = fromHours ? await findMinutesStart(db, request) : from;
  const minutes = { from: minutesFrom, until, stepMs, ratesUntil };
  const hours = { from, until: minutesFrom, stepMs };
  const parts = await minuteParts(db, minutes).execute();
  const causes = await minuteCauses(db, minutes).execute();
  if (fromHours) {
    parts.push(...(await hourParts(db, hours).execute()));
    causes.push(...(await hourCauses(db, hours).execute()));
  }
  const steps = Array.from(
    { length: (until - from) / stepMs },
    (_, index) => from + index * stepMs,
  );
  const byStep = Map.groupBy(parts, ({ step }) => step);
  const partsOf = steps.map((step) => byStep.get(step) ?? []);
  const sampled = partsOf.map((each) => addUp(each, 'sampled'));
  const series: SampleSeries = {
    countingSince: await findFirst(db),
    groups: mapKeys(groups, (group) => means(partsOf, group, sampled)),
    broken: {
      min: partsOf.map((each) => extreme(each, 'broken_min', Math.min)),
      max: partsOf.map((each) => extreme(each, 'broken_max', Math.max)),
    },
    causes: listCauses(causes, steps, sampled),
    rates: mapKeys(rateNames, (rate) =>
      means(
        partsOf,
        rate,
        partsOf.map((each) => addUp(each, 'minutes')),
      ),
    ),
  };
  await endWithNewest(db, series, { from: until - stepMs, until });
  return series;
}

/** The last step shows the current state, so it is the newest sample and not a mean. */
async function endWithNewest(
  db: Kysely<Tables>,
  { groups: counts, causes }: SampleSeries,
  { from, until }: Pick<Range, 'from' | 'until'>,
): Promise<void> {
  const newest = await db
    .selectFrom('fleet_samples')
    .select(['at', ...groups])
    .where('at', '>=', from)
    .where('at', '<', until)
    .where('broken', 'is not', null)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!newest) return;
  const rows = await db
    .selectFrom('fleet_cause_samples')
    .select(['cause', 'n'])
    .where('at', '=', newest.at)
    .execute();
  for (const group of groups) counts[group].splice(-1, 1, newest[group]);
  for (const { cause, values } of causes) {
    values.splice(-1, 1, rows.find((row) => row.cause === cause)?.n ?? 0);
  }
}

interface Range {
  from: number;
  until: number;
  stepMs: number;
}

/** The step that a row belongs to. */
const stepOf = (stepMs: number) =>
  sql<number>`at / cast(${stepMs} as bigint) * cast(${stepMs} as bigint)`;
const wholeSum = (column: string) => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`;

export function minuteParts(
  db: Kysely<Tables>,
  { from, until, stepMs, ratesUntil }: Range & Pick<SeriesRequest, 'ratesUntil'>,
) {
  const isOver = sql<boolean>`at < cast(${ratesUntil} as bigint)`;
  return db
    .selectFrom('fleet_samples')
    .select([
      stepOf(stepMs).as('step'),
      sql<number>`cast(sum(case when ${isOver} then 1 else 0 end) as bigint)`.as('minutes'),
      sql<number>`cast(count(broken) as bigint)`.as('sampled'),
      sql<number | null>`min(broken)`.as('broken_min'),
      sql<number | null>`max(broken)`.as('broken_max'),
      ...groups.map((group) => wholeSum(group).as(group)),
      ...rateNames.map((rate) =>
        sql<number>`cast(sum(case when ${isOver} then ${sql.ref(rateColumns[rate])} else 0 end) as bigint)`.as(
          rate,
        ),
      ),
    ])
    .where('at', '>=', from)
    .where('at', '<', until)
    .groupBy('step')
    .$castTo<Part>();
}

export function hourParts(db: Kysely<Tables>, { from, until, stepMs }: Range) {
  return db
    .selectFrom('fleet_hours')
    .select([
      stepOf(stepMs).as('step'),
      wholeSum('minutes').as('minutes'),
      wholeSum('sampled').as('sampled'),
      sql<number | null>`min(broken_min)`.as('broken_min'),
      sql<number | null>`max(broken_max)`.as('broken_max'),
      ...groups.map((group) => sql<number>`sum(${sql.ref(`${group}_mean`)} * sampled)`.as(group)),
      ...rateNames.map((rate) => wholeSum(rateColumns[rate]).as(rate)),
    ])
    .where('at', '>=', from)
    .where('at', '<', until)
    .groupBy('step')
    .$castTo<Part>();
}

export function minuteCauses(db: Kysely<Tables>, { from, until, stepMs }: Range) {
  return db
    .selectFrom('fleet_cause_samples')
    .select([stepOf(stepMs).as('step'), 'cause', wholeSum('n').as('n')])
    .where('at', '>=', from)
    .where('at', '<', until)
    .groupBy(['step', 'cause'])
    .$castTo<CausePart>();
}

export function hourCauses(db: Kysely<Tables>, { from, until, stepMs }: Range) {
  return db
    .selectFrom('fleet_cause_hours')
    .innerJoin('fleet_hours', 'fleet_hours.at', 'fleet_cause_hours.at')
    .select([
      sql<number>`fleet_hours.at / cast(${stepMs} as bigint) * cast(${stepMs} as bigint)`.as(
        'step',
      ),
      'cause',
      sql<number>`sum(n_mean * sampled)`.as('n'),
    ])
    .where('fleet_hours.at', '>=', from)
    .where('fleet_hours.at', '<', until)
    .groupBy(['step', 'cause'])
    .$castTo<CausePart>();
}

/** Minutes are read from where the hours end. */
async function findMinutesStart(
  db: Kysely<Tables>,
  { from, until }: Pick<Range, 'from' | 'until'>,
): Promise<number> {
  const newest = await db
    .selectFrom('fleet_hours')
    .select(({ fn }) => fn.max('at').as('at'))
    .where('at', '>=', from)
    .where('at', '<', until)
    .executeTakeFirst();
  return newest?.at == null ? from : newest.at + hourMs;
}

async function findFirst(db: Kysely<Tables>): Promise<number | null> {
  const { rows } = await sql<{ at: number | null }>`select min(at) as at from (
    select min(at) as at from fleet_hours union all select min(at) as at from fleet_samples
  ) as firsts`.execute(db);
  return rows[0]?.at ?? null;
}

function listCauses(
  parts: readonly CausePart[],
  steps: readonly number[],
  sampled: readonly number[],
): SampleSeries['causes'] {
  const frequency = (ofOne: readonly CausePart[]) => ofOne.reduce((sum, { n }) => sum + n, 0);
  return [...Map.groupBy(parts, ({ cause }) => cause)]
    .toSorted(([, one], [, other]) => frequency(other) - frequency(one))
    .slice(0, maxCauses)
    .map(([cause, ofOne]) => {
      const sums = Map.groupBy(ofOne, ({ step }) => step);
      const values = steps.map((step, index) =>
        mean(frequency(sums.get(step) ?? []), sampled[index] ?? 0),
      );
      return { cause, values };
    });
}

function means(
  partsOf: readonly Part[][],
  column: StateGroup | keyof FleetRates,
  weights: readonly number[],
): SeriesValues {
  return partsOf.map((parts, index) => mean(addUp(parts, column), weights[index] ?? 0));
}

/** Rounded to a hundredth, because more digits would only make the answer longer. */
function mean(sum: number, count: number): number | null {
  return count === 0 ? null : Math.round((sum / count) * 100) / 100;
}

function addUp(parts: readonly Part[], column: keyof Part): number {
  return parts.reduce((sum, part) => sum + (part[column] ?? 0), 0);
}

function extreme(
  parts: readonly Part[],
  column: 'broken_min' | 'broken_max',
  choose: (...values: number[]) => number,
): number | null {
  const values = parts.flatMap((part) => part[column] ?? []);
  return values.length === 0 ? null : choose(...values);
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
