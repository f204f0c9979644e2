/** Migration 0024: the texts that searches looked through, which migration 0046 moves into the installations. */
import { type Kysely, sql } from 'kysely';
import type { SchemaSpelling } from './database.ts';

export async function addSearch(
  db: Kysely<unknown>,
  { identity, identityType, key }: SchemaSpelling,
): Promise<void> {
  await db.schema
    .createTable('search_texts')
    .addColumn('number', identityType, identity)
    .addColumn('installation_id', key, (c) => c.notNull().unique().references('installations.id'))
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('name', key)
    .execute();
  await sql`create index search_texts_name on search_texts (name) where name is not null`.execute(
    db,
  );
  await db.schema
    .createTable('search_filling')
    .addColumn('last_id', key, (c) => c.notNull())
    .addColumn('is_complete', 'integer', (c) => c.notNull())
    .execute();
  await sql`insert into search_filling (last_id, is_complete)
    select '', case when exists (select 1 from installations) then 0 else 1 end`.execute(db);
}
