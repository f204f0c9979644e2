/** What was refused before it reached an installation: how often and when, and the last ones. */
import type { Refusals } from '@dowel/admin-api';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';

export type RefusalReport = Pick<Refusals, 'reasons' | 'last'>;

const shownLast = 100;

/** @param from the beginning of an hour. */
export async function reportRefusals(db: Kysely<Tables>, from: number): Promise<RefusalReport> {
  const total = sql<number>`cast(sum(n) as bigint)`;
  return {
    reasons: await db
      .selectFrom('refusal_counts')
      .where('hour_at', '>=', from)
      .select([
        'reason',
        total.as('count'),
        sql<number>`min(first_at)`.as('firstAt'),
        sql<number>`max(last_at)`.as('lastAt'),
      ])
      .groupBy('reason')
      .orderBy(total, 'desc')
      .orderBy('reason')
      .execute(),
    last: await db
      .selectFrom('last_refusals')
      .select(['at', 'reason', 'kind', 'issuer', 'sender', 'plugin'])
      .orderBy('at', 'desc')
      .orderBy('id')
      .limit(shownLast)
      .execute(),
  };
}
