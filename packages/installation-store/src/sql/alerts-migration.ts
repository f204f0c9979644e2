/** Migration 0025: alerts, their messages and silences (docs/decisions/0048-alerts.md). */
import { type Kysely, sql } from 'kysely';
import type { SchemaSpelling } from './database.ts';

export async function addAlerts(
  db: Kysely<unknown>,
  { key }: Pick<SchemaSpelling, 'key'>,
): Promise<void> {
  await createAlerts(db, { key });
  await createMessages(db, { key });
  await db.schema
    .createTable('alert_silences')
    .addColumn('rule', key, (c) => c.notNull())
    .addColumn('subject', key, (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('until', 'bigint', (c) => c.notNull())
    .addColumn('by', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('alert_silences_key', ['rule', 'subject'])
    .execute();
  // Locked by each evaluation, so that there is one at a time.
  await sql`insert into maintenance (name, due_at) values ('alerts', 0)`.execute(db);
}

async function createAlerts(db: Kysely<unknown>, { key }: Pick<SchemaSpelling, 'key'>) {
  await db.schema
    .createTable('alerts')
    .addColumn('id', key, (c) => c.primaryKey())
    .addColumn('rule', key, (c) => c.notNull())
    .addColumn('subject', key, (c) => c.notNull())
    .addColumn('since', 'bigint', (c) => c.notNull())
    .addColumn('opened_at', 'bigint')
    .addColumn('clear_since', 'bigint')
    .addColumn('recovered_at', 'bigint')
    .addColumn('facts', 'text', (c) => c.notNull())
    .addColumn('peak', 'integer', (c) => c.notNull())
    .addColumn('tellings', 'integer', (c) => c.notNull())
    .addColumn('told_at', 'bigint')
    .addColumn('told_count', 'integer')
    .execute();
  await sql`create unique index alerts_open on alerts (rule, subject)
    where recovered_at is null`.execute(db);
  await db.schema.createIndex('alerts_recovered').on('alerts').column('recovered_at').execute();
}

async function createMessages(db: Kysely<unknown>, { key }: Pick<SchemaSpelling, 'key'>) {
  await db.schema
    .createTable('alert_messages')
    .addColumn('id', key, (c) => c.notNull())
    .addColumn('channel', key, (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('alert_id', key)
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .addColumn('settled_at', 'bigint')
    .addColumn('last_error', 'text')
    .addPrimaryKeyConstraint('alert_messages_key', ['id', 'channel'])
    .execute();
  await sql`create index alert_messages_due on alert_messages (channel, due_at)
    where state = 'waiting'`.execute(db);
  await db.schema
    .createIndex('alert_messages_newest')
    .on('alert_messages')
    .columns(['channel', 'created_at'])
    .execute();
  await db.schema
    .createIndex('alert_messages_settled')
    .on('alert_messages')
    .column('settled_at')
    .execute();
}
