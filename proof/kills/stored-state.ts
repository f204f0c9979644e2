/** Reads the database of a back end directly, not through its processes. */
import type { FoundPluginSession, Grant, Installation } from '@dowel/installation-store';
import type { KillWorld } from './kill-world.ts';

export async function findInstallation(
  world: KillWorld,
  pluginId: string,
): Promise<Installation | undefined> {
  const { tenantId, platform } = world.killPlatform;
  const issuer = platform.tenants[0]?.baseUrl ?? '';
  return (await world.store()).installations.find({ issuer, tenantId, pluginId });
}

export async function loadGrant(world: KillWorld, pluginId: string): Promise<Grant | undefined> {
  const { id = '' } = (await findInstallation(world, pluginId)) ?? {};
  return (await world.store()).grants.load(id);
}

/** The stored sessions of pages. Undefined: a row that opens none. */
export async function listSessions(world: KillWorld): Promise<(FoundPluginSession | undefined)[]> {
  const { sessions } = await world.store();
  const rows = await world.database.execute('select token_hash from plugin_sessions');
  return Promise.all(
    rows.map((row) => sessions.findPluginSession(String(row.token_hash), Date.now())),
  );
}

/** SQLite's report of a damaged file; empty for an undamaged file, and with PostgreSQL. */
export async function findDamage({ database }: KillWorld): Promise<unknown[]> {
  if ('url' in database.location) return [];
  const rows = await database.execute('pragma integrity_check');
  return rows.filter(({ integrity_check: verdict }) => verdict !== 'ok');
}

/** The exchanges that have no answer yet, with what says when they are asked for again. */
export function listIntents({ database }: KillWorld): Promise<Record<string, unknown>[]> {
  return database.execute(`
    select id, status, installations.generation, token_version, triggers, next_trigger_at, heal_at,
      exchange_intents.generation as intent_generation, started_at, presented, held_for, held_until,
      trigger_url
    from exchange_intents join installations on id = installation_id`);
}
