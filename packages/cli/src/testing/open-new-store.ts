import { createFirstKey, openKeyring, openStore, type Store } from '@dowel/installation-store';
import { readStoreSettings } from '@dowel/server/settings';

/** Creates key and database in the data folder, like a back end. */
export async function openNewStore(folder: string): Promise<Store> {
  const { database, keyFile } = readStoreSettings({ DOWEL_DATA_DIR: folder });
  await createFirstKey({ database, keyFile });
  return openStore({ ...database, keyring: openKeyring(keyFile) });
}
