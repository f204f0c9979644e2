/** Counts what was refused before it reached an installation, and keeps the last ones (docs/decisions/0022-key-locations.md). */
import { sql } from 'kysely';
import type { RefusalCount, RefusalStore } from '../refusal-store.ts';
import type { Database } from '../sql/database.ts';
import { addUp } from './add-up.ts';

/** A flood for one reason does not push out the rare refusals for another. */
const keptPerReason = 10;

/** Creates the store of one database. See {@link RefusalStore}. */
export function createRefusalStore({ db }: Pick<Database, 'db'>): RefusalStore {
  return {
    async add(counts, last) {
      if (last.length > 0) {
        await db
          .insertInto('last_refusals')
          .values([...last])
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        await db.deleteFrom('last_refusals').where('id', 'in', oldOnes).execute();
      }
      if (counts.length === 0) return;
      await db
        .insertInto('refusal_counts')
        .values(inOneOrder(counts).map(toRow))
        .onConflict((conflict) =>
          conflict.columns(['hour_at', 'reason']).doUpdateSet(addUp('refusal_counts')),
        )
        .execute();
    },
  };
}

const oldOnes = sql<string>`(select id from (
  select id, row_number() over (partition by reason order by at desc, id) as place
  from last_refusals
) as placed where place > ${sql.lit(keptPerReason)})`;

/** Every process touches rows in the same order, so that no two wait for each other. */
function inOneOrder(counts: readonly RefusalCount[]): RefusalCount[] {
  return counts.toSorted((a, b) => a.hourAt - b.hourAt || (a.reason < b.reason ? -1 : 1));
}

function toRow({ hourAt, reason, count, firstAt, lastAt }: RefusalCount) {
  return { hour_at: hourAt, reason, n: count, first_at: firstAt, last_at: lastAt };
}
