/**
 * The sample of a minute. Every process adds its rates to the row of the minute; the one that takes the minute's
 * turn also writes the counts. They come from the kept counters, never from reading all installations.
 */
import { type Kysely, sql } from 'kysely';
import { countBroken, countGroups } from '../reports/group-counts.ts';
import { takeTurn } from '../retention/turns.ts';
import { readCounts } from '../sql/condition-counts.ts';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import {
  callTimeColumns,
  type FleetCounts,
  rateColumns,
  rateNames,
  readSeries,
  type SeriesRequest,
} from './sample-series.ts';

const minuteMs = 60_000;
/** Causes of one minute. The rest is counted as `other`. */
const maxCauses = 12;

/** @param reportsDb reads without keeping writers waiting. */
export function createSampleStore(
  { db, now }: Pick<Database, 'db' | 'now'>,
  reportsDb: Kysely<Tables>,
) {
  return {
    /**
     * Adds what this process counted to the database's current minute. The first call of a minute, of all
     * processes, also stores how many installations have each state and cause, and adds up the rows of their counts.
     *
     * @returns whether it did.
     */
    async record(counts: Partial<FleetCounts>): Promise<boolean> {
      const at = await readMinute(db, now);
      await addCounts(db, at, counts);
      const minute = sql<number>`cast(${at} as bigint)`;
      const isMine = await takeTurn(db, { name: 'fleet_sample', everyMs: minuteMs, now: minute });
      if (isMine) await writeCounts(db, at);
      return isMine;
    },
    readSeries: (request: SeriesRequest) => readSeries(reportsDb, request),
  };
}

/** When the current minute began, by the database's clock. */
async function readMinute(db: Kysely<Tables>, now: Database['now']): Promise<number> {
  const { rows } = await sql<{ at: number }>`select ${now()} as at`.execute(db);
  const at = rows[0]?.at ?? 0;
  return at - (at % minuteMs);
}

async function addCounts(
  db: Kysely<Tables>,
  at: number,
  { callTimes = [], ...rates }: Partial<FleetCounts>,
): Promise<void> {
  const counts = Object.fromEntries([
    ...rateNames.map((rate) => [rateColumns[rate], rates[rate] ?? 0]),
    ...callTimeColumns.map((column, range) => [column, callTimes[range] ?? 0]),
  ]);
  await db
    .insertInto('fleet_minutes')
    .values({ at, cause: '', ...counts })
    .onConflict((conflict) =>
      conflict
        .columns(['at', 'cause'])
        .doUpdateSet(
          Object.fromEntries(
            Object.keys(counts).map((column) => [
              column,
              sql`${sql.ref(`fleet_minutes.${column}`)} + ${sql.ref(`excluded.${column}`)}`,
            ]),
          ),
        ),
    )
    .execute();
}

async function writeCounts(db: Kysely<Tables>, at: number): Promise<void> {
  const counts = await readCounts(db);
  const groups = await countGroups(db, counts, at);
  const ofMinute = db.updateTable('fleet_minutes').where('at', '=', at);
  await ofMinute.where('cause', '=', '').set(groups).execute();
  const causes = limitCauses(await countBroken(db, counts, at));
  // After the clock was set back, the minute may have some.
  await db.deleteFrom('fleet_minutes').where('at', '=', at).where('cause', '<>', '').execute();
  if (causes.length === 0) return;
  const rows = causes.map(([cause, broken]) => ({ at, cause, broken }));
  await db.insertInto('fleet_minutes').values(rows).execute();
}

function limitCauses(byCause: ReadonlyMap<string, number>): [string, number][] {
  const causes = [...byCause].toSorted(([, one], [, other]) => other - one);
  const rest = causes.slice(maxCauses).reduce((sum, [, n]) => sum + n, 0);
  const shown = new Map(causes.slice(0, maxCauses));
  if (rest > 0) shown.set('other', (shown.get('other') ?? 0) + rest);
  return [...shown];
}
