/** How a database would run a statement, one step in a line. */
import { CompiledQuery, sql } from 'kysely';
import type { Engine } from '../sql/database.ts';

/** @param options.isLarge as if the tables were too large to be read as a whole; PostgreSQL goes by that. */
export function explain(
  { db, locksRows }: Engine,
  query: CompiledQuery,
  { isLarge = false } = {},
): Promise<string> {
  // SQLite is the one that locks no rows.
  const statement = `explain ${locksRows ? '' : 'query plan '}${query.sql}`;
  return db.transaction().execute(async (transaction) => {
    if (isLarge && locksRows) await sql`set local enable_seqscan = off`.execute(transaction);
    const { rows } = await transaction.executeQuery<Record<string, string>>(
      CompiledQuery.raw(statement, [...query.parameters]),
    );
    return rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n');
  });
}
