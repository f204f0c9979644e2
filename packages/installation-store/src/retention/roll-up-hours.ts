/** Makes an hour's row of its minutes, once the hour is over. The minutes are deleted much later. */
import { stateGroupSchema } from '@dowel/schema';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';

const hourMs = 3_600_000;
const groups = stateGroupSchema.options;

/** @returns whether there was an hour to roll up. One hour per call, the oldest first. */
export async function rollUpHour(db: Kysely<Tables>, now: number): Promise<boolean> {
  const at = await findHour(db, now - (now % hourMs));
  if (at === undefined) return false;
  await rollUpMinutes(db, at);
  await rollUpCauses(db, at);
  return true;
}

/** The first hour with minutes after the newest one that was rolled up. */
async function findHour(db: Kysely<Tables>, currentHour: number): Promise<number | undefined> {
  const newest = await db
    .selectFrom('fleet_hours')
    .select(({ fn }) => fn.max('at').as('at'))
    .where('at', '<', currentHour)
    .executeTakeFirst();
  const minute = await db
    .selectFrom('fleet_samples')
    .select('at')
    .where('at', '>=', (newest?.at ?? -hourMs) + hourMs)
    .where('at', '<', currentHour)
    .orderBy('at')
    .limit(1)
    .executeTakeFirst();
  return minute && minute.at - (minute.at % hourMs);
}

async function rollUpMinutes(db: Kysely<Tables>, at: number): Promise<void> {
  const names = groups.flatMap((group) => [`${group}_min`, `${group}_max`, `${group}_mean`]);
  const values = groups.flatMap((group) => {
    const column = sql.ref(group);
    return [
      sql`min(${column})`,
      sql`max(${column})`,
      sql`cast(avg(${column}) as double precision)`,
    ];
  });
  await sql`insert into fleet_hours
      (at, minutes, sampled, refreshed, refresh_failed, events, refused, shed,
        ${sql.join(names.map((name) => sql.ref(name)))})
    select cast(${at} as bigint), count(*), count(broken), sum(refreshed), sum(refresh_failed),
      sum(events), sum(refused), sum(shed), ${sql.join(values)}
    from fleet_samples where at >= ${at} and at < ${at + hourMs}`.execute(db);
}

/** A minute without the cause counts as zero. */
async function rollUpCauses(db: Kysely<Tables>, at: number): Promise<void> {
  await sql`insert into fleet_cause_hours (at, cause, n_max, n_mean)
    select cast(${at} as bigint), cause, max(n), cast(sum(n) as double precision) / hour.sampled
    from fleet_cause_samples as minute, (select sampled from fleet_hours where at = ${at}) as hour
    where minute.at >= ${at} and minute.at < ${at + hourMs}
    group by cause, hour.sampled`.execute(db);
}
