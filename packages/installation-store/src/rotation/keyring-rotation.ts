/**
 * Key rotation while processes run: `rotate` puts a new key first in the file, and a process that starts from then on
 * seals with it. Re-encryption seals the values with it, and `prune` removes keys that no value is sealed with. A
 * database lock lets only one process at a time change the key file, and it ends with a killed process.
 */
import { type Kysely, sql } from 'kysely';
import {
  checkKeys,
  listRegisteredKeys,
  type RegisteredKey,
  registerActiveKey,
} from '../sealing/key-check.ts';
import { addActiveKey, type KeyFile, openKeyring, removeKeys } from '../sealing/keyring-file.ts';
import { countSealed, isSealedWith } from '../sealing/read-sealed.ts';
import { sealedTables } from '../sealing/sealed-columns.ts';
import type { Engine } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';

export interface KeyUsage {
  id: string;
  /**
   * - `active`: it seals, and opens.
   * - `next`: it seals after the next start. Until then it only opens.
   * - `old`: it only opens.
   * - `missing`: the database uses it, but the key file does not contain it.
   */
  state: 'active' | 'next' | 'old' | 'missing';
  /** How many stored values are sealed with it. */
  values: number;
  /** A process has reported within two minutes that it seals with it. */
  isSealing: boolean;
  /** When this database first had it as the active key, in epoch milliseconds; null: it was not seen as active. */
  since: number | null;
}

export interface PruneOutcome {
  removed: string[];
  kept: Pick<KeyUsage, 'id' | 'values' | 'isSealing'>[];
}

/** @returns the id of the key. Processes seal with it from their next start on. */
export async function rotateKey(engine: Engine, file: KeyFile): Promise<string> {
  return engine.exclusive(async (db) => {
    await lock(engine, db, ['key_checks']);
    await checkKeys(db, openKeyring(file));
    const id = addActiveKey(file.path);
    await registerActiveKey(db, openKeyring(file));
    return id;
  });
}

/**
 * @param keyIds of the keyring, the active one first.
 * @param counts how many values each key seals.
 */
export function describeKeys(
  keyIds: readonly string[],
  registered: readonly RegisteredKey[],
  counts: ReadonlyMap<string | undefined, number>,
): KeyUsage[] {
  const known = new Map(registered.map((key) => [key.id, key]));
  const named = [...known.keys(), ...counts.keys()].filter((id) => id !== undefined);
  const keys = [...new Set([...keyIds, ...named])].map((id): KeyUsage => {
    const { since = null, isSealing = false } = known.get(id) ?? {};
    return { id, state: stateOf(id), values: counts.get(id) ?? 0, isSealing, since };
  });
  // A key that was removed while nothing needed it is not missing. In the key file of another database, each key is.
  const isOther = !keyIds.some((id) => named.includes(id));
  return keys.filter(({ state, values }) => state !== 'missing' || values > 0 || isOther);

  function stateOf(id: string): KeyUsage['state'] {
    const [active = ''] = keyIds;
    if (!keyIds.includes(id)) return 'missing';
    if (id === active) return 'active';
    const activeSince = known.get(active)?.since ?? Number.POSITIVE_INFINITY;
    return (known.get(id)?.since ?? 0) > activeSince ? 'next' : 'old';
  }
}

/** Removes the old keys that no value is sealed with, and with which no process may still seal. */
export async function pruneKeys(engine: Engine, file: KeyFile): Promise<PruneOutcome> {
  // Counting reads whole tables, so it takes no lock.
  const counts = await countSealed(engine.db);
  const removed = await removeUnused(engine, file, (id) => !counts.has(id));
  const registered = await listRegisteredKeys(engine);
  const kept = listOldKeys(file).map((id) => {
    const isSealing = registered.some((key) => key.id === id && key.isSealing);
    // A value sealed during the count makes it at least one.
    return { id, values: counts.get(id) ?? (isSealing ? 0 : 1), isSealing };
  });
  return { removed, kept };
}

function listOldKeys(file: KeyFile): string[] {
  return openKeyring(file).keyIds().slice(1);
}

/** Removes the candidates that no value is sealed with, while no process can seal. */
async function removeUnused(
  engine: Engine,
  file: KeyFile,
  isCandidate: (id: string) => boolean,
): Promise<string[]> {
  if (!listOldKeys(file).some(isCandidate)) return [];
  return engine.exclusive(async (db) => {
    await lock(engine, db, ['key_checks', ...sealedTables]);
    const keyring = openKeyring(file);
    await checkKeys(db, keyring);
    await registerActiveKey(db, keyring);
    const registered = await listRegisteredKeys({ ...engine, db });
    const sealing = registered.filter(({ isSealing }) => isSealing).map(({ id }) => id);
    const removed: string[] = [];
    for (const id of keyring.keyIds().slice(1).filter(isCandidate)) {
      if (!sealing.includes(id) && !(await isSealedWith(db, id))) removed.push(id);
    }
    if (removed.length === 0) return [];
    await db.deleteFrom('key_checks').where('key_id', 'in', removed).execute();
    removeKeys(file.path, removed);
    return removed;
  });
}

/** No other transaction writes to the tables until this one ends. SQLite has one writer anyway. */
async function lock({ locksRows }: Engine, db: Kysely<Tables>, tables: string[]): Promise<void> {
  if (!locksRows) return;
  const names = sql.join(tables.map((table) => sql.table(table)));
  await sql`lock table ${names} in share row exclusive mode`.execute(db);
}
