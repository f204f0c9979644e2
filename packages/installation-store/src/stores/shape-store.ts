import { createHash } from 'node:crypto';
import type { ShapeEntry } from '@dowel/admin-api';
import { sql } from 'kysely';
import type { Database } from '../sql/database.ts';
import { addUp } from './add-up.ts';

/** Nine kinds have fewer than 200 in all. One kind with many shapes does not push out the rare ones of another. */
const keptPerKind = 20;

/** What the platform's events, pages and answers looked like, without values (docs/operations.md, "Shapes"). */
export function createShapeStore({ db }: Pick<Database, 'db'>) {
  return {
    /**
     * Adds to what was counted before, by any process. Of each kind the 20 shapes that were seen last are kept. Call it
     * inside a transaction. Each shape of a kind occurs once.
     */
    async add(counts: readonly ShapeEntry[]): Promise<void> {
      if (counts.length === 0) return;
      await db
        .insertInto('shapes')
        .values(counts.map(toRow).toSorted((a, b) => (a.id < b.id ? -1 : 1)))
        .onConflict((conflict) => conflict.column('id').doUpdateSet(addUp('shapes')))
        .execute();
      await db.deleteFrom('shapes').where('id', 'in', oldOnes).execute();
    },
    /** By kind, the latest first. */
    list: (): Promise<ShapeEntry[]> =>
      db
        .selectFrom('shapes')
        .select(['kind', 'shape', 'n as count', 'first_at as firstAt', 'last_at as lastAt'])
        .orderBy('kind')
        .orderBy('last_at', 'desc')
        .orderBy('id')
        .execute(),
  };
}

const oldOnes = sql<string>`(select id from (
  select id, row_number() over (partition by kind order by last_at desc, id) as place from shapes
) as placed where place > ${sql.lit(keptPerKind)})`;

/** A shape may be longer than a key of PostgreSQL. */
function toRow({ kind, shape, count, firstAt, lastAt }: ShapeEntry) {
  const id = createHash('sha256').update(`${kind} ${shape}`).digest('hex');
  return { id, kind, shape, n: count, first_at: firstAt, last_at: lastAt };
}
