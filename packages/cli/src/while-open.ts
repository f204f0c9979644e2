import { openExistingStore, type Store, type StoreSettings } from '@dowel/installation-store';

/** Opens the back end's database for one command. @throws what `openExistingStore` throws */
export async function whileOpen<Result>(
  settings: StoreSettings,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openExistingStore(settings);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
