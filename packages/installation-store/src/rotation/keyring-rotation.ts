/**
 * Key rotation while processes run: `rotate` puts a new key first, re-encryption seals the values with it,
 * and `prune` removes keys that no value is sealed with. A database lock lets only one process at a time
 * change the key file, and it ends with a killed process.
 */
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { checkKeys, registerActiveKey } from '../sealing/key-check.ts';
import { warnAtUses } from '../sealing/key-use.ts';
import { addActiveKey, type KeyFile, openKeyring, removeKeys } from '../sealing/keyring-file.ts';
import { countSealed, isSealedWith } from '../sealing/read-sealed.ts';
import { sealedTables } from '../sealing/sealed-columns.ts';
import type { Engine } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';

export interface KeyUsage {
  id: string;
  /** `missing`: the database uses it, but the key file does not contain it. */
  state: 'active' | 'old' | 'missing';
  /** How many stored values are sealed with it. */
  values: number;
  /** A lower bound of how many values it has sealed. */
  uses: number;
  /** It has sealed so many values that it should be replaced. */
  isWornOut: boolean;
}

export interface PruneOutcome {
  removed: string[];
  kept: { id: string; values: number }[];
}

/**
 * A transaction that sealed a value just before the rotation may store it later, but not after this time: the
 * server ends a transaction that idles for ten seconds, and a statement after five.
 */
const overlapMs = 20_000;

/** @returns the id of the key that seals from here on. */
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
 * @param keyIds those of the key file, the active one first.
 * @param inUse what the database records about the keys that it needs.
 */
export function describeKeys(
  keyIds: readonly string[],
  inUse: ReadonlyMap<string, { values: number; uses: number }>,
): KeyUsage[] {
  const missing = [...inUse.keys()].filter((id) => !keyIds.includes(id));
  return [...keyIds, ...missing].map((id, index) => {
    const { values, uses } = inUse.get(id) ?? { values: 0, uses: 0 };
    const state = stateOf(index, keyIds.length);
    return { id, state, values, uses, isWornOut: state === 'active' && uses >= warnAtUses };
  });
}

/** A key that was removed while nothing needed it is not missing. */
export function isPresentOrNeeded({ state, values }: KeyUsage): boolean {
  return state !== 'missing' || values > 0;
}

function stateOf(index: number, held: number): KeyUsage['state'] {
  if (index >= held) return 'missing';
  return index === 0 ? 'active' : 'old';
}

/**
 * Removes the old keys that no value is sealed with.
 *
 * @param onWait called with the time it waits for transactions that began before the last rotation.
 */
export async function pruneKeys(
  engine: Engine,
  file: KeyFile,
  onWait: (waitMs: number) => void = () => {},
): Promise<PruneOutcome> {
  if (listOldKeys(file).length === 0) return { removed: [], kept: [] };
  const rotatedAt = statSync(file.path).mtimeMs;
  const stillMs = Math.min(rotatedAt + overlapMs - Date.now(), overlapMs);
  const waitMs = engine.locksRows ? stillMs : 0;
  if (waitMs > 0) {
    onWait(waitMs);
    await sleep(waitMs);
  }
  // Counting reads whole tables, so it takes no lock.
  const counts = await countSealed(engine.db);
  const removed = await removeUnused(engine, file, (id) => !counts.has(id));
  const kept = listOldKeys(file);
  // A value sealed during the count makes it at least one.
  return { removed, kept: kept.map((id) => ({ id, values: counts.get(id) ?? 1 })) };
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
    const removed: string[] = [];
    for (const id of keyring.keyIds().slice(1).filter(isCandidate)) {
      if (!(await isSealedWith(db, id))) removed.push(id);
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
