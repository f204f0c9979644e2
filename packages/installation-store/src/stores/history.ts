/** Limits the history of each installation during writes, so that none fills the disk. */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';

/** Entries kept per installation. There may be a few more until the next cut. */
const keptEntries = 1_000;
/** About one in this many entries causes a cut, because finding the thousandth entry costs more than writing one. */
const entriesPerCut = 50;
/** A request must not wait long, even if there is much to cut. */
const maxCut = 500;
/** Its multiples are spread evenly, with any ids of an installation's entries. */
const goldenRatio = 0.618_033_988_749_894_9;

/** More than a page shows. */
const keptOutages = 100;

type HistoryTable = 'events' | 'token_operations';

/** Cuts the history of `entryId`, for some entries only. */
export async function cutHistory(
  db: Kysely<Tables>,
  table: HistoryTable,
  { installationId, entryId }: { installationId: string; entryId: number },
): Promise<void> {
  if ((entryId * goldenRatio) % 1 >= 1 / entriesPerCut) return;
  await sql`delete from ${sql.table(table)} where id in (
    select id from ${sql.table(table)} where installation_id = ${installationId} and id <= (
      select id from ${sql.table(table)} where installation_id = ${installationId}
      order by id desc limit 1 offset ${keptEntries}
    ) order by id limit ${maxCut}
  )`.execute(db);
}

/** An outage begins too seldom for a cut of only some. */
export async function cutOutages(db: Kysely<Tables>, installationId: string): Promise<void> {
  await sql`delete from outages where installation_id = ${installationId} and id <= (
    select id from outages where installation_id = ${installationId}
    order by id desc limit 1 offset ${keptOutages})`.execute(db);
}
