import type { RefusedReason, RefusedRequest } from '@dowel/admin-api';
import { sql } from 'kysely';
import type { Database } from '../sql/database.ts';
import { addUp } from './add-up.ts';

/** Refusals for one reason within the hour that began at `hourAt`, epoch milliseconds. */
export interface RefusalCount extends RefusedReason {
  hourAt: number;
}

export interface NewRefusal extends RefusedRequest {
  /** Unique: a refusal that is added again is stored once. */
  id: string;
}

/** A flood for one reason does not push out the rare refusals for another. */
const keptPerReason = 10;

/** What was refused before it reached an installation. */
export function createRefusalStore({ db }: Pick<Database, 'db'>) {
  return {
    /**
     * Adds to what was counted before, by any process. The counts are written last, all of them or none. Each hour and
     * reason occurs once. Of `last`, the newest ten of each reason are kept.
     */
    async add(counts: readonly RefusalCount[], last: readonly NewRefusal[]): Promise<void> {
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
