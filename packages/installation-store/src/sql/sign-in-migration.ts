/** Migration 0018: who signs in, and how (docs/decisions/0042-sign-in.md). */
import { type Kysely, sql } from 'kysely';
import type { SchemaSpelling } from './database.ts';

export async function addOperators(db: Kysely<unknown>, { key }: SchemaSpelling): Promise<void> {
  // The operators of these sessions are unknown. They last twelve hours at most.
  await sql`delete from admin_sessions`.execute(db);
  for (const name of ['id', 'name', 'role', 'method']) {
    await db.schema
      .alterTable('admin_sessions')
      .addColumn(name, 'text', (c) => c.notNull().defaultTo(''))
      .execute();
  }
  await db.schema.alterTable('admin_sessions').addColumn('account_revision', 'text').execute();
  await db.schema
    .alterTable('admin_sessions')
    .addColumn('created_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('operator_accounts')
    .addColumn('name', key, (c) => c.primaryKey())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('password_hash', 'text', (c) => c.notNull())
    .addColumn('revision', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('sign_in_codes')
    .addColumn('digest', key, (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
}
