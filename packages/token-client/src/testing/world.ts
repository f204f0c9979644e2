/** A platform, a database, and one or several processes that share it. */
import { type TestDatabaseKind, testDatabases } from '@dowel/installation-store/testing';
import type { AccessTokenEventPayload } from '@dowel/schema';
import type { TokenPolicy } from '../policy.ts';
import { createTokenClient, type TokenClientOptions } from '../token-client.ts';
import type { AuthorizationServerFactory } from './authorization-server.ts';
import { addOutcomes, type CallPlan, makeCalls, type Outcomes } from './make-calls.ts';
import { startPlatform } from './platform.ts';
import type { PlatformInstallation } from './platform-installation.ts';
import { receiveEvent } from './receive-event.ts';
import { Tally } from './tally.ts';
import { startWorker, type TestWorker } from './worker-pool.ts';

const sqlite = testDatabases[0] as TestDatabaseKind;

export interface WorldOptions {
  createServer: AuthorizationServerFactory;
  /** Default SQLite. */
  database?: TestDatabaseKind;
  /** One is the test's own process; more are children. Default 1. */
  processes?: number;
  policy?: Partial<TokenPolicy>;
}

/** `exchangeFaults`: what the event's exchange meets. */
export type InstallOptions = Partial<
  Pick<PlatformInstallation, 'rotates' | 'exchangeFaults' | 'hasTrigger'>
>;

/** Known to both sides: to the platform, and by this id to the store. */
export type InstalledPlugin = PlatformInstallation & { id: string };

export type World = Awaited<ReturnType<typeof createWorld>>;

export async function createWorld(options: WorldOptions) {
  const { createServer, database = sqlite, processes = 1, policy = {} } = options;
  const testDatabase = await database.create();
  const store = await testDatabase.open();
  const { location, encryptionKey } = testDatabase;
  const platform = await startPlatform(createServer);
  const internalOrigins = [platform.origin];
  const setup = {
    database: { location, key: Buffer.from(encryptionKey).toString('base64') },
    policy,
    internalOrigins,
  };
  const client = createTokenClient({ store, policy, internalOrigins });
  const workers =
    processes === 1 ? [] : Array.from({ length: processes }, () => startWorker(setup));
  await Promise.all(workers.map(({ started }) => started));
  const added: TestWorker[] = [];
  platform.onEvent(receive);
  let received = 0;

  /** By any process that runs, in turn. */
  async function receive(event: AccessTokenEventPayload): Promise<void> {
    const running = workers.filter(({ isRunning }) => isRunning);
    received += 1;
    const worker = running[received % running.length];
    await (worker ? worker.receive(event) : receiveEvent(store, client, event));
  }

  return {
    store,
    platform,
    client,
    workers,

    createClient: (options: Partial<TokenClientOptions> = {}) =>
      createTokenClient({ store, policy, internalOrigins, ...options }),

    /** One process more, which takes no part in what all do. */
    async addWorker(): Promise<TestWorker> {
      const worker = startWorker(setup);
      added.push(worker);
      await worker.started;
      return worker;
    },

    async tokenVersion(installationId: string): Promise<number | undefined> {
      return (await store.grants.findVersion(installationId))?.tokenVersion;
    },

    /** Installs as the platform does, by an event; the counting starts after it. */
    async install({ rotates = true, ...changes }: InstallOptions = {}): Promise<InstalledPlugin> {
      const installation = await platform.addInstallation({ rotates });
      Object.assign(installation, changes);
      const { baseUrl: issuer, tenantId, pluginId } = installation;
      const { id } = await store.installations.begin({ issuer, tenantId, pluginId }, 1, Date.now());
      await platform.sendEvent(installation);
      installation.tally = new Tally();
      return Object.assign(installation, { id });
    },

    /** The same number of calls in each process. */
    async callAll(plan: CallPlan): Promise<Outcomes> {
      const callers = workers.length === 0 ? [client] : workers;
      return addOutcomes(
        await Promise.all(
          callers.map((caller) =>
            'calls' in caller ? caller.calls(plan) : makeCalls(caller, plan),
          ),
        ),
      );
    },

    async close(): Promise<void> {
      await platform.close();
      await Promise.all([...workers, ...added].map((worker) => worker.end()));
      await client.drain();
      await testDatabase.destroy();
    },
  };
}
