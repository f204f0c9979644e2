/** Databases with the schema of previous versions, for tests of migrations. */
import { Migrator } from 'kysely/migration';
import { type EngineLocation, openEngine } from '../open-engine.ts';
import { createMigrations } from '../sql/migrations.ts';

/** The names of the migrations of this version, oldest first. */
export async function listMigrations(location: EngineLocation): Promise<string[]> {
  const engine = await openEngine(location);
  await engine.close();
  return Object.keys(createMigrations(engine.spelling)).toSorted();
}

/** Migrates an empty database up to and including this migration. */
export async function migrateTo(location: EngineLocation, migration: string): Promise<void> {
  const engine = await openEngine(location);
  try {
    const provider = { getMigrations: async () => createMigrations(engine.spelling) };
    const schema = await engine.currentSchema();
    await engine.exclusive(async (db) => {
      const place = schema === undefined ? {} : { migrationTableSchema: schema };
      const { error } = await new Migrator({ db, provider, ...place }).migrateTo(migration);
      if (error) throw error;
    });
  } finally {
    await engine.close();
  }
}
