import {
  createFirstKey,
  openKeyring,
  openStore,
  readStoreSettings,
  type Store,
} from '@dowel/installation-store';

/** Makes key and database as a back end does, in its data folder. */
export async function openNewStore(folder: string): Promise<Store> {
  const { database, keyFile } = readStoreSettings({ DOWEL_DATA_DIR: folder });
  await createFirstKey({ database, keyFile });
  return openStore({ ...database, keyring: openKeyring(keyFile) });
}
