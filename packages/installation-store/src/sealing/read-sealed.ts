/** Reads stored ciphertexts with the data that opens them, for code that goes through all of them. */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';
import { keyIdOf } from './keyring.ts';
import {
  type Owner,
  placeOf,
  placeOfSession,
  rowKeys,
  type SealedTable,
  type SecretColumn,
  sealedColumns,
  sealedTables,
} from './sealed-columns.ts';

export interface SealedValue {
  column: string;
  ciphertext: string;
  place: string[];
}

export interface SealedRow {
  /** Its primary key. */
  key: string;
  /** Null: it is the session of an operator. */
  installationId: string | null;
  values: SealedValue[];
}

/** A page of a table, by keyset pagination. */
export interface SealedPage {
  after: string;
  limit: number;
  /** The last row that is looked at. Default: as many as it takes. */
  until?: string;
  /** Leaves out values that are sealed with this key. */
  exceptKeyId?: string;
  /** False for a database before migration 0007, which keeps only one spelling of an issuer. Default true. */
  hasSealedIssuer?: boolean;
}

interface StoredRow extends Record<string, unknown> {
  key: string;
  installationId: string | null;
  generation: number;
  issuer: string;
  tenantId: string;
  pluginId: string;
}

export async function readSealed(
  db: Kysely<Tables>,
  table: SealedTable,
  { after, limit, until, exceptKeyId, hasSealedIssuer = true }: SealedPage,
): Promise<SealedRow[]> {
  const places: Record<string, SecretColumn> = sealedColumns[table];
  const key = sql.ref(rowKeys[table]);
  const columns = Object.keys(places);
  const isWanted = ({ ciphertext }: SealedValue) =>
    exceptKeyId === undefined || !ciphertext.startsWith(`${exceptKeyId}.`);
  const wanted = columns.map((column) =>
    exceptKeyId === undefined
      ? sql`${sql.ref(column)} is not null`
      : sql`(${sql.ref(column)} is not null and ${prefixOf(column)} <> ${`${exceptKeyId}.`})`,
  );
  const isBefore = until === undefined ? sql`` : sql`and ${key} <= ${until}`;
  const issuer = hasSealedIssuer ? sql`coalesce(sealed_issuer, issuer)` : sql.ref('issuer');
  const isOfInstallation = table !== 'admin_sessions';
  const owner = isOfInstallation
    ? sql`installation_id as ${sql.ref('installationId')}, sealed.generation, ${issuer} as issuer,
        tenant_id as ${sql.ref('tenantId')}, plugin_id as ${sql.ref('pluginId')}`
    : sql`null as ${sql.ref('installationId')}`;
  const join = isOfInstallation
    ? sql`join installations on installations.id = sealed.installation_id`
    : sql``;
  const { rows } = await sql<StoredRow>`
    select ${key} as key, ${owner}, ${sql.join(columns.map((column) => sql.ref(column)))}
    from ${sql.table(table)} as sealed ${join}
    where ${key} > ${after} ${isBefore} and (${sql.join(wanted, sql` or `)})
    order by ${key} limit ${limit}`.execute(db);
  return rows.map((row) => ({
    key: row.key,
    installationId: row.installationId,
    values: Object.entries(places)
      .map(([column, place]) => toSealedValue(table, row, column, place))
      .filter((value) => value !== undefined)
      .filter(isWanted),
  }));
}

/** Where a page of a table ends, whatever seals its values. Undefined: there is no row after `after`. */
export async function findPageEnd(
  db: Kysely<Tables>,
  table: SealedTable,
  { after, limit }: Pick<SealedPage, 'after' | 'limit'>,
): Promise<string | undefined> {
  const key = sql.ref(rowKeys[table]);
  const { rows } = await sql<{ last: string | null }>`
    select max(${key}) as last from (select ${key} from ${sql.table(table)}
      where ${key} > ${after} order by ${key} limit ${limit}) as page`.execute(db);
  return rows[0]?.last ?? undefined;
}

