/** A token store in the memory of one process, complete: leases, compare-and-swap, triggers and changes. */
import { createMemoryGrants } from './memory-grants.ts';
import {
  beginLife,
  describeLife,
  endLife,
  findLife,
  type LifeKey,
  setPause,
} from './memory-lives.ts';
import { createMemoryRenewals } from './memory-renewals.ts';
import { createRows, type Rows } from './memory-rows.ts';
import type { InstallationLife, TokenStore, TokenStores } from './token-store.ts';

/** The parts of a memory store. Their names are those of `@dowel/installation-store`. */
export interface MemoryStores extends TokenStores {
  installations: {
    /** Begins the first or the next life. `iat` of the event that does, in seconds. */
    begin(key: LifeKey, iat: number): Promise<InstallationLife>;
    find(key: LifeKey): Promise<InstallationLife | undefined>;
    get(id: string): Promise<InstallationLife | undefined>;
    /** Ends the life that existed at `iat`, and forgets its secrets at once. A few words of each installation stay. */
    uninstall(key: LifeKey, iat: number): Promise<InstallationLife>;
  };
  operators: {
    /** From now on its tokens are not used. False: it is paused already, or not installed. */
    pause(id: string): Promise<boolean>;
    /** False: it is not paused. */
    resume(id: string): Promise<boolean>;
  };
}

export type MemoryStore = TokenStore<MemoryStores>;

/**
 * Creates an empty store. It serves the token clients of one process, and ends with it: after that each installation needs
 * a new access_token event.
 *
 * @param options.now epoch milliseconds. Default `Date.now`.
 *
 * @example
 * const store = createMemoryStore();
 * const installation = await store.installations.begin({ issuer, tenantId, pluginId }, iat);
 * const tokenClient = createTokenClient({ store });
 */
export function createMemoryStore({ now = Date.now }: { now?: () => number } = {}): MemoryStore {
  const { committed, transaction, onChange } = createRows(now);
  const reading = bindStores(committed);
  const alone = bindAlone(reading, (work) => transaction((rows) => work(bindStores(rows))));
  const { load, findVersion } = reading.grants;
  const { loadTrigger } = reading.renewals;
  const { find, get } = reading.installations;
  return {
    grants: { ...alone.grants, load, findVersion },
    renewals: { ...alone.renewals, loadTrigger },
    installations: { ...alone.installations, find, get },
    operators: alone.operators,
    transaction: (work) => transaction((rows) => work(bindStores(rows))),
    onChange,
  };
}

function bindStores(rows: Rows): MemoryStores {
  return {
    grants: createMemoryGrants(rows),
    renewals: createMemoryRenewals(rows),
    installations: {
      begin: async (key, iat) => beginLife(rows, key, iat),
      find: async (key) => describeLife(findLife(rows, key)),
      get: async (id) => describeLife(rows.get(id)),
      uninstall: async (key, iat) => endLife(rows, key, iat),
    },
    operators: {
      pause: async (id) => setPause(rows, id, true),
      resume: async (id) => setPause(rows, id, false),
    },
  };
}

type Transact = (work: (stores: MemoryStores) => Promise<unknown>) => Promise<unknown>;
type Methods = Record<string, (...parameters: unknown[]) => Promise<unknown>>;

/** Each method of `named` in a transaction of its own. */
function bindAlone(named: MemoryStores, transact: Transact): MemoryStores {
  const parts = Object.entries(named).map(([part, methods]) => {
    const methodOf = (stores: MemoryStores) => stores[part as keyof MemoryStores] as Methods;
    const alone = Object.keys(methods).map((name) => {
      const run: Methods[string] = (...parameters) =>
        transact(async (stores) => methodOf(stores)[name]?.(...parameters));
      return [name, run];
    });
    return [part, Object.fromEntries(alone)];
  });
  return Object.fromEntries(parts) as MemoryStores;
}
