/** Refused installs that nobody has marked as seen: after their time they count as uninstalled. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import { settleCondition } from './condition.ts';

const refusalsPerBatch = 50;

/** One batch of those that ended before. */
export async function endOldRefusals(
  db: Kysely<Tables>,
  { locksRows, now }: Pick<Database, 'locksRows' | 'now'>,
  endedBefore: number,
): Promise<{ deleted: number; isLast: boolean }> {
  const due = await db
    .selectFrom('installations')
    .select('id')
    .where('condition', '=', 'refused')
    .where('ended_at', '<', endedBefore)
    .limit(refusalsPerBatch)
    // One that is installed again in the meantime is left out.
    .$if(locksRows, (query) => query.forUpdate().skipLocked())
    .execute();
  for (const { id } of due) {
    await db
      .updateTable('installations')
      .set({ acknowledged_generation: sql`generation` })
      .where('id', '=', id)
      .execute();
    await settleCondition({ db, now }, id, { endedBy: 'uninstall' });
  }
  return { deleted: due.length, isLast: due.length < refusalsPerBatch };
}
