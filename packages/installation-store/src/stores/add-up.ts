import { type RawBuilder, sql } from 'kysely';

/** Returns what an upsert sets to add a row of counts to the stored one, with the first and the last time. */
export function addUp(table: 'refusal_counts' | 'shapes') {
  const of = (column: string): [stored: RawBuilder<number>, added: RawBuilder<number>] => [
    sql.ref(`${table}.${column}`),
    sql.ref(`excluded.${column}`),
  ];
  const [[n, more], [first, otherFirst], [last, otherLast]] = [
    of('n'),
    of('first_at'),
    of('last_at'),
  ];
  return {
    n: sql<number>`${n} + ${more}`,
    first_at: sql<number>`case when ${otherFirst} < ${first} then ${otherFirst} else ${first} end`,
    last_at: sql<number>`case when ${otherLast} > ${last} then ${otherLast} else ${last} end`,
  };
}
