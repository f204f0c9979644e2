/** Migration 0023: the fleet's history. Each `at` begins a minute or an hour. Migration 0047 joins its tables. */
import { type Kysely, sql } from 'kysely';
import type { SchemaSpelling } from './database.ts';

const groups = ['working', 'risk', 'broken', 'pending', 'paused', 'uninstalled'] as const;
const rates = ['refreshed', 'refresh_failed', 'events', 'refused', 'shed'] as const;

export async function addSamples(
  db: Kysely<unknown>,
  spelling: Pick<SchemaSpelling, 'key' | 'storedByKey'>,
): Promise<void> {
  await createMinutes(db, spelling);
  await createHours(db, spelling);
  await sql`insert into maintenance (name, due_at) values ('fleet_sample', 0)`.execute(db);
}

async function createMinutes(
  db: Kysely<unknown>,
  { key, storedByKey }: Pick<SchemaSpelling, 'key' | 'storedByKey'>,
): Promise<void> {
  let minutes = db.schema
    .createTable('fleet_samples')
    .addColumn('at', 'bigint', (c) => c.primaryKey());
  for (const rate of rates) {
    minutes = minutes.addColumn(rate, 'integer', (c) => c.notNull().defaultTo(0));
  }
  for (const group of groups) minutes = minutes.addColumn(group, 'integer');
  await minutes.$call(storedByKey).execute();
  await db.schema
    .createTable('fleet_cause_samples')
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('cause', key, (c) => c.notNull())
    .addColumn('n', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('fleet_cause_samples_pkey', ['at', 'cause'])
    .$call(storedByKey)
    .execute();
}

async function createHours(
  db: Kysely<unknown>,
  { key, storedByKey }: Pick<SchemaSpelling, 'key' | 'storedByKey'>,
): Promise<void> {
  let hours = db.schema
    .createTable('fleet_hours')
    .addColumn('at', 'bigint', (c) => c.primaryKey())
    .addColumn('minutes', 'integer', (c) => c.notNull())
    .addColumn('sampled', 'integer', (c) => c.notNull());
  for (const rate of rates) hours = hours.addColumn(rate, 'bigint', (c) => c.notNull());
  for (const group of groups) {
    hours = hours
      .addColumn(`${group}_min`, 'integer')
      .addColumn(`${group}_max`, 'integer')
      .addColumn(`${group}_mean`, 'double precision');
  }
  await hours.$call(storedByKey).execute();
  await db.schema
    .createTable('fleet_cause_hours')
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('cause', key, (c) => c.notNull())
    .addColumn('n_max', 'integer', (c) => c.notNull())
    .addColumn('n_mean', 'double precision', (c) => c.notNull())
    .addPrimaryKeyConstraint('fleet_cause_hours_pkey', ['at', 'cause'])
    .$call(storedByKey)
    .execute();
}
