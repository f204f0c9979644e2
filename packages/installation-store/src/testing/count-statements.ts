import type { Kysely } from 'kysely';
import type { Tables } from '../sql/tables.ts';

/** Returns the database, and how many statements were made with it so far. */
export function countStatements(db: Kysely<Tables>) {
  let count = 0;
  const counted = db.withPlugin({
    transformQuery({ node }) {
      count += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { db: counted, statements: () => count };
}
