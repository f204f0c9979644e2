import type { Database } from '../sql/database.ts';

const onlyRow = 1;

/** Where the back end is that last opened this database, for commands (docs/decisions/0042-sign-in.md). */
export function createBackEndStore({ db }: Pick<Database, 'db'>) {
  /** Undefined: no back end has opened the database. */
  const findAdminUrl = async (): Promise<string | undefined> => {
    const row = db.selectFrom('back_end').select('admin_url').where('id', '=', onlyRow);
    return (await row.executeTakeFirst())?.admin_url;
  };
  return {
    findAdminUrl,
    /**
     * Replaces the last address. Writes nothing when it is the same.
     *
     * @param url below which the dashboard's API is: with its base path, and without a slash at the end.
     */
    async recordAdminUrl(url: string): Promise<void> {
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
