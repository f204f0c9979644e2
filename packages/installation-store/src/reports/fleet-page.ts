/**
 * One page of the list. The code, not the planner, chooses how to read it: few matching rows are read and
 * sorted; otherwise the order's index is walked, up to a bound. A planner that guesses wrong reads all rows.
 */
import { stateRules, type Total } from '@dowel/schema';
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ConditionCount, FleetListQuery } from '../fleet-reports.ts';
import { readCounts } from '../sql/condition-counts.ts';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import {
  filterConditions,
  hasAge,
  isInCondition,
  isOfCause,
  statesNamed,
  wantedConditions,
} from './fleet-filter.ts';
import { cursorOf, isBehind, orderBy, placeOf, type Range, rangesOf } from './fleet-order.ts';
import { type SearchResult, searchFleet } from './fleet-search.ts';

/** How much one page may cost. */
export interface PageBounds {
  /** So many rows are read and sorted, and counted exactly. */
  maxSorted: number;
  /** So many rows of an index are looked at for one page. */
  maxWalked: number;
}

const defaultBounds: PageBounds = { maxSorted: 5_000, maxWalked: 20_000 };

type Context = Pick<Database, 'db' | 'textIndex'>;

interface Plan {
  conditions: RawBuilder<SqlBool>[];
  /** Few rows match, and an index other than the order's finds them. */
  isSorted: boolean;
  limit: number;
  maxWalked: number;
}

/** A row of a page, by the key of its range. */
type Found = Record<string, string | number> & { id: string };

/** @throws StoreError `CURSOR_INVALID`. */
export async function findFleetPage(
  context: Context,
  query: FleetListQuery,
  bounds = defaultBounds,
): Promise<{ ids: string[]; next: string | null; isSearching: boolean }> {
  const { db } = context;
  const ranges = rangesOf(query, query);
  const place = placeOf(ranges, query.after);
  const plan = await planPage(context, query, bounds);
  const ids: string[] = [];
  let end = query.after ?? null;
  for (let index = place.range; index < ranges.length; index += 1) {
    const range = ranges[index] as Range;
    const stretch = { range, key: index === place.range ? place.key : undefined };
    const wanted = query.limit - ids.length;
    const rows = await readRange(db, stretch, { ...plan, limit: wanted + 1 });
    const page = rows.slice(0, wanted);
    ids.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    if (last) end = cursorOf(index, keyOf(range, last));
    if (rows.length > wanted) return { ids, next: end, isSearching: false };
    const bound = await readBound(db, stretch, plan);
    if (bound) return { ids, next: cursorOf(index, keyOf(range, bound)), isSearching: true };
  }
  return { ids, next: null, isSearching: false };
}

async function planPage(
  context: Context,
  query: FleetListQuery,
  bounds: PageBounds,
): Promise<Plan> {
  const filters = filterConditions(query);
  const found = await findText(context, query, bounds);
  const isSorted =
    found?.ids !== undefined ||
    (filters.length > 0 && (await estimate(context.db, query)) <= bounds.maxSorted);
  return {
    conditions: [...(found ? [hasText(found)] : []), ...filters],
    isSorted,
    limit: query.limit,
    maxWalked: bounds.maxWalked,
  };
}

function findText(context: Context, { search }: FleetListQuery, bounds: PageBounds) {
  const { maxSorted: maxFound, maxWalked: maxLookedAt } = bounds;
  return searchFleet(context, search, { maxFound, maxLookedAt });
}

/** The text is searched once, however many ranges the order has, unless too many rows have it. */
function hasText({ ids, matches }: SearchResult): RawBuilder<SqlBool> {
  if (!ids) return matches;
  return ids.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`id in (${sql.join(ids)})`;
}

/** At most so many rows match, by the counts of their conditions. */
async function estimate(db: Kysely<Tables>, query: FleetListQuery): Promise<number> {
  const wanted = wantedConditions(query)?.map(({ condition }) => condition);
  const counts = await readCounts(db);
  return counts
    .filter(({ condition }) => wanted?.includes(condition) ?? true)
    .filter((each) => mayBeOfCause(each, query.cause))
    .reduce((sum, { n }) => sum + n, 0);
}

function mayBeOfCause({ condition, cause }: ConditionCount, wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  const states = statesNamed(wanted);
  if (states.length === 0) return cause === wanted;
  return cause === null && states.some((state) => stateRules[state].condition === condition);
}

interface Stretch {
  range: Range;
  key: readonly (string | number)[] | undefined;
}

async function readRange(
  db: Kysely<Tables>,
  stretch: Stretch,
  { conditions, isSorted, limit, maxWalked }: Plan,
): Promise<Found[]> {
  const matches = sql.join(conditions.length > 0 ? conditions : [sql`1 = 1`], sql` and `);
  const order = orderBy(stretch.range, !isSorted);
  const columns = columnsOf(stretch.range);
  if (isSorted || conditions.length === 0) {
    const { rows } = await sql<Found>`select ${columns} from installations
      where ${inStretch(stretch)} and ${matches} order by ${order} limit ${limit}`.execute(db);
    return rows;
  }
  // The inner limit bounds the walk, and keeps the planner from another index than that of the order.
  const { rows } = await sql<Found>`select ${columns} from (
      select * from installations where ${inStretch(stretch)} order by ${order} limit ${maxWalked}
    ) as walked where ${matches} order by ${order} limit ${limit}`.execute(db);
  return rows;
}

