/**
 * How many installations have each condition and cause, exactly. A change appends rows with a difference and
 * changes none, so that transactions of several processes do not wait for each other. The rows are added up once a
 * minute, with the sample of the fleet: a mass outage appends some 100,000.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Condition } from '@dowel/admin-api';
import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

export interface ConditionCount {
  condition: Condition;
  cause: string | null;
  n: number;
}

/** Rows of one transaction, and the pause after it: nothing else waits long for SQLite's one writer. */
const foldedAtOnce = 5_000;
const pauseMs = 10;

export interface Counted {
  /** Null: not settled yet, and not counted. */
  condition: Condition | null;
  cause: string | null;
}

/** An installation has other ones now. No `from`, or no `to`: it is new, or was purged. */
export async function countMove(
  db: Kysely<Tables>,
  { from, to }: { from?: Counted | undefined; to?: Counted | undefined },
): Promise<void> {
  const rows = [...difference(from, -1), ...difference(to, 1)];
  if (rows.length > 0) await db.insertInto('condition_counts').values(rows).execute();
}

function difference(counted: Counted | undefined, n: 1 | -1) {
  const { condition = null, cause = null } = counted ?? {};
  return condition === null ? [] : [{ condition, cause, n }];
}

export function readCounts(db: Kysely<Tables>) {
  return db
    .selectFrom('condition_counts')
    .select(['condition', 'cause', sql<number>`cast(sum(n) as integer)`.as('n')])
    .groupBy(['condition', 'cause'])
    .having(sql<boolean>`sum(n) <> 0`)
    .execute();
}

/**
 * How far the counts are from the rows of the installations. It reads all installations. One statement reads both
 * sides, so they belong to the same moment. Appending the differences repairs the counts, even if others counted since.
 */
export async function compareCounts(db: Kysely<Tables>): Promise<ConditionCount[]> {
  const { rows } =
    await sql<ConditionCount>`select condition, cause, cast(sum(n) as integer) as n from (
      select condition, cause, 1 as n from installations where condition is not null
      union all select condition, cause, -n from condition_counts
    ) as compared group by condition, cause having sum(n) <> 0`.execute(db);
  return rows;
}

export interface CountedDatabase {
  transaction<Result>(work: (db: Kysely<Tables>) => Promise<Result>): Promise<Result>;
}

/** Replaces the rows that exist by their sums, few at a time. Rows that are appended meanwhile stay. */
export async function foldCounts({ transaction }: CountedDatabase): Promise<void> {
  const last = await transaction(readLastId);
  while (await transaction((db) => foldOldest(db, last))) await pause(pauseMs);
}

async function readLastId(db: Kysely<Tables>): Promise<number> {
  const newest = await db
    .selectFrom('condition_counts')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest?.id ?? 0;
}

/** False: no row is left. */
async function foldOldest(db: Kysely<Tables>, last: number): Promise<boolean> {
  const folded = await db
    .deleteFrom('condition_counts')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('condition_counts')
        .select('id')
        .where('id', '<=', last)
        .orderBy('id')
        .limit(foldedAtOnce),
    )
    .returning(['condition', 'cause', 'n'])
    .execute();
  const sums = Map.groupBy(folded, ({ condition, cause }) => JSON.stringify([condition, cause]));
  const rows = [...sums.values()].flatMap((rowsOfOne) => {
    const n = rowsOfOne.reduce((sum, each) => sum + each.n, 0);
    const [first] = rowsOfOne;
    return first && n !== 0 ? { condition: first.condition, cause: first.cause, n } : [];
  });
  if (rows.length > 0) await db.insertInto('condition_counts').values(rows).execute();
  return folded.length === foldedAtOnce;
}
