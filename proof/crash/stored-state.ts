/** Reads the database of a back end directly, not through its processes. */
import type { Grant, Installation } from '@dowel/installation-store';
import type { CrashWorld } from './crash-world.ts';

export async function findInstallation(
  world: CrashWorld,
  pluginId: string,
): Promise<Installation | undefined> {
  const { tenantId, platform } = world.crashPlatform;
  const issuer = platform.tenants[0]?.baseUrl ?? '';
  return (await world.store()).installations.find({ issuer, tenantId, pluginId });
}

export async function loadGrant(world: CrashWorld, pluginId: string): Promise<Grant | undefined> {
  const { id = '' } = (await findInstallation(world, pluginId)) ?? {};
  return (await world.store()).grants.load(id);
}

/** SQLite's report of a damaged file; empty for an undamaged file, and with PostgreSQL. */
export async function findDamage({ database }: CrashWorld): Promise<unknown[]> {
  if ('url' in database.location) return [];
  const rows = await database.execute('pragma integrity_check');
  return rows.filter(({ integrity_check: verdict }) => verdict !== 'ok');
}

/** The number of exchanges that have no answer yet. */
export async function countIntents({ database }: CrashWorld): Promise<number> {
  const rows = await database.execute('select installation_id from exchange_intents');
  return rows.length;
}
