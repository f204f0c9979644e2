/** Migration 0026: runs of one action over many installations (docs/decisions/0043-operator-actions.md). */
import { type Kysely, sql } from 'kysely';
import type { SchemaSpelling } from './database.ts';

export async function addRuns(
  db: Kysely<unknown>,
  { key }: Pick<SchemaSpelling, 'key'>,
): Promise<void> {
  const counts = ['total', 'position', 'done', 'unchanged', 'refused', 'failed'];
  const runs = db.schema
    .createTable('runs')
    .addColumn('id', key, (c) => c.primaryKey())
    .addColumn('action', key, (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('who', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('way', 'text', (c) => c.notNull())
    .addColumn('from_address', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('refusals', 'text', (c) => c.notNull())
    .addColumn('claim', key)
    .addColumn('leased_until', 'bigint', (c) => c.notNull());
  await counts
    .reduce((table, name) => table.addColumn(name, 'integer', (c) => c.notNull()), runs)
    .execute();
  await sql`create unique index runs_under_way on runs (action) where ended_at is null`.execute(db);
  await db.schema.createIndex('runs_ended').on('runs').column('ended_at').execute();
  await db.schema
    .createTable('run_parts')
    .addColumn('run_id', key, (c) => c.notNull().references('runs.id').onDelete('cascade'))
    .addColumn('part', 'integer', (c) => c.notNull())
    .addColumn('ids', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('run_parts_key', ['run_id', 'part'])
    .execute();
}