/** How many values are sealed with each key. `undefined` counts values that name no key. */
export async function countSealed(db: Kysely<Tables>): Promise<SealedCounts> {
  const counts: SealedCounts = new Map();
  for (const table of listSealedTables(await listTables(db))) {
    const columns = Object.keys(sealedColumns[table]);
    const ids = columns.map((column) => sql`${prefixOf(column)} as ${sql.ref(column)}`);
    const { rows } = await sql<Record<string, string | number | null>>`
      select ${sql.join(ids)}, count(*) as count from ${sql.table(table)}
      group by ${sql.join(columns.map(prefixOf))}`.execute(db);
    addCounts(counts, rows);
  }
  return counts;
}

type SealedCounts = Map<string | undefined, number>;

/** Adds a page of a table to `counts`. @returns where the next page begins; undefined: it was the last one. */
export async function countSealedPage(
  db: Kysely<Tables>,
  table: SealedTable,
  { after, limit, counts }: { after: string; limit: number; counts: SealedCounts },
): Promise<{ rows: number; next: string | undefined }> {
  const columns = Object.keys(sealedColumns[table]);
  const key = sql.ref(rowKeys[table]);
  const ids = columns.map((column) => sql`${prefixOf(column)} as ${sql.ref(column)}`);
  const { rows } = await sql<Record<string, string | number | null>>`
    select ${sql.join(columns.map((column) => sql.ref(column)))}, count(*) as count,
      max(${key}) as last
    from (select ${key}, ${sql.join(ids)} from ${sql.table(table)}
      where ${key} > ${after} order by ${key} limit ${limit}) as page
    group by ${sql.join(columns.map((column) => sql.ref(column)))}`.execute(db);
  let seen = 0;
  let lastId = after;
  for (const { last, ...row } of rows) {
    seen += Number(row.count);
    if (String(last) > lastId) lastId = String(last);
    addCounts(counts, [row]);
  }
  return { rows: seen, next: seen < limit ? undefined : lastId };
}

/** @param rows the keys' prefixes in any column, with the number of rows that have them. */
function addCounts(
  counts: SealedCounts,
  rows: readonly Record<string, string | number | null>[],
): void {
  for (const { count, ...prefixes } of rows) {
    for (const prefix of Object.values(prefixes).filter((each) => each !== null)) {
      const id = keyIdOf(String(prefix));
      counts.set(id, (counts.get(id) ?? 0) + Number(count));
    }
  }
}

/** Whether any value is sealed with the key. Stops at the first one. */
export async function isSealedWith(db: Kysely<Tables>, keyId: string): Promise<boolean> {
  for (const table of listSealedTables(await listTables(db))) {
    const isUsed = Object.keys(sealedColumns[table]).map(
      (column) => sql`${prefixOf(column)} = ${`${keyId}.`}`,
    );
    const { rows } = await sql`select 1 from ${sql.table(table)}
      where ${sql.join(isUsed, sql` or `)} limit 1`.execute(db);
    if (rows.length > 0) return true;
  }
  return false;
}

/** Those that have their columns: a database before the newest migration may lack some. */
export function listSealedTables(present: ReadonlyMap<string, string[]>): SealedTable[] {
  return sealedTables.filter((table) =>
    Object.keys(sealedColumns[table]).every((column) => present.get(table)?.includes(column)),
  );
}

/** The part of a stored value that names its key. */
function prefixOf(column: string) {
  return sql`substr(${sql.ref(column)}, 1, 9)`;
}

/** The existing tables and their columns, also before the migrations. */
export async function listTables(db: Kysely<Tables>): Promise<Map<string, string[]>> {
  const tables = await db.introspection.getTables();
  const columnsOf = (table: (typeof tables)[number]) => table.columns.map(({ name }) => name);
  if (!tables.some(({ schema }) => schema !== undefined)) {
    return new Map(tables.map((table) => [table.name, columnsOf(table)]));
  }
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db);
  const own = tables.filter(({ schema }) => schema === rows[0]?.name);
  return new Map(own.map((table) => [table.name, columnsOf(table)]));
}

function toSealedValue(table: SealedTable, row: StoredRow, column: string, place: SecretColumn) {
  const ciphertext = row[column];
  if (typeof ciphertext !== 'string') return undefined;
  const owner: Owner = row;
  const isSession = table === 'plugin_sessions' || table === 'admin_sessions';
  const placed = isSession ? placeOfSession(table, row.key) : placeOf(owner, place);
  return { column, ciphertext, place: placed };
}
