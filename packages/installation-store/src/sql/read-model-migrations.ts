/** Migrations 0045 to 0047: what the dashboard reads, without indexes and tables of its own. They are never changed. */
import type { Kysely } from 'kysely';

/** They served lists by status that nothing reads. */
export async function dropStatusIndexes(db: Kysely<unknown>): Promise<void> {
  for (const name of ['installations_status', 'installations_attention']) {
    await db.schema.dropIndex(name).execute();
  }
}
