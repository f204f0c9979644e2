/** The secrets that can be read in a database, sealed or not. */
import { readFile } from 'node:fs/promises';
import type { KillWorld } from './kill-world.ts';
import { findInstallation, loadGrant } from './stored-state.ts';

/** The secrets of an installation, in plain text and sealed. */
export async function listSecrets(world: KillWorld, pluginId: string): Promise<string[]> {
  const { id } = (await findInstallation(world, pluginId)) ?? {};
  const rows = await world.database.execute(`select * from grants where installation_id = '${id}'`);
  const sealed = rows.flatMap((row) =>
    Object.entries(row).flatMap(([name, value]) => (name.endsWith('_sealed') ? [value] : [])),
  );
  const grant = await loadGrant(world, pluginId);
  const secrets = [grant?.accessToken, grant?.refreshToken, grant?.clientSecret];
  return [...sealed, ...secrets.map((secret) => secret?.reveal())].map(String);
}

/** The secrets that SQLite's files or PostgreSQL's dump contain, deleted or not. */
export async function findStored(
  { database }: KillWorld,
  secrets: readonly string[],
): Promise<string[]> {
  const { location } = database;
  if ('url' in location) {
    const dump = await database.dump();
    return secrets.filter((secret) => dump.includes(secret));
  }
  // The log is read first: a checkpoint moves data from the log to the database, never back.
  const read = (suffix: string) => readFile(`${location.path}${suffix}`).catch(() => '');
  const files = [await read('-wal'), await read('')];
  return secrets.filter((secret) => files.some((bytes) => bytes.includes(secret)));
}
