/**
 * Checks that this is the key that the database was sealed with, before anything is written. A wrong key
 * would seal new values that the right key cannot open.
 */
import { Secret } from '@dowel/schema';
import { type Kysely, sql } from 'kysely';
import { StoreError } from '../errors.ts';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import { type Keyring, keyIdOf } from './keyring.ts';
import {
  countSealed,
  isSealedWith,
  listSealedTables,
  listTables,
  readSealed,
  type SealedValue,
} from './read-sealed.ts';

const knownValue = new Secret('dowel');
const placeOfCheck = ['key_checks', 'value_sealed'];
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
  // control E06
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

/** How long after its last report a process may still seal with its key. */
const sealingMs = 2 * 60 * 1000;

/** Records that a process seals with its active key: {@link listRegisteredKeys} tells for two minutes. */
export async function reportActiveKey({ db, now }: Database, keyring: Keyring): Promise<void> {
  const report = db
    .updateTable('key_checks')
    .set({ sealing_at: now() })
    .where('key_id', '=', keyring.activeKeyId());
  const { numUpdatedRows } = await report.executeTakeFirst();
  if (numUpdatedRows > 0n) return;
  await registerActiveKey(db, keyring);
  await report.execute();
}

/** How many values each key seals that the database needs or that was active. */
export async function countKeysInUse(db: Kysely<Tables>): Promise<Map<string, number>> {
  const hasChecks = (await listTables(db)).has('key_checks');
  const checks = hasChecks ? (await readChecks(db)).map(({ key_id: id }) => id) : [];
  const counts = await countSealed(db);
  const ids = [...checks, ...counts.keys()].filter((id) => id !== undefined);
  return new Map(ids.map((id) => [id, counts.get(id) ?? 0]));
}

/** What the database records about a key that is or was active. */
export interface RegisteredKey {
  id: string;
  /** Epoch milliseconds. */
  since: number;
  /** A process has reported within two minutes that it seals with it. */
  isSealing: boolean;
}

export async function listRegisteredKeys({
  db,
  now,
}: Pick<Database, 'db' | 'now'>): Promise<RegisteredKey[]> {
  const rows = await db
    .selectFrom('key_checks')
    .select(['key_id as id', 'created_at as since'])
    .select(
      sql<number>`case when sealing_at > ${now()} - ${sealingMs} then 1 else 0 end`.as('sealing'),
    )
    .orderBy('created_at')
    .limit(maxRegistered)
    .execute();
  return rows.map(({ id, since, sealing }) => ({ id, since, isSealing: sealing === 1 }));
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

/** Works before the newest migration, too. */
function readChecks(db: Kysely<Tables>) {
  return db.selectFrom('key_checks').select(['key_id', 'value_sealed']).orderBy('key_id').execute();
}

async function readSample(
  db: Kysely<Tables>,
  present: ReadonlyMap<string, string[]>,
): Promise<SealedValue[]> {
  const hasSealedIssuer = present.get('installations')?.includes('sealed_issuer') ?? false;
  const sample: SealedValue[] = [];
  for (const table of listSealedTables(present)) {
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
