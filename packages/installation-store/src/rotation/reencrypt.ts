/**
 * Re-encryption: seals every value that is not under the active key again, while processes run. It works in
 * small transactions, page by page, with a compare-and-swap on each ciphertext: a row that changed in the
 * meantime is skipped and found again. It keeps no state, so a killed run is simply started again. What reads whole
 * tables is read as the reports are: on SQLite by their thread, so that no call waits.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { StoreError } from '../errors.ts';
import { registerActiveKey } from '../sealing/key-check.ts';
import type { Keyring } from '../sealing/keyring.ts';
import {
  countSealed,
  findPageEnd,
  readSealed,
  type SealedRow,
  type SealedValue,
} from '../sealing/read-sealed.ts';
import { rowKeys, type SealedTable, sealedTables } from '../sealing/sealed-columns.ts';
import type { Engine } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';

/** A value that no key opens. It is not changed. */
interface UnreadableValue {
  /** Null: it belongs to the session of an operator. */
  installationId: string | null;
  /** The column, with its table. */
  column: string;
  /** Contains no secret. */
  reason: string;
}

interface ReencryptProgress {
  resealed: number;
  total: number;
}

export interface ReencryptOutcome {
  activeKeyId: string;
  resealed: number;
  unreadable: UnreadableValue[];
}

export interface ReencryptOptions {
  /** Called after each page that changed; the next page waits until it has settled. */
  onProgress?: (progress: ReencryptProgress) => void | Promise<void>;
}

/** Small batches, so that readers and writers never wait long. */
const batchRows = 100;
/** If values are left after this many passes, some process never gets the new key. */
const maxPasses = 100;
const passPauseMs = 100;

/** @throws StoreError `KEY_UNUSABLE` when some process keeps sealing with an old key. */
export async function reencrypt(
  engine: Engine,
  keyring: Keyring,
  { onProgress = () => {} }: ReencryptOptions = {},
): Promise<ReencryptOutcome> {
  const total = await countOld(engine.reports, keyring);
  let resealed = 0;
  const onPage = async (count: number) => {
    resealed += count;
    await onProgress({ resealed, total: Math.max(total, resealed) });
  };
  for (let pass = 1; ; pass += 1) {
    const { readable, unreadable } = await runPass({ engine, keyring }, onPage);
    if (readable === 0) {
      await registerActiveKey(engine.db, keyring);
      return { activeKeyId: keyring.activeKeyId(), resealed, unreadable };
    }
    if (pass === maxPasses) throw sealedByOthers(readable);
    if (pass > 1) await sleep(passPauseMs);
  }
}

interface PassContext {
  engine: Engine;
  keyring: Keyring;
}

/** Goes once through all values that are not under the active key. */
async function runPass(
  { engine, keyring }: PassContext,
  onPage: (resealed: number) => Promise<void>,
): Promise<{ readable: number; unreadable: UnreadableValue[] }> {
  const unreadable = new Map<string, UnreadableValue>();
  let found = 0;
  for (const table of sealedTables) {
    let after = '';
    for (;;) {
      const begin = { after, limit: batchRows };
      const until = await findPageEnd(engine.reports, table, begin);
      if (until === undefined) break;
      const page = { ...begin, until, exceptKeyId: keyring.activeKeyId() };
      const rows: SealedRow[] = await readSealed(engine.reports, table, page);
      found += rows.reduce((count, { values }) => count + values.length, 0);
      await onPage(rows.length > 0 ? await resealRows(table, rows) : 0);
      after = until;
    }
  }
  return { readable: found - unreadable.size, unreadable: [...unreadable.values()] };

  /** May run more than once, like every transaction of the engine. */
  function resealRows(table: SealedTable, rows: readonly SealedRow[]): Promise<number> {
    return engine.transaction(async (db) => {
      let count = 0;
      for (const { key, installationId, values } of rows) {
        const changes: Change[] = [];
        for (const value of values) {
          const column = `${table}.${value.column}`;
          const change = reseal(keyring, value);
          if ('sealed' in change) changes.push(change);
          else unreadable.set(`${column} ${key}`, { installationId, column, ...change });
        }
        count += await swap({ ...engine, db }, { table, key }, changes);
      }
      return count;
    });
  }
}

interface Change extends SealedValue {
  sealed: string;
}

function reseal(keyring: Keyring, value: SealedValue): Change | { reason: string } {
  const { ciphertext, place } = value;
  try {
    return { ...value, sealed: keyring.encrypt(keyring.decrypt(ciphertext, place), place) };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { reason: error.message };
  }
}

/** Changes a row if all of its values are unchanged since they were read. Returns how many rows it changed. */
async function swap(
  { db, locksRows }: Pick<Engine, 'db' | 'locksRows'>,
  { table, key }: { table: SealedTable; key: string },
  changes: readonly Change[],
): Promise<number> {
  if (changes.length === 0) return 0;
  const keyColumn = sql.ref(rowKeys[table]);
  const isRow = sql`${keyColumn} = ${key}`;
  const assignments = changes.map(({ column, sealed }) => sql`${sql.ref(column)} = ${sealed}`);
  const isUnchanged = changes.map(
    ({ column, ciphertext }) => sql`${sql.ref(column)} = ${ciphertext}`,
  );
  // A batch must not wait for a row while another writer waits for the batch: that is a deadlock.
  const isFree = locksRows
    ? sql`${keyColumn} in (
        select ${keyColumn} from ${sql.table(table)} where ${isRow} for update skip locked)`
    : isRow;
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.join(assignments)}
    where ${isFree} and ${sql.join(isUnchanged, sql` and `)}`.execute(db);
  return numAffectedRows === 1n ? changes.length : 0;
}

async function countOld(db: Kysely<Tables>, keyring: Keyring): Promise<number> {
  const counts = await countSealed(db);
  counts.delete(keyring.activeKeyId());
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function sealedByOthers(count: number): StoreError {
  return new StoreError(
    'KEY_UNUSABLE',
    `${count} values were sealed with an old key again and again: does every process use this key file? Restart those that do not, then run this again.`,
  );
}
