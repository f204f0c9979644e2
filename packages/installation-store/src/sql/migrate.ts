/**
 * Brings the schema up to date, in one transaction that no other process runs at the same time:
 * processes that start at once wait for the first, and a killed one leaves the schema as it was.
 */
import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { StoreError } from '../errors.ts';
import type { Engine } from './database.ts';
import { createMigrations } from './migrations.ts';
import type { Tables } from './tables.ts';

/**
 * @returns false if migrations are missing.
 * @throws StoreError `SCHEMA_TOO_NEW`.
 */
export function checkSchema(engine: Engine): Promise<boolean> {
  return isCurrent(engine.db, engine);
}

/** @throws StoreError `SCHEMA_TOO_NEW`, before anything is written. */
export async function migrate(engine: Engine): Promise<void> {
  await engine.exclusive(async (transaction) => {
    // Another process may have migrated in the meantime, with a newer version.
    if (await isCurrent(transaction, engine)) return;
    const provider = { getMigrations: async () => createMigrations(engine.spelling) };
    const schema = await engine.currentSchema();
    const place = schema === undefined ? {} : { migrationTableSchema: schema };
    const migrator = new Migrator({ db: transaction, provider, ...place });
    const { error } = await migrator.migrateToLatest();
    if (error) throw error;
  });
}

/** The name of the newest migration that the database has. */
export async function readMigration({ db }: Engine): Promise<string> {
  const row = await (db as unknown as Kysely<{ kysely_migration: { name: string } }>)
    .selectFrom('kysely_migration')
    .select('name')
    .orderBy('name', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.name ?? '';
}

async function isCurrent(db: Kysely<Tables>, engine: Engine): Promise<boolean> {
  const known = Object.keys(createMigrations(engine.spelling));
  const applied = await listApplied(db, engine);
  const newer = applied.filter((migration) => !known.includes(migration));
  if (newer.length > 0) {
    throw new StoreError(
      'SCHEMA_TOO_NEW',
      `${engine.name} was migrated by a newer Dowel (${newer.join(', ')}). Start that version, or restore the backup made before it.`,
    );
  }
  return known.every((migration) => applied.includes(migration));
}

async function listApplied(db: Kysely<Tables>, engine: Engine): Promise<string[]> {
  const place = await engine.currentSchema();
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const isThere = tables.some(
    ({ name, schema }) => name === 'kysely_migration' && schema === place,
  );
  if (!isThere) return [];
  const rows = await (db as unknown as Kysely<{ kysely_migration: { name: string } }>)
    .selectFrom('kysely_migration')
    .select('name')
    .execute();
  return rows.map(({ name }) => name);
}
