/** Migrations 0045 to 0047: what the dashboard reads, without indexes and tables of its own. They are never changed. */
import { type Kysely, sql } from 'kysely';
import { searchTextOf } from './search-text.ts';
import type { Tables } from './tables.ts';

/** They served lists by status that nothing reads. */
export async function dropStatusIndexes(db: Kysely<unknown>): Promise<void> {
  for (const name of ['installations_status', 'installations_attention']) {
    await db.schema.dropIndex(name).execute();
  }
}

/** The extension `pg_trgm` stays: others may use it. */
export async function moveSearchTexts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('installations')
    .addColumn('search_text', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await sql`update installations set search_text = coalesce((select
      ${'\n'} || text || ${'\n'} || lower(plugin_id) from search_texts
    where installation_id = installations.id), '')`.execute(db);
  await addMissingTexts(db as Kysely<Tables>);
  for (const table of ['search_trigrams', 'search_texts', 'search_filling']) {
    await db.schema.dropTable(table).ifExists().execute();
  }
  await sql`delete from maintenance where name = 'search'`.execute(db);
}

/** Of installations whose text an older version has not written. */
async function addMissingTexts(db: Kysely<Tables>): Promise<void> {
  for (let last = ''; ; ) {
    const rows = await db
      .selectFrom('installations')
      .select(['id', 'issuer', 'tenant_id as tenantId', 'plugin_id as pluginId', 'name'])
      .where('search_text', '=', '')
      .where('id', '>', last)
      .orderBy('id')
      .limit(1_000)
      .execute();
    if (rows.length === 0) return;
    last = rows.at(-1)?.id ?? '';
    for (const row of rows) {
      await db
        .updateTable('installations')
        .set({ search_text: searchTextOf(row) })
        .where('id', '=', row.id)
        .execute();
    }
  }
}
