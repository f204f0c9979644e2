/** Periodic work for all processes of a database: the first one that asks when it is due does it. */
import { assertCount } from '@dowel/schema';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Engine } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';

interface Turn {
  name: string;
  everyMs: number;
  now: RawBuilder<number>;
}

/** True for one process when the work is due, also after the clock was set back. */
export async function takeTurn(db: Kysely<Tables>, { name, everyMs, now }: Turn): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('maintenance')
    .set({ due_at: sql`${now} + ${everyMs}` })
    .where('name', '=', name)
    .where((eb) =>
      eb.or([eb('due_at', '<=', now), eb('due_at', '>', sql<number>`${now} + ${everyMs}`)]),
    )
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * The same for work of a plug-in, by the database's clock.
 *
 * @throws TypeError for an interval that is not a whole number of milliseconds, at least 1.
 */
export async function takeNamedTurn(
  { transaction, now }: Pick<Engine, 'transaction' | 'now'>,
  workName: string,
  everyMs: number,
): Promise<boolean> {
  assertCount(everyMs, 'everyMs');
  const name = `run ${workName}`;
  return transaction((db) => takeNewTurn(db, { name, everyMs, now: now() }));
}

/** The same for work that no migration has named. */
export async function takeNewTurn(db: Kysely<Tables>, turn: Turn): Promise<boolean> {
  await db
    .insertInto('maintenance')
    .values({ name: turn.name, due_at: 0 })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return takeTurn(db, turn);
}
