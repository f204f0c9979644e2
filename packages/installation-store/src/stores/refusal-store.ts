/** Counts what was refused before it reached an installation (docs/decisions/0046). */
import { sql } from 'kysely';
import type { RefusalCount, RefusalStore } from '../refusal-store.ts';
import type { Database } from '../sql/database.ts';

const keyColumns = ['bucket_at', 'reason', 'kind', 'issuer', 'sender', 'plugin'] as const;

/** Creates the store of one database. See {@link RefusalStore}. */
export function createRefusalStore({ db }: Pick<Database, 'db'>): RefusalStore {
  return {
    async add(counts) {
      if (counts.length === 0) return;
      await db
        .insertInto('refusals')
        .values(inOneOrder(counts).map(toRow))
        .onConflict((conflict) =>
          conflict.columns(keyColumns).doUpdateSet({
            n: sql`refusals.n + excluded.n`,
            first_at: sql`case when excluded.first_at < refusals.first_at
              then excluded.first_at else refusals.first_at end`,
            last_at: sql`case when excluded.last_at > refusals.last_at
              then excluded.last_at else refusals.last_at end`,
          }),
        )
        .execute();
    },
  };
}

/** Every process touches rows in the same order, so that no two wait for each other. */
function inOneOrder(counts: readonly RefusalCount[]): RefusalCount[] {
  const keyed = counts.map((count) => {
    const { bucketAt, reason, kind, issuer, sender, plugin } = count;
    return { key: JSON.stringify([bucketAt, reason, kind, issuer, sender, plugin]), count };
  });
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ count }) => count);
}

function toRow({ bucketAt, count, firstAt, lastAt, ...group }: RefusalCount) {
  return { ...group, bucket_at: bucketAt, n: count, first_at: firstAt, last_at: lastAt };
}
