/** Migration 0022: counts of what was refused before it reached an installation (docs/decisions/0022-key-locations.md). */
import type { Kysely } from 'kysely';
import type { SchemaSpelling } from './database.ts';

export async function addRefusals(
  db: Kysely<unknown>,
  { key, storedByKey }: Pick<SchemaSpelling, 'key' | 'storedByKey'>,
): Promise<void> {
  await db.schema
    .createTable('refusals')
    .addColumn('bucket_at', 'bigint', (c) => c.notNull())
    .addColumn('reason', key, (c) => c.notNull())
    .addColumn('kind', key, (c) => c.notNull())
    .addColumn('issuer', key, (c) => c.notNull())
    .addColumn('sender', key, (c) => c.notNull())
    .addColumn('plugin', key, (c) => c.notNull())
    .addColumn('n', 'bigint', (c) => c.notNull())
    .addColumn('first_at', 'bigint', (c) => c.notNull())
    .addColumn('last_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('refusals_key', [
      'bucket_at',
      'reason',
      'kind',
      'issuer',
      'sender',
      'plugin',
    ])
    .$call(storedByKey)
    .execute();
}
