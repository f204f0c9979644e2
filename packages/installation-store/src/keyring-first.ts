/** The first key. In development the first start creates it, but never beside a database with another key. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from './errors.ts';
import { type EngineLocation, openEngine } from './open-engine.ts';
import type { StoreSettings } from './open-existing-store.ts';
import { countKeysInUse } from './sealing/key-check.ts';
import type { Keyring } from './sealing/keyring.ts';
import { createKeyFile, openKeyring } from './sealing/keyring-file.ts';
import { makeDataFolder } from './sqlite/data-folder.ts';

/**
 * The keyring of a server. Away from production its file is made when it is missing.
 *
 * @example
 * const keyring = await openServerKeyring(settings, warn);
 *
 * @param onWarning as {@link openKeyring}.
 * @throws StoreError `KEY_MISSING`, `KEY_UNUSABLE`, `DATABASE_UNUSABLE`.
 */
export async function openServerKeyring(
  settings: StoreSettings,
  onWarning?: (message: string) => void,
): Promise<Keyring> {
  const { keyFile, database } = settings;
  // Create the folder first. It usually holds the key as well, so an error must name the folder.
  if ('path' in database) makeDataFolder(dirname(database.path));
  if (!keyFile.production && !existsSync(keyFile.path)) await createFirstKey(settings);
  return openKeyring(keyFile, onWarning);
}

/**
 * Makes the key file. False: there is one already, and it stays.
 *
 * @example
 * const isCreated = await createFirstKey(settings); // false: there is a key file already
 *
 * @throws StoreError `KEY_MISSING` when the database was sealed with a key that is gone.
 */
export async function createFirstKey({ database, keyFile }: StoreSettings): Promise<boolean> {
  if (existsSync(keyFile.path)) return false;
  const ids = await readKeyIdsInUse(database);
  if (ids.length > 0 && !existsSync(keyFile.path)) {
    throw new StoreError(
      'KEY_MISSING',
      `The database is sealed with key ${ids.join(', ')}, and there is no key file at ${keyFile.path}. Put it back (DOWEL_KEY_FILE). Nothing was changed.`,
    );
  }
  return createKeyFile(keyFile.path);
}

async function readKeyIdsInUse(location: EngineLocation): Promise<string[]> {
  if ('path' in location && !existsSync(location.path)) return [];
  const engine = await openEngine(location, { isPatient: true });
  try {
    return [...(await countKeysInUse(engine.db)).keys()];
  } finally {
    await engine.close();
  }
}
