/** Keeps an installation whose calls fail for days from filling the log of calls. */
import type { Kysely } from 'kysely';
import type { Tables } from '../sql/tables.ts';
import { batchSize } from './delete-oldest.ts';

const keptOfOne = 1_000;

/** Deletes one batch of the oldest rows of an installation that has more than 1,000. */
export async function trimCallLog(
  db: Kysely<Tables>,
): Promise<{ deleted: number; isLast: boolean }> {
  const full = await db
    .selectFrom('call_log')
    .select(({ fn }) => ['installation_id', fn.countAll<number>().as('n')])
    .groupBy('installation_id')
    .having(({ fn }) => fn.countAll(), '>', keptOfOne)
    .limit(1)
    .executeTakeFirst();
  if (!full) return { deleted: 0, isLast: true };
  const excess = Math.min(Number(full.n) - keptOfOne, batchSize);
  const { numDeletedRows } = await db
    .deleteFrom('call_log')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('call_log')
        .select('id')
        .where('installation_id', '=', full.installation_id)
        .orderBy('at')
        .orderBy('id')
        .limit(excess),
    )
    .executeTakeFirstOrThrow();
  return { deleted: Number(numDeletedRows), isLast: false };
}
