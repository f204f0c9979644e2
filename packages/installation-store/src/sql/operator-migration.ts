/** What operators do: their pauses, names and notes, and the audit (docs/decisions/0043). */
import { type Kysely, sql } from 'kysely';
import type { SchemaSpelling } from './database.ts';

export async function addOperatorActions(
  db: Kysely<unknown>,
  { identity, identityType, key }: Pick<SchemaSpelling, 'identity' | 'identityType' | 'key'>,
): Promise<void> {
  const columns: [string, 'text' | 'bigint' | 'integer'][] = [
    ['paused_at', 'bigint'],
    ['paused_by', 'text'],
    ['pause_reason', 'text'],
    ['triggered_at', 'bigint'],
    ['kept_until', 'bigint'],
    ['acknowledged_generation', 'integer'],
  ];
  for (const [name, type] of columns) {
    await db.schema.alterTable('installations').addColumn(name, type).execute();
  }
  for (const name of ['name', 'notes']) {
    await db.schema
      .alterTable('installations')
      .addColumn(name, 'text', (c) => c.notNull().defaultTo(''))
      .execute();
  }
  await db.schema
    .createTable('audit')
    .addColumn('id', identityType, identity)
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('who', key, (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('way', 'text', (c) => c.notNull())
    .addColumn('from_address', 'text')
    .addColumn('action', key, (c) => c.notNull())
    .addColumn('installation_id', key)
    .addColumn('target', 'text')
    .addColumn('reason', 'text')
    .addColumn('result', 'text', (c) => c.notNull())
    .addColumn('detail', 'text')
    .addColumn('run_id', key)
    .execute();
  const indexes: Record<string, string> = {
    // One for each filter of the list, in its order.
    audit_at: 'audit (at, id)',
    audit_who: 'audit (who, at, id)',
    audit_action: 'audit (action, at, id)',
    audit_installation: 'audit (installation_id, at, id) where installation_id is not null',
    audit_run: 'audit (run_id, at, id) where run_id is not null',
  };
  for (const [name, what] of Object.entries(indexes)) {
    await sql`create index ${sql.ref(name)} on ${sql.raw(what)}`.execute(db);
  }
}
