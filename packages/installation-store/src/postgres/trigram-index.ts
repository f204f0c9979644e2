/**
 * Finds parts of texts with `pg_trgm`. Without the extension all texts are read, for a limited time.
 * Maintenance makes the index, because a migration would block every install meanwhile.
 */
import { type Kysely, sql } from 'kysely';
import type { SearchState } from '../key-report.ts';
import type { Tables } from '../sql/tables.ts';
import type { TextIndex } from '../sql/text-index.ts';

const findMs = 2_000;
const buildLock = 7_305_614_319;
const timeOut = '57014';
/** Not enough rights; not part of this server; its files are missing; it lacks its operators. */
const refusals: ReadonlySet<string> = new Set(['42501', '0A000', '58P01', '42704']);

export const postgresTextIndex: TextIndex = {
  async add() {},
  async remove() {},
  async find(db, folded, { maxFound }) {
    try {
      const ids = await withinTime(db, (limited) => listMatches(limited, folded, maxFound + 1));
      const isMany = ids.length > maxFound;
      return { ids: isMany ? undefined : ids, isMany };
    } catch (error) {
      if (codeOf(error) !== timeOut) throw error;
      return { ids: undefined, isMany: false };
    }
  },
};

/** The installations that have the text, up to a limit. */
export function selectTextMatches(folded: string, limit: number) {
  const pattern = `%${folded.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<{ id: string }>`select installation_id as id from search_texts
    where text like ${pattern} limit ${limit}`;
}

async function listMatches(db: Kysely<Tables>, folded: string, limit: number): Promise<string[]> {
  const { rows } = await selectTextMatches(folded, limit).execute(db);
  return rows.map(({ id }) => id);
}

function withinTime<Result>(
  db: Kysely<Tables>,
  work: (limited: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  // A limit would end the transaction of others.
  if (db.isTransaction) return work(db);
  return db.transaction().execute(async (transaction) => {
    await sql`set local statement_timeout = ${sql.lit(findMs)}`.execute(transaction);
    return work(transaction);
  });
}

/** Whether the index can be used. An attempt that was cut off leaves one that cannot. */
export async function hasTrigramIndex(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ is_valid: boolean }>`select indisvalid as is_valid from pg_index
    where indexrelid = to_regclass('search_texts_trigrams')`.execute(db);
  return rows[0]?.is_valid === true;
}

/**
 * Makes the index while others read and write. If another process is making it, returns at once.
 *
 * @param connection one connection, without time limits; its end gives the lock back
 */
export async function buildTrigramIndex(connection: Kysely<Tables>): Promise<SearchState> {
  // Does not wait for the lock: the wait would be a transaction, and the other process must wait for the end
  // of all transactions.
  const { rows } = await sql<{ is_locked: boolean }>`
      select pg_try_advisory_lock(${sql.lit(buildLock)}) as is_locked`.execute(connection);
  if (rows[0]?.is_locked !== true) return { state: 'filling' };
  try {
    if (!(await hasTrigramIndex(connection))) await createIndex(connection);
    return { state: 'indexed' };
  } catch (error) {
    if (!refusals.has(codeOf(error) ?? '')) throw error;
    return { state: 'scanned', why: (error as Error).message };
  } finally {
    await sql`select pg_advisory_unlock(${sql.lit(buildLock)})`.execute(connection);
  }
}

async function createIndex(db: Kysely<Tables>): Promise<void> {
  if ((await findOperators(db)) === undefined) {
    await sql`create extension if not exists pg_trgm`.execute(db);
  }
  const schema = await findOperators(db);
  await sql`drop index concurrently if exists search_texts_trigrams`.execute(db);
  await sql`create index concurrently search_texts_trigrams on search_texts
    using gin (text ${sql.ref(`${schema ?? 'public'}.gin_trgm_ops`)})`.execute(db);
  // Without statistics of the texts, the planner assumes that every part of a text is frequent.
  await sql`analyze search_texts`.execute(db);
}

/** The schema of the extension: an operator may have created it in one of its own. */
async function findOperators(db: Kysely<Tables>): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select nspname as name from pg_opclass
    join pg_namespace on pg_namespace.oid = opcnamespace
    where opcname = 'gin_trgm_ops'`.execute(db);
  return rows[0]?.name;
}

/** PostgreSQL's own error, or the cause of the store's. */
function codeOf(error: unknown): string | undefined {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return cause?.code ?? code;
}