/** The last row that a walk looked at; undefined: it came to the end of the range. */
async function readBound(
  db: Kysely<Tables>,
  stretch: Stretch,
  { conditions, isSorted, maxWalked }: Plan,
): Promise<Found | undefined> {
  if (isSorted || conditions.length === 0) return undefined;
  const { rows } = await sql<Found>`select ${columnsOf(stretch.range)} from installations
    where ${inStretch(stretch)} order by ${orderBy(stretch.range, true)}
    limit 1 offset ${maxWalked - 1}`.execute(db);
  return rows[0];
}

function inStretch({ range, key }: Stretch): RawBuilder<SqlBool> {
  const parts = [range.where ?? sql<SqlBool>`1 = 1`, ...(key ? [isBehind(range, key)] : [])];
  return sql<SqlBool>`${sql.join(parts, sql` and `)}`;
}

function columnsOf({ columns }: Range): RawBuilder<unknown> {
  return sql.join([...new Set<string>(['id', ...columns])].map((column) => sql.ref(column)));
}

function keyOf({ columns }: Range, row: Found): (string | number)[] {
  return columns.map((column) => row[column] ?? '');
}

/** Exact without a text, and to 5,000 with one. */
export async function countFleetMatches(
  context: Context,
  query: FleetListQuery,
  bounds = defaultBounds,
): Promise<Total | null> {
  const { db } = context;
  const { scope, pluginId } = query;
  const found = await findText(context, query, bounds);
  if (found) return countFound(db, query, { found, bounds });
  if (scope !== undefined) return null;
  if (hasAge(query) || pluginId !== undefined) return countCapped(db, query);
  if (query.cause !== undefined && statesNamed(query.cause).length > 0) {
    return { count: await countAll(db, filterConditions(query)), isExact: true };
  }
  const wanted = wantedConditions(query);
  const counts = await readCounts(db);
  const divided = wanted?.filter(({ clock }) => clock) ?? [];
  const whole = counts
    .filter(({ condition, cause }) => {
      if (query.cause !== undefined && cause !== query.cause) return false;
      return wanted?.some((each) => each.condition === condition && !each.clock) ?? true;
    })
    .reduce((sum, { n }) => sum + n, 0);
  let parts = 0;
  for (const each of divided) {
    const conditions = [isInCondition(each, query.now)];
    if (query.cause !== undefined) conditions.push(isOfCause(query.cause, query.now));
    parts += await countAll(db, conditions);
  }
  return { count: whole + parts, isExact: true };
}

async function countFound(
  db: Kysely<Tables>,
  query: FleetListQuery,
  { found, bounds }: { found: SearchResult; bounds: PageBounds },
): Promise<Total | null> {
  const { maxSorted } = bounds;
  const filters = filterConditions(query);
  const conditions = [hasText(found), ...filters];
  const many: Total = { count: maxSorted, isExact: false };
  if (filters.length === 0 && found.isMany) return many;
  const isFew =
    found.ids !== undefined || (filters.length > 0 && (await estimate(db, query)) <= maxSorted);
  if (isFew) return { count: await countAll(db, conditions), isExact: true };
  return (await countNewest(db, conditions, bounds)) > maxSorted ? many : null;
}

async function countCapped(db: Kysely<Tables>, query: FleetListQuery): Promise<Total> {
  const { maxSorted } = defaultBounds;
  const conditions = filterConditions(query);
  const found = await countUpTo(db, conditions, maxSorted);
  return { count: Math.min(found, maxSorted), isExact: found <= maxSorted };
}

/** How many of the newest match, up to one above the limit. */
async function countNewest(
  db: Kysely<Tables>,
  conditions: RawBuilder<SqlBool>[],
  { maxSorted, maxWalked }: PageBounds,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`select cast(count(*) as integer) as n from (
    select 1 as one from (
      select * from installations order by created_at desc, id desc limit ${maxWalked}
    ) as walked where ${sql.join(conditions, sql` and `)} limit ${maxSorted + 1}) as counted`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
}

/** Stops one above the limit. */
async function countUpTo(
  db: Kysely<Tables>,
  conditions: RawBuilder<SqlBool>[],
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`select cast(count(*) as integer) as n from (
    select 1 as one from installations where ${sql.join(conditions, sql` and `)}
    limit ${limit + 1}) as counted`.execute(db);
  return rows[0]?.n ?? 0;
}

export async function countAll(
  db: Kysely<Tables>,
  conditions: RawBuilder<SqlBool>[],
): Promise<number> {
  const { rows } = await sql<{ n: number }>`select cast(count(*) as integer) as n
    from installations where ${sql.join(conditions, sql` and `)}`.execute(db);
  return rows[0]?.n ?? 0;
}
