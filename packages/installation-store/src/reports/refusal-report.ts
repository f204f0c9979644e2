/** What was refused before it reached an installation: how often and when, and from where. */
import type { RefusalGroup, RefusalSpan } from '@dowel/schema';
import { type Kysely, sql } from 'kysely';
import type { RefusalReport } from '../fleet-reports.ts';
import type { Tables } from '../sql/tables.ts';

const shownGroups = 100;

const total = sql<number>`cast(sum(n) as bigint)`;

/** @param span its `from`, `to` and `barMs` are whole numbers of five minutes. */
export async function reportRefusals(
  db: Kysely<Tables>,
  span: RefusalSpan,
): Promise<RefusalReport> {
  const groups = await listGroups(db, span);
  return {
    reasons: await listReasons(db, span),
    groups: groups.slice(0, shownGroups),
    hasMore: groups.length > shownGroups,
  };
}

/** The reasons are a closed list, and the bars are few. */
async function listReasons(
  db: Kysely<Tables>,
  span: RefusalSpan,
): Promise<RefusalReport['reasons']> {
  const { from, to, barMs } = span;
  const bar = sql<number>`(bucket_at - cast(${from} as bigint)) / cast(${barMs} as bigint)`;
  const rows = await db
    .selectFrom(
      refusalsIn(db, span)
        .select(['reason', 'n', bar.as('bar')])
        .as('counted'),
    )
    .select(['reason', 'bar', total.as('count')])
    .groupBy(['reason', 'bar'])
    .execute();
  const bars = (to - from) / barMs;
  return [...Map.groupBy(rows, ({ reason }) => reason)]
    .map(([reason, ofReason]) => {
      const counts = Array<number>(bars).fill(0);
      for (const { bar: index, count } of ofReason) counts[index] = count;
      return { reason, total: counts.reduce((sum, count) => sum + count, 0), counts };
    })
    .toSorted((a, b) => b.total - a.total || (a.reason < b.reason ? -1 : 1));
}

function listGroups(db: Kysely<Tables>, span: RefusalSpan): Promise<RefusalGroup[]> {
  const columns = ['reason', 'kind', 'issuer', 'sender', 'plugin'] as const;
  return refusalsIn(db, span)
    .select([
      ...columns,
      total.as('count'),
      sql<number>`min(first_at)`.as('firstAt'),
      sql<number>`max(last_at)`.as('lastAt'),
    ])
    .groupBy([...columns])
    .orderBy(total, 'desc')
    .orderBy(sql`max(last_at)`, 'desc')
    .limit(shownGroups + 1)
    .execute();
}

function refusalsIn(db: Kysely<Tables>, { from, to }: RefusalSpan) {
  return db.selectFrom('refusals').where('bucket_at', '>=', from).where('bucket_at', '<', to);
}
