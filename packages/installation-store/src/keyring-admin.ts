/** Key commands for operators, on the same database that the server opens. */
import { existsSync } from 'node:fs';
import { openEngine } from './open-engine.ts';
import { requireDatabase, type StoreSettings } from './open-existing-store.ts';
import { prepareEngine } from './open-store.ts';
import { describeKeys, type KeyUsage, pruneKeys, rotateKey } from './rotation/keyring-rotation.ts';
import { type ReencryptOptions, reencrypt } from './rotation/reencrypt.ts';
import { countKeysInUse, listRegisteredKeys } from './sealing/key-check.ts';
import { openKeyring } from './sealing/keyring-file.ts';
import { listTables } from './sealing/read-sealed.ts';

/**
 * Opens keys and database for an operator, who may change keys while the back end runs. Each method reads the key file.
 *
 * @example
 * const admin = await openKeyAdmin(settings);
 * await admin.rotate();
 * await admin.reencrypt({ onProgress: showProgress });
 * await admin.close();
 *
 * @throws StoreError `KEY_MISSING`, `KEY_UNUSABLE`; `DATABASE_UNUSABLE` if there is no database yet; what `openStore`
 * throws.
 */
export async function openKeyAdmin({ database, keyFile }: StoreSettings) {
  const keyring = openKeyring(keyFile);
  requireDatabase(database);
  const engine = await prepareEngine(await openEngine(database, { isPatient: true }), keyring);
  return {
    /** Puts a new key first in the file. Returns its id. */
    rotate: () => rotateKey(engine, keyFile),
    /** Encrypts all values with the first key. */
    reencrypt: (options?: ReencryptOptions) => reencrypt(engine, openKeyring(keyFile), options),
    /** Removes the keys that no value is sealed with. */
    prune: () => pruneKeys(engine, keyFile),
    close: () => engine.close(),
  };
}

/** Lists the key file's keys and the keys that the database needs. Works with a wrong or missing key file, too. */
export async function listKeys({ database, keyFile }: StoreSettings): Promise<KeyUsage[]> {
  const keyIds = existsSync(keyFile.path) ? openKeyring(keyFile).keyIds() : [];
  if ('path' in database && !existsSync(database.path)) return describeKeys(keyIds, [], new Map());
  const engine = await openEngine(database, { isPatient: true });
  try {
    const columns = (await listTables(engine.db)).get('key_checks') ?? [];
    // A database before the newest migration has no reports of processes.
    const registered = columns.includes('sealing_at') ? await listRegisteredKeys(engine) : [];
    return describeKeys(keyIds, registered, await countKeysInUse(engine.db));
  } finally {
    await engine.close();
  }
}
