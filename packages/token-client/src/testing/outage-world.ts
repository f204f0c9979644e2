/** For tests only: a platform, and a store whose database can be unavailable. */
import { createTokenClient, type TokenClient, type TokenClientOptions } from '../token-client.ts';
import {
  createMemoryDatabase,
  type RecordedStore,
  type RecordedStores,
  unavailable,
} from './memory-database.ts';
import { startPlatform } from './platform.ts';
import type { PlatformInstallation } from './platform-installation.ts';
import { receiveEvent } from './receive-event.ts';
import { createStrictAuthorizationServer } from './strict-authorization-server.ts';
import { Tally } from './tally.ts';
import type { InstalledPlugin } from './world.ts';

export type OutageWorld = Awaited<ReturnType<typeof startOutageWorld>>;

/** The process that receives the platform's events. */
export interface EventReceiver {
  store: RecordedStore;
  client: TokenClient;
}

export interface OutageOptions {
  /** The store's clock, in epoch milliseconds. Default: the real one. */
  now?: () => number;
  /** Read for each event. Default: the world's store and a client of it. */
  receiver?: () => EventReceiver;
}

export async function startOutageWorld({ now = Date.now, receiver }: OutageOptions = {}) {
  const { store, operationsOf } = await createMemoryDatabase(now);
  const platform = await startPlatform(createStrictAuthorizationServer);
  const createClient = (options: Partial<TokenClientOptions> = {}) =>
    createTokenClient({ store, internalOrigins: [platform.origin], ...options });
  const own: EventReceiver = { store, client: createClient() };
  platform.onEvent((event) => {
    const chosen = receiver?.() ?? own;
    return receiveEvent(chosen.store, chosen.client, event);
  });

  async function begin(installation: PlatformInstallation) {
    const { baseUrl: issuer, tenantId, pluginId } = installation;
    return store.installations.begin({ issuer, tenantId, pluginId }, 1);
  }

  async function install(): Promise<InstalledPlugin> {
    const installation = await platform.addInstallation();
    const { id } = await begin(installation);
    await platform.sendEvent(installation);
    installation.tally = new Tally();
    return Object.assign(installation, { id });
  }

  return {
    store,
    operationsOf,
    platform,
    createClient,
    begin,
    install,

    /** An installation whose access token the platform refuses. */
    async expired(): Promise<InstalledPlugin> {
      const installation = await install();
      await platform.revokeAccessTokens(installation);
      return installation;
    },

    async close(): Promise<void> {
      await platform.close();
    },
  };
}

/** A store whose database becomes unavailable and returns. */
export function createWeakStore(store: RecordedStore) {
  const weakness = { isAway: false };
  const refuse = () => Promise.reject(unavailable());
  const guard = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const method = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...parameters: unknown[]) =>
          weakness.isAway ? refuse() : Reflect.apply(method, target, parameters);
      },
    });
  const weak: RecordedStore = {
    ...store,
    grants: guard(store.grants),
    renewals: guard(store.renewals),
    installations: guard(store.installations),
    events: guard(store.events),
    transaction: (work: (stores: RecordedStores) => Promise<never>) =>
      weakness.isAway ? refuse() : store.transaction(work),
  };
  return { weakness, store: weak };
}
