import { existsSync } from 'node:fs';
import {
  openKeyring,
  openStore,
  type Store,
  StoreError,
  type StoreSettings,
} from '@dowel/installation-store';

/** Opens the back end's database for one command. @throws StoreError if there is none yet, and as `openStore`. */
export async function whileOpen<Result>(
  { database, keyFile }: StoreSettings,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  if ('path' in database && !existsSync(database.path)) {
    throw new StoreError(
      'DATABASE_UNUSABLE',
      `There is no database at ${database.path} yet: start the back end first (DOWEL_DATA_DIR, DOWEL_DATABASE_URL).`,
    );
  }
  const store = await openStore({ ...database, keyring: openKeyring(keyFile) });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
