/** Stores where the back end is that last opened the database (docs/decisions/0042-sign-in.md). */
import type { BackEndStore } from '../back-end-store.ts';
import type { Database } from '../sql/database.ts';

const onlyRow = 1;

/** Creates the store of one database. See {@link BackEndStore}. */
export function createBackEndStore({ db }: Pick<Database, 'db'>): BackEndStore {
  const findAdminUrl = async () => {
    const row = db.selectFrom('back_end').select('admin_url').where('id', '=', onlyRow);
    return (await row.executeTakeFirst())?.admin_url;
  };
  return {
    findAdminUrl,
    async recordAdminUrl(url) {
      // A start on a full disk need not fail for what has not changed.
      if ((await findAdminUrl()) === url) return;
      await db
        .insertInto('back_end')
        .values({ id: onlyRow, admin_url: url })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ admin_url: url }))
        .execute();
    },
  };
}
