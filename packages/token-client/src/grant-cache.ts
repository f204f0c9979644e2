/**
 * Token sets in memory, so that calls need no query. An entry is dropped when the store announces that the
 * installation's tokens or its life have changed, in any process. Nothing else checks it: only the lease of a
 * renewal reads the newest version (docs/decisions/0031-heard-changes.md).
 */

import { LRUCache } from 'lru-cache';
import { grantNotFound } from './errors.ts';
import type { TokenPolicy } from './policy.ts';
import type { Grant, TokenStore } from './token-store.ts';

/** Counts the announced changes of an installation while its tokens are read or written. */
export interface ChangeCount {
  changes: number;
  stop(): void;
}

interface CacheState {
  readonly store: TokenStore;
  readonly stored: LRUCache<string, Grant>;
  /**
   * Token sets that are not in the store yet. None is dropped to make room: the stored one is older, and its refresh
   * token is spent. Each belongs to a write that is still tried.
   */
  readonly unsaved: Map<string, Grant>;
  readonly reads: Map<string, Promise<Grant>>;
  readonly counts: Map<string, Set<ChangeCount>>;
}

/**
 * Creates the cache of one client: at most `maxGrants` stored token sets, which the announced changes of the store
 * remove, and those that are not stored yet.
 */
export function createGrantCache(store: TokenStore, { maxGrants }: Pick<TokenPolicy, 'maxGrants'>) {
  const state: CacheState = {
    store,
    // `max` would reserve all space at once.
    stored: new LRUCache({ maxSize: maxGrants, sizeCalculation: () => 1 }),
    unsaved: new Map(),
    reads: new Map(),
    counts: new Map(),
  };
  store.onChange((installationId, ofTokens) => noteChange(state, installationId, ofTokens));

  return {
    put: (grant: Grant, isUnsaved = false) => put(state, grant, isUnsaved),

    /** For a token set that is written, because another change may be announced before the write is. */
    countChanges: (installationId: string) => countChanges(state, installationId),

    /** The token set in memory. */
    get: (installationId: string) => get(state, installationId),

    /** The same, without counting as use. */
    peek: (installationId: string) => peek(state, installationId),

    /**
     * The token set in memory, or the stored one.
     *
     * @throws TokenClientError `GRANT_NOT_FOUND`; errors of the store.
     */
    read: async (installationId: string) =>
      get(state, installationId) ?? load(state, installationId),

    /** The stored token set, for callers that know of a change. Throws like `read`. */
    reload(installationId: string): Promise<Grant> {
      forget(state, installationId);
      return load(state, installationId);
    },

    /** Checks whether the installation of an unsaved token set was paused since its lease, or its life has ended. */
    recheckUnsaved: (installationId: string) => recheckUnsaved(state, installationId),

    /** Called when an unsaved token set was stored, or never will be. From then on the stored token set is used. */
    settle: (installationId: string) => void state.unsaved.delete(installationId),

    unsavedCount: () => state.unsaved.size,
  };
}

export type GrantCache = ReturnType<typeof createGrantCache>;

function get({ unsaved, stored }: CacheState, installationId: string): Grant | undefined {
  return unsaved.get(installationId) ?? stored.get(installationId);
}

function peek({ unsaved, stored }: CacheState, installationId: string): Grant | undefined {
  return unsaved.get(installationId) ?? stored.peek(installationId);
}

/** @param installationId null: changes were missed, so each installation may have changed. */
function noteChange(state: CacheState, installationId: string | null, ofTokens: boolean): void {
  if (!ofTokens) return;
  const { stored, counts } = state;
  if (installationId !== null) forget(state, installationId);
  else for (const each of [...stored.keys(), ...counts.keys()]) forget(state, each);
}

/** An uninstall leaves no secret in memory. */
function forget({ stored, counts }: CacheState, installationId: string): void {
  for (const count of counts.get(installationId) ?? []) count.changes += 1;
  stored.delete(installationId);
}

function countChanges({ counts }: CacheState, installationId: string): ChangeCount {
  const all = counts.get(installationId) ?? new Set();
  const count = {
    changes: 0,
    stop() {
      all.delete(count);
      if (all.size === 0) counts.delete(installationId);
    },
  };
  counts.set(installationId, all.add(count));
  return count;
}

function put(state: CacheState, grant: Grant, isUnsaved = false): Grant {
  const { stored, unsaved } = state;
  const { installationId } = grant;
  const known = peek(state, installationId);
  if (known && known.tokenVersion > grant.tokenVersion) return known;
  const [to, from] = isUnsaved ? [unsaved, stored] : [stored, unsaved];
  from.delete(installationId);
  to.set(installationId, grant);
  return grant;
}

/** If the store does not answer, nothing changes. */
async function recheckUnsaved(state: CacheState, installationId: string): Promise<void> {
  const { store, unsaved } = state;
  const find = () => store.grants.findVersion(installationId);
  const apply = (stored: Awaited<ReturnType<typeof find>>) => {
    const grant = unsaved.get(installationId);
    if (!grant) return;
    if (stored?.generation !== grant.generation) unsaved.delete(installationId);
    else unsaved.set(installationId, { ...grant, isPaused: stored.isPaused });
  };
  // The failed write reports why the store fails.
  await readCurrent(state, installationId, find, apply).catch(() => {});
}

/** Concurrent readers share one query. */
function load(state: CacheState, installationId: string): Promise<Grant> {
  const { reads } = state;
  const running = reads.get(installationId);
  if (running) return running;
  const reading = readStore(state, installationId).finally(() => reads.delete(installationId));
  reads.set(installationId, reading);
  return reading;
}

function readStore(state: CacheState, installationId: string): Promise<Grant> {
  const { store } = state;
  const find = () => store.grants.load(installationId);
  return readCurrent(state, installationId, find, (grant) => {
    const known = grant ? put(state, grant) : peek(state, installationId);
    if (known) return known;
    throw grantNotFound();
  });
}

/**
 * Reads again if a change was announced meanwhile, because the query may have missed it. `apply` runs in the same
 * turn as the last look at the changes.
 */
async function readCurrent<Read, Result>(
  state: CacheState,
  installationId: string,
  read: () => Promise<Read>,
  apply: (read: Read) => Result,
): Promise<Result> {
  const count = countChanges(state, installationId);
  try {
    for (;;) {
      count.changes = 0;
      const current = await read();
      if (count.changes === 0) return apply(current);
    }
  } finally {
    count.stop();
  }
}
