/** A platform, a database, and the test's own process as its client. */
import type { TokenPolicy } from '../policy.ts';
import { createTokenClient, type TokenClientOptions } from '../token-client.ts';
import type { AuthorizationServerFactory } from './authorization-server.ts';
import { createMemoryDatabase, type MemoryDatabase } from './memory-database.ts';
import { startPlatform } from './platform.ts';
import type { PlatformInstallation } from './platform-installation.ts';
import { type ReceivingStore, receiveEvent } from './receive-event.ts';
import { Tally } from './tally.ts';

export interface WorldDatabase {
  open(): Promise<ReceivingStore>;
  destroy(): Promise<void>;
}

export interface WorldOptions<Database extends WorldDatabase = WorldDatabase> {
  createServer: AuthorizationServerFactory;
  /** Default: in memory. */
  database?: { create(): Promise<Database> };
  policy?: Partial<TokenPolicy>;
}

/** `exchangeFaults`: the faults of the event's exchange. */
type InstallOptions = Partial<
  Pick<PlatformInstallation, 'rotates' | 'exchangeFaults' | 'hasTrigger'>
>;

/** An installation that the platform and the store know. */
export type InstalledPlugin = PlatformInstallation & { id: string };

export type World<Database extends WorldDatabase = MemoryDatabase> = Awaited<
  ReturnType<typeof createWorld<Database>>
>;

export async function createWorld<Database extends WorldDatabase = MemoryDatabase>(
  options: WorldOptions<Database>,
) {
  const { createServer, policy = {} } = options;
  const kind = options.database ?? { create: () => createMemoryDatabase() };
  const database = (await kind.create()) as Database;
  const store = (await database.open()) as Awaited<ReturnType<Database['open']>>;
  const platform = await startPlatform(createServer);
  const internalOrigins = [platform.origin];
  const client = createTokenClient({ store, policy, internalOrigins });
  platform.onEvent((event) => receiveEvent(store, client, event));

  return {
    database,
    store,
    platform,
    client,

    createClient: (options: Partial<TokenClientOptions> = {}) =>
      createTokenClient({ store, policy, internalOrigins, ...options }),

    async tokenVersion(installationId: string): Promise<number | undefined> {
      return (await store.grants.findVersion(installationId))?.tokenVersion;
    },

    /** Installs by an event, like the platform. The counters start after that. */
    async install({ rotates = true, ...changes }: InstallOptions = {}): Promise<InstalledPlugin> {
      const installation = await platform.addInstallation({ rotates });
      Object.assign(installation, changes);
      const { baseUrl: issuer, tenantId, pluginId } = installation;
      const { id } = await store.installations.begin({ issuer, tenantId, pluginId }, 1, Date.now());
      await platform.sendEvent(installation);
      installation.tally = new Tally();
      return Object.assign(installation, { id });
    },

    async close(): Promise<void> {
      await platform.close();
      await client.drain();
      await database.destroy();
    },
  };
}
