/** Stores facts about the back end that last opened the database (docs/decisions/0050-commands-beside.md). */
import type { BackEndStore } from '../back-end-store.ts';
import type { Database } from '../sql/database.ts';

const onlyRow = 1;

/** Creates the store of one database. See {@link BackEndStore}. */
export function createBackEndStore({ db }: Pick<Database, 'db'>): BackEndStore {
  const last = async () =>
    (await db.selectFrom('back_end').select('facts').where('id', '=', onlyRow).executeTakeFirst())
      ?.facts;
  return {
    last,
    async record(facts) {
      // A start on a full disk need not fail for what has not changed.
      if ((await last()) === facts) return;
      await db
        .insertInto('back_end')
        .values({ id: onlyRow, facts })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ facts }))
        .execute();
    },
  };
}
