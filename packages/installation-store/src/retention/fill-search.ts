/** Writes the texts of installations that an older version has written, in small steps that a stop does not undo. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import { addSearchTexts, isSearchFilled } from '../sql/text-index.ts';

/** SQLite takes about 3 ms for so many, in the thread of all requests. */
const slice = 100;

/** One slice, in order of the ids. Processes that fill at once take turns: each locks how far they are. */
export async function fillSearch({
  db,
  locksRows,
  textIndex,
}: Pick<Database, 'db' | 'locksRows' | 'textIndex'>): Promise<{
  deleted: number;
  isLast: boolean;
}> {
  const filling = await db
    .selectFrom('search_filling')
    .selectAll()
    .$if(locksRows, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!filling || filling.is_complete === 1) return { deleted: 0, isLast: true };
  const next = await db
    .selectFrom('installations')
    .select(['id', 'issuer', 'tenant_id as tenantId', 'name'])
    .where('id', '>', filling.last_id)
    .orderBy('id')
    .limit(slice)
    // One that is being purged is waited for, and is gone then.
    .$if(locksRows, (query) => query.forKeyShare())
    .execute();
  await addSearchTexts({ db, textIndex }, next);
  const last = next.at(-1);
  await db
    .updateTable('search_filling')
    .set(last ? { last_id: last.id } : { is_complete: 1 })
    .execute();
  return { deleted: next.length, isLast: last === undefined };
}

/** Whether an installation has no text: a process of an older version may still write some. Reads all of them. */
export async function hasSearchGaps(reports: Kysely<Tables>): Promise<boolean> {
  // Filling writes them anyway, and must not begin again.
  if (!(await isSearchFilled(reports))) return false;
  const { rows } = await sql`select id from installations where not exists (
    select 1 from search_texts where installation_id = installations.id) limit 1`.execute(reports);
  return rows.length > 0;
}

/** Looks through all installations again. */
export async function refillSearch(db: Kysely<Tables>): Promise<void> {
  await db.updateTable('search_filling').set({ last_id: '', is_complete: 0 }).execute();
}
