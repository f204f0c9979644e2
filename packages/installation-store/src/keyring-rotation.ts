/**
 * One key after another, while processes run: `rotate` puts a new key first, re-encryption moves the
 * values to it, `prune` removes keys that nothing is sealed with. The database is the lock: only one
 * process at a time changes the key file, and a lock cannot outlive a process that was killed.
 */
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import { checkKeys, forgetUnusedChecks, listKeyIdsInUse, registerActiveKey } from './key-check.ts';
import { addActiveKey, type KeyFile, openKeyring, removeKeys } from './keyring-file.ts';
import { countSealed } from './read-sealed.ts';
import type { Tables } from './tables.ts';

export interface KeyUsage {
  id: string;
  state: 'active' | 'old' | 'missing';
  /** How many stored values are sealed with it. */
  values: number;
}

export interface PruneOutcome {
  removed: string[];
  kept: { id: string; values: number }[];
}

/**
 * Where transactions overlap, one that sealed with the old key just before the rotation may commit
 * later than the count that finds the key unused. None takes as long as this.
 */
const overlapMs = 30_000;

/** @returns the id of the new active key. @throws StoreError `KEY_WRONG`, `KEY_MISSING`, `KEY_UNUSABLE`. */
export async function rotateKey(database: Database, file: KeyFile): Promise<string> {
  return database.db.transaction().execute(async (db) => {
    await lock(database, db);
    await checkKeys(db, openKeyring(file));
    const id = addActiveKey(file.path);
    await registerActiveKey(db, openKeyring(file));
    return id;
  });
}

export async function listKeys(db: Kysely<Tables>, keyIds: readonly string[]): Promise<KeyUsage[]> {
  const counts = await countSealed(db);
  const missing = (await listKeyIdsInUse(db)).filter((id) => !keyIds.includes(id));
  return [...keyIds, ...missing].map((id, index) => ({
    id,
    state: index === 0 && keyIds.length > 0 ? 'active' : index < keyIds.length ? 'old' : 'missing',
    values: counts.get(id) ?? 0,
  }));
}

/**
 * Removes the old keys that nothing is sealed with.
 *
 * @param onWait told how long it waits for transactions that began before the last rotation.
 */
export async function pruneKeys(
  database: Database,
  file: KeyFile,
  onWait: (waitMs: number) => void = () => {},
): Promise<PruneOutcome> {
  const waitMs = database.locksRows ? statSync(file.path).mtimeMs + overlapMs - Date.now() : 0;
  if (waitMs > 0) {
    onWait(waitMs);
    await sleep(waitMs);
  }
  return database.db.transaction().execute(async (db) => {
    await lock(database, db);
    const keyring = openKeyring(file);
    await checkKeys(db, keyring);
    const counts = await countSealed(db);
    const old = keyring.keyIds().slice(1);
    const removed = old.filter((id) => !counts.has(id));
    await registerActiveKey(db, keyring);
    await forgetUnusedChecks(db, keyring);
    if (removed.length > 0) removeKeys(file.path, removed);
    const kept = old.filter((id) => counts.has(id));
    return { removed, kept: kept.map((id) => ({ id, values: counts.get(id) ?? 0 })) };
  });
}

/** Until the transaction ends nobody else changes keys or seals values. SQLite's writers are alone anyway. */
async function lock({ locksRows }: Database, db: Kysely<Tables>): Promise<void> {
  if (!locksRows) return;
  await sql`lock table key_checks, grants, exchange_intents in share row exclusive mode`.execute(
    db,
  );
}
