/**
 * Checks that this is the key that the database was sealed with, before anything is written. A wrong key
 * would seal new values that the right key cannot open.
 */
import { Secret } from '@dowel/schema';
import type { Kysely } from 'kysely';
import { StoreError, type StoreErrorCode } from '../errors.ts';
import type { Engine } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import { type Keyring, keyIdOf } from './keyring.ts';
import {
  countSealed,
  isSealedWith,
  listSealingKeys,
  listTables,
  readSealed,
  type SealedValue,
} from './read-sealed.ts';
import { sealedTables } from './sealed-columns.ts';

const knownValue = new Secret('dowel');
const placeOfCheck = ['key_checks', 'value_sealed'];
const misfits: readonly StoreErrorCode[] = ['KEY_WRONG', 'SECRET_INTEGRITY'];
/** How many rows to try. Damaged values do not make a key wrong if one of these rows opens. */
const sampledRows = 20;
/** More than any key file has. */
const maxRegistered = 1_000;

/** @throws StoreError `KEY_WRONG`, or `SECRET_INTEGRITY` when the key is right; nothing was written. */
export async function checkKeys(db: Kysely<Tables>, keyring: Keyring): Promise<void> {
  const present = await listTables(db);
  const checks = present.has('key_checks') ? await readChecks(db) : [];
  if (checks.some(({ value_sealed: value }) => opens(keyring, value, placeOfCheck))) {
    return refuseLostKeys(db, keyring, checks);
  }
  // An older version left no checks, or they are damaged. Then the values themselves are tried.
  const sample = await readSample(db, present);
  if (sample.some(({ ciphertext, place }) => opens(keyring, ciphertext, place))) return;
  const ids = new Set([
    ...checks.map(({ key_id: id }) => id),
    ...sample.map(({ ciphertext }) => keyIdOf(ciphertext) ?? 'unknown'),
  ]);
  if (ids.size > 0) throw explainMisfit([...ids], keyring);
}

/** If the key file has all keys of the database, the keys are right and the values are damaged. */
function explainMisfit(ids: readonly string[], keyring: Keyring): StoreError {
  const held = keyring.keyIds();
  const lacking = ids.filter((id) => !held.includes(id));
  if (lacking.length > 0) return wrongKey(lacking, keyring);
  return new StoreError(
    'SECRET_INTEGRITY',
    `The key file has the key of the database (${ids.join(', ')}), and none of the stored values that were tried opens: they are damaged, or were moved here from other rows. Leave the key file as it is, and put a copy of the database back. Nothing was changed.`,
  );
}

/**
 * Keys that replace all keys in use must pass the check before they are used. This runs in each transaction that
 * seals, so that pruning counts the transaction's values.
 */
export async function settleKeys(db: Kysely<Tables>, keyring: Keyring): Promise<void> {
  const candidate = keyring.candidate?.();
  if (!candidate) return;
  try {
    await checkKeys(db, candidate.keyring);
    candidate.adopt();
  } catch (error) {
    if (!(error instanceof StoreError) || !misfits.includes(error.code)) throw error;
    candidate.refuse(error);
  }
}

/** Stores a known value under the active key. The next start checks it. */
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

/** Deletes the checks of keys that no value is sealed with. */
export async function forgetUnusedChecks(
  { db, reports }: Pick<Engine, 'db' | 'reports'>,
  keyring: Keyring,
): Promise<void> {
  const checks = await readChecks(db);
  // Read after the checks: a key that becomes active in between gets its check later.
  const activeKeyId = keyring.activeKeyId();
  const others = checks.map(({ key_id: id }) => id).filter((id) => id !== activeKeyId);
  if (others.length === 0) return;
  const sealing = await listSealingKeys(reports);
  for (const id of others.filter((each) => !sealing.has(each))) {
    await db.deleteFrom('key_checks').where('key_id', '=', id).execute();
  }
}

/** The keys that the database needs, and what it records about each. */
export async function describeKeysInUse(
  db: Kysely<Tables>,
): Promise<Map<string, { values: number; uses: number }>> {
  const hasChecks = (await listTables(db)).has('key_checks');
  const checks = hasChecks ? await readChecks(db) : [];
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

/** What the database records about keys that are or were active. */
export async function listRegisteredKeys(
  db: Kysely<Tables>,
): Promise<{ id: string; uses: number; since: number }[]> {
  return db
    .selectFrom('key_checks')
    .select(['key_id as id', 'uses', 'created_at as since'])
    .orderBy('created_at')
    .limit(maxRegistered)
    .execute();
}

/** At least one key matches. Fails if a missing key is still in use. */
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

function readChecks(db: Kysely<Tables>) {
  return db.selectFrom('key_checks').selectAll().orderBy('key_id').execute();
}

async function readSample(
  db: Kysely<Tables>,
  present: ReadonlyMap<string, string[]>,
): Promise<SealedValue[]> {
  const hasSealedIssuer = present.get('installations')?.includes('sealed_issuer') ?? false;
  const sample: SealedValue[] = [];
  for (const table of sealedTables.filter((each) => present.has(each))) {
    const page = { after: '', limit: sampledRows, hasSealedIssuer };
    const rows = await readSealed(db, table, page);
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
