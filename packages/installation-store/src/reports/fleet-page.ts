/**
 * One page of the list. The code, not the planner, chooses how to read it: few matching rows, and those that contain
 * a searched text, are read and sorted; otherwise the order's index is walked, up to a bound. A planner that guesses
 * wrong reads all rows.
 */
import { type FleetQuery, type FleetSort, stateRules, type Total } from '@dowel/admin-api';
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type ConditionCount, readCounts } from '../sql/condition-counts.ts';
import type { Tables } from '../sql/tables.ts';
import {
  filterConditions,
  hasAge,
  hasSearch,
  isInCondition,
  isOfCause,
  statesNamed,
  wantedConditions,
} from './fleet-filter.ts';
import { cursorOf, isBehind, orderBy, type Range, rangesOf, readCursor } from './fleet-order.ts';

export type FleetListQuery = Omit<FleetQuery, 'sort'> & {
  sort: FleetSort;
  /** For the states that change with the time; epoch milliseconds. */
  now: number;
};

/** How much one page may cost. */
export interface PageBounds {
  /** So many rows are read and sorted, and counted exactly. */
  maxSorted: number;
  /** So many rows of an index are looked at for one page. */
  maxWalked: number;
}

const defaultBounds: PageBounds = { maxSorted: 5_000, maxWalked: 20_000 };

interface Plan {
  conditions: RawBuilder<SqlBool>[];
  /** The order's index is not walked. */
  isSorted: boolean;
  limit: number;
  maxWalked: number;
}

/** A row of a page, by the key of its range. */
type Found = Record<string, string | number> & { id: string };

/** @throws StoreError `CURSOR_INVALID`. */
export async function findFleetPage(
  db: Kysely<Tables>,
  query: FleetListQuery,
  bounds = defaultBounds,
): Promise<{ ids: string[]; next: string | null; isSearching: boolean }> {
  const ranges = rangesOf(query, query);
  const place = readCursor(ranges, query.after);
  const plan = await planPage(db, query, bounds);
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
  db: Kysely<Tables>,
  query: FleetListQuery,
  { maxSorted, maxWalked }: PageBounds,
): Promise<Plan> {
  const conditions = filterConditions(query);
  const isSorted =
    hasSearch(query) ||
    (await isOfSmallPlugin(db, query, maxSorted)) ||
    (conditions.length > 0 && (await estimate(db, query)) <= maxSorted);
  return { conditions, isSorted, limit: query.limit, maxWalked };
}

/** Counts in the index of plug-ins, up to the limit. */
async function isOfSmallPlugin(
  db: Kysely<Tables>,
  { pluginId }: FleetListQuery,
  limit: number,
): Promise<boolean> {
  if (pluginId === undefined) return false;
  return (await countUpTo(db, filterConditions({ pluginId, now: 0 }), limit)) <= limit;
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

/** Exact, or up to 5,000 where rows are counted. */
export async function countFleetMatches(
  db: Kysely<Tables>,
  query: FleetListQuery,
  { maxSorted }: Pick<PageBounds, 'maxSorted'> = defaultBounds,
): Promise<Total | null> {
  const { scope, pluginId } = query;
  if (hasSearch(query)) return countCapped(db, query, maxSorted);
  if (scope !== undefined) return null;
  if (hasAge(query) || pluginId !== undefined) return countCapped(db, query, maxSorted);
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

async function countCapped(
  db: Kysely<Tables>,
  query: FleetListQuery,
  maxSorted: number,
): Promise<Total> {
  const found = await countUpTo(db, filterConditions(query), maxSorted);
  return { count: Math.min(found, maxSorted), isExact: found <= maxSorted };
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
