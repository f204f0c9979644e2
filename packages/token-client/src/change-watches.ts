/**
 * Waits that end when an installation changes. Thousands of renewals may wait at one time, so all of them share
 * one listener of the store and one of the client's end: a change wakes only those that wait for it.
 */
import type { TokenStore } from './token-store.ts';

/** What wakes each wait, by installation. */
export type ChangeWatches = Map<string, Set<() => void>>;

export interface ChangeWatch {
  /** Aborted when the installation was changed, or the client is closed. */
  signal: AbortSignal;
  stop(): void;
}

/**
 * Creates the watches of one client. They are woken by each change that the store announces, and all together
 * by a change without an id or by `closing`.
 */
export function createChangeWatches(
  store: Pick<TokenStore, 'onChange'>,
  closing: AbortSignal,
): ChangeWatches {
  const watches: ChangeWatches = new Map();
  const wakeAll = () => {
    for (const id of watches.keys()) wake(watches, id);
  };
  store.onChange((id) => (id === null ? wakeAll() : wake(watches, id)));
  closing.addEventListener('abort', wakeAll);
  return watches;
}

function wake(watches: ChangeWatches, installationId: string): void {
  for (const wakeOne of watches.get(installationId) ?? []) wakeOne();
}

/** Notices the changes of an installation from now on, so that none is missed between a query and a wait. */
export function watchChanges(
  { watches }: { watches: ChangeWatches },
  installationId: string,
): ChangeWatch {
  const waking = new AbortController();
  const wakeOne = () => waking.abort();
  const own = watches.get(installationId) ?? new Set();
  watches.set(installationId, own.add(wakeOne));
  return {
    signal: waking.signal,
    stop() {
      own.delete(wakeOne);
      if (own.size === 0 && watches.get(installationId) === own) watches.delete(installationId);
    },
  };
}
