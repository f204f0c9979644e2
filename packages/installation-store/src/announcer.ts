/**
 * Announces to the listeners of one store its own changes, and those that it reads of other stores
 * (docs/decisions/0031).
 */
import { randomUUID } from 'node:crypto';
import type { LossListener, StoreListener } from '@dowel/token-client';
import type { Change, ChangeListener } from './sql/database.ts';

/** Passes the changes of this store, and those from the change log, to the listeners. */
export function createAnnouncer() {
  const listeners = new Set<StoreListener>();
  const lossListeners = new Set<LossListener>();
  let origin = randomUUID();
  let gaps = 0;

  function announce(changes: readonly Change[]): void {
    for (const { installationId, ofTokens } of changes) {
      callAll(listeners, installationId, ofTokens);
    }
  }

  const heard: Pick<ChangeListener, 'onChange' | 'onGap' | 'isHeard'> = {
    onChange(change, from) {
      if (from !== origin) announce([change]);
    },
    onGap() {
      gaps += 1;
      callAll(listeners, null, true);
    },
    isHeard: () => listeners.size > 0,
  };

  return {
    heard,
    announce,

    /**
     * The commit failed, or its acknowledgement was lost. With a new name, this store also reads the change
     * from the log, if it was committed after all.
     */
    announceUncertain(changes: readonly Change[]): void {
      origin = randomUUID();
      announce(changes);
    },

    /** The name of this store in the change log. */
    origin: () => origin,

    /** How often changes may have been missed. */
    gaps: () => gaps,

    add(listener: StoreListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    addOfLoss(listener: LossListener): () => void {
      lossListeners.add(listener);
      return () => lossListeners.delete(listener);
    },

    /** @returns of how many installations the listeners have written tokens again. */
    callLossListeners: (installationIds: readonly string[]) =>
      restore(lossListeners, installationIds),
  };
}

/** Calls the listeners at once. Their errors and rejections are ignored: the change is already committed. */
function callAll(listeners: Iterable<StoreListener>, ...heard: Parameters<StoreListener>): void {
  for (const listener of listeners) void (async () => listener(...heard))().catch(() => {});
}

async function restore(
  listeners: Iterable<LossListener>,
  installationIds: readonly string[],
): Promise<number> {
  let restored = 0;
  for (const listener of listeners) restored += await listener(installationIds);
  return restored;
}

export type Announcer = ReturnType<typeof createAnnouncer>;

/** The changes of one transaction, one per installation. */
export function createChangeSet() {
  const changes = new Map<string, Change>();
  return {
    add({ installationId, ofTokens }: Change): void {
      const isOfTokens = ofTokens || changes.get(installationId)?.ofTokens === true;
      changes.set(installationId, { installationId, ofTokens: isOfTokens });
    },
    clear: () => changes.clear(),
    list: () => [...changes.values()],
  };
}
