/** Migration 0015: the outbox, and the columns that decide when a hook is called (docs/decisions/0036-hooks.md). */
import { type Kysely, sql } from 'kysely';
import type { SchemaSpelling } from './database.ts';

export async function addHooks(
  db: Kysely<unknown>,
  { key, storedByKey }: SchemaSpelling,
): Promise<void> {
  await db.schema
    .alterTable('installations')
    .addColumn('plugin', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  for (const name of ['usable_generation', 'awaits_admission']) {
    await db.schema
      .alterTable('installations')
      .addColumn(name, 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  }
  await db.schema.alterTable('installations').addColumn('broken_since', 'bigint').execute();
  await sql`update installations set usable_generation = generation
    where status in ('active', 'awaiting_event')`.execute(db);
  await db.schema.alterTable('inbox').addColumn('message', 'text').execute();
  for (const name of ['failing_since', 'probe_at']) {
    await db.schema.alterTable('grants').addColumn(name, 'bigint').execute();
  }
  await db.schema
    .createTable('hook_streams')
    .addColumn('installation_id', key, (c) => c.primaryKey().references('installations.id'))
    .addColumn('next_sequence', 'integer', (c) => c.notNull())
    .addColumn('head_sequence', 'integer', (c) => c.notNull().defaultTo(1))
    .addColumn('due_at', 'bigint')
    .addColumn('lease_owner', 'text')
    .addColumn('lease_sequence', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('hook_deliveries')
    .addColumn('installation_id', key, (c) => c.notNull().references('installations.id'))
    .addColumn('sequence', 'integer', (c) => c.notNull())
    .addColumn('generation', 'integer', (c) => c.notNull())
    .addColumn('event', 'text', (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .addColumn('occurred_at', 'bigint', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('replays', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('unhandled_since', 'bigint')
    .addColumn('last_error', 'text')
    .addColumn('settled_at', 'bigint')
    .addPrimaryKeyConstraint('hook_deliveries_key', ['installation_id', 'sequence'])
    .$call(storedByKey)
    .execute();
  const indexes: Record<string, string> = {
    hook_streams_due: 'hook_streams (due_at) where due_at is not null',
    hook_deliveries_parked: `hook_deliveries (settled_at) where state = 'parked'`,
    hook_deliveries_settled: `hook_deliveries (settled_at)
      where state in ('delivered', 'superseded')`,
    grants_probe: 'grants (probe_at) where probe_at is not null',
  };
  for (const [name, what] of Object.entries(indexes)) {
    await sql`create index ${sql.ref(name)} on ${sql.raw(what)}`.execute(db);
  }
}
