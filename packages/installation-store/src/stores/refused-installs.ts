/** Refused installs that no operator has marked as seen: after their time they count as uninstalled. */
import { sql } from 'kysely';
import { settleCondition } from './condition.ts';
import type { StoreContext } from './store-context.ts';

const refusalsPerBatch = 50;

/** One batch of those that ended before. */
export async function endOldRefusals(
  { db, locksRows, now, changed }: Pick<StoreContext, 'db' | 'locksRows' | 'now' | 'changed'>,
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
    changed(id);
  }
  return { deleted: due.length, isLast: due.length < refusalsPerBatch };
}
