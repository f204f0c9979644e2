/** The database's plan for a statement, one step per line. */
import { CompiledQuery, sql } from 'kysely';
import type { Engine } from '../sql/database.ts';

/** @param options.isLarge plans as for large tables, which matters for PostgreSQL. */
export function explain(
  engine: Engine,
  query: CompiledQuery,
  { isLarge = false } = {},
): Promise<string> {
  const { locksRows } = engine;
  // Only SQLite locks no rows.
  const statement = `explain ${locksRows ? '' : 'query plan '}${query.sql}`;
  return engine.transaction(async (transaction) => {
    if (isLarge && locksRows) await sql`set local enable_seqscan = off`.execute(transaction);
    const { rows } = await transaction.executeQuery<Record<string, string>>(
      CompiledQuery.raw(statement, [...query.parameters]),
    );
    return rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n');
  });
}
