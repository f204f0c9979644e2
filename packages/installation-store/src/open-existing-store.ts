/** Opens a database that exists: a command never makes one. */
import { existsSync } from 'node:fs';
import { StoreError } from './errors.ts';
import type { EngineLocation } from './open-engine.ts';
import { openStore } from './open-store.ts';
import { type KeyFile, openKeyring } from './sealing/keyring-file.ts';
import type { Store } from './store.ts';

/** Where the database and its encryption keys are. */
export interface StoreSettings {
  database: EngineLocation;
  keyFile: KeyFile;
}

/**
 * Opens the database that the back end made, for one command. The back end may run.
 *
 * @example
 * const store = await openExistingStore(settings);
 * const accounts = await store.accounts.listAccounts();
 * await store.close();
 *
 * @param settings of the back end: `readStoreSettings`.
 * @throws StoreError `DATABASE_UNUSABLE` if there is none yet; what `openKeyring` and `openStore` throw.
 */
export async function openExistingStore({ database, keyFile }: StoreSettings): Promise<Store> {
  requireDatabase(database);
  return openStore({ ...database, keyring: openKeyring(keyFile) });
}

/** @throws StoreError `DATABASE_UNUSABLE` */
export function requireDatabase(database: EngineLocation): void {
  if (!('path' in database) || existsSync(database.path)) return;
  throw new StoreError(
    'DATABASE_UNUSABLE',
    `There is no database at ${database.path} yet: start the back end first (DOWEL_DATA_DIR, DOWEL_DATABASE_URL).`,
  );
}
