/**
 * Is this the key that the database was sealed with? Asked before anything is written: a wrong key
 * would seal new values that the right one cannot open, and lose both.
 */
import { Secret } from '@dowel/schema';
import type { Kysely } from 'kysely';
import { StoreError } from './errors.ts';
import { type Keyring, keyIdOf } from './keyring.ts';
import {
  countSealed,
  isSealedWith,
  listTables,
  readSealed,
  type SealedValue,
} from './read-sealed.ts';
import { sealedTables } from './sealed-columns.ts';
import type { Tables } from './tables.ts';

const knownValue = new Secret('dowel');
const placeOfCheck = ['key_checks', 'value_sealed'];
/** Damaged values do not make a key wrong as long as one of so many rows opens. */
const sampledRows = 20;

/** @throws StoreError `KEY_WRONG`; nothing was written. */
export async function checkKeys(db: Kysely<Tables>, keyring: Keyring): Promise<void> {
  const checks = await readChecks(db);
  if (checks.some(({ value_sealed: value }) => opens(keyring, value, placeOfCheck))) {
    return refuseLostKeys(db, keyring, checks);
  }
  // Made by a version that left no checks, or they are damaged: then the values themselves tell.
  const sample = await readSample(db);
  if (sample.some(({ ciphertext, place }) => opens(keyring, ciphertext, place))) return;
  const ids = new Set([
    ...checks.map(({ key_id: id }) => id),
    ...sample.map(({ ciphertext }) => keyIdOf(ciphertext) ?? 'unknown'),
  ]);
  if (ids.size > 0) throw wrongKey([...ids], keyring);
}

/**
 * Keys that came in the place of all those in use are used once they have passed the check. Asked at
 * the start of each transaction that may seal: what it seals, pruning counts.
 */
export async function settleKeys(db: Kysely<Tables>, keyring: Keyring): Promise<void> {
  const candidate = keyring.candidate?.();
  if (!candidate) return;
  try {
    await checkKeys(db, candidate.keyring);
    candidate.adopt();
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'KEY_WRONG') throw error;
    candidate.refuse(error);
  }
}

/** Leaves the known value under the active key, for the next start to check. */
export async function registerActiveKey(db: Kysely<Tables>, keyring: Keyring): Promise<void> {
  const id = keyring.activeKeyId();
  const registered = (await readChecks(db)).find(({ key_id: keyId }) => keyId === id);
  if (registered && opens(keyring, registered.value_sealed, placeOfCheck)) return;
  const sealed = keyring.encrypt(knownValue, placeOfCheck);
  const values = { key_id: keyIdOf(sealed) ?? id, value_sealed: sealed, created_at: Date.now() };
  await db
    .insertInto('key_checks')
    .values(values)
    .onConflict((conflict) => conflict.column('key_id').doUpdateSet(values))
    .execute();
}

/** Forgets the checks of keys that nothing is sealed with any more. */
export async function forgetUnusedChecks(db: Kysely<Tables>, keyring: Keyring): Promise<void> {
  const checks = await readChecks(db);
  // Asked after the checks were read: a key that became active meanwhile has its check written later.
  const activeKeyId = keyring.activeKeyId();
  for (const { key_id: id } of checks) {
    if (id === activeKeyId || (await isSealedWith(db, id))) continue;
    await db.deleteFrom('key_checks').where('key_id', '=', id).execute();
  }
}

/** The keys that the database asks for, and what it knows of each. */
export async function describeKeysInUse(
  db: Kysely<Tables>,
): Promise<Map<string, { values: number; uses: number }>> {
  const checks = await readChecks(db);
  const counts = await countSealed(db);
  const ids = new Set([...checks.map(({ key_id: id }) => id), ...counts.keys()]);
  return new Map(
    [...ids]
      .filter((id) => id !== undefined)
      .map((id) => {
        const { uses = 0 } = checks.find((check) => check.key_id === id) ?? {};
        return [id, { values: counts.get(id) ?? 0, uses }];
      }),
  );
}

/** Some keys are right. Others may be missing only if nothing is sealed with them any more. */
async function refuseLostKeys(
  db: Kysely<Tables>,
  keyring: Keyring,
  checks: { key_id: string }[],
): Promise<void> {
  const held = new Set(keyring.keyIds());
  const missing = checks.map(({ key_id: id }) => id).filter((id) => !held.has(id));
  const lost: string[] = [];
  for (const id of missing) {
    if (await isSealedWith(db, id)) lost.push(id);
  }
  if (lost.length > 0) throw wrongKey(lost, keyring);
}

async function readChecks(db: Kysely<Tables>) {
  if (!(await listTables(db)).has('key_checks')) return [];
  return db.selectFrom('key_checks').selectAll().orderBy('key_id').execute();
}

async function readSample(db: Kysely<Tables>): Promise<SealedValue[]> {
  const present = await listTables(db);
  const sample: SealedValue[] = [];
  for (const table of sealedTables.filter((each) => present.has(each))) {
    const rows = await readSealed(db, table, { after: '', limit: sampledRows });
    sample.push(...rows.flatMap(({ values }) => values));
  }
  return sample;
}

function opens(keyring: Keyring, ciphertext: string, place: readonly string[]): boolean {
  try {
    keyring.decrypt(ciphertext, place);
    return true;
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}

function wrongKey(ids: readonly string[], keyring: Keyring): StoreError {
  return new StoreError(
    'KEY_WRONG',
    `The database is sealed with key ${ids.join(', ')}; the key file holds key ${keyring.keyIds().join(', ')}. Put the right key file back (DOWEL_KEY_FILE). Nothing was changed.`,
  );
}
