import { type RawBuilder, sql } from 'kysely';
import type { RetentionRule } from './retention-rules.ts';

export const batchSize = 500;

/**
 * One batch of the rows that expire by a rule, the oldest first, found by an index.
 *
 * @param limits epoch milliseconds. `latest`: a row of a later date is from a clock that ran ahead.
 */
export function deleteOldest(
  { table, key, at, where, isNumbered, batch = batchSize }: RetentionRule,
  { before, latest }: { before: number; latest: number },
): RawBuilder<unknown> {
  const from = sql.table(table);
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const time = sql.ref(at);
  if (isNumbered) {
    return sql`delete from ${from} where (${columns}) in (
      select ${columns} from (
        select ${columns}, ${time} from ${from} order by ${columns} limit ${batch}
      ) as first where ${time} < ${before} or ${time} > ${latest})`;
  }
  const condition = where ? sql`${where(before)} and ` : sql``;
  // Checked again outside: another transaction may have changed the row meanwhile. As an expression, so that no planner
  // reads every expired row by the index of the time.
  return sql`delete from ${from} where (${columns}) in (
    select ${columns} from ${from} where ${condition}${time} < ${before}
    order by ${time} limit ${batch}
  ) and ${condition}${time} + 0 < ${before}`;
}
