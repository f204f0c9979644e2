/**
 * Token sets in memory, so that a call need not ask the store. What another process stores is noticed
 * by its announcement, by a look at the version each `recheckMs`, or by the 401 of a token it voided.
 */
import type { Grant, Store } from '@dowel/installation-store';
import { LRUCache } from 'lru-cache';
import { grantNotFound } from './errors.ts';
import type { TokenPolicy } from './policy.ts';
import type { Timer } from './timer.ts';

interface Entry {
  grant: Grant;
  checkedAt: number;
  /** Not in the store yet: what the store says is older. */
  isUnsaved: boolean;
}

export function createGrantCache(
  store: Store,
  timer: Timer,
  { maxGrants, recheckMs }: Pick<TokenPolicy, 'maxGrants' | 'recheckMs'>,
) {
  const entries = new LRUCache<string, Entry>({ max: maxGrants });
  const reads = new Map<string, Promise<Grant>>();

  store.onChange((installationId) => {
    const entry = entries.peek(installationId);
    if (entry) entry.checkedAt = Number.NEGATIVE_INFINITY;
    // An uninstall leaves no secret in memory.
    const isLooking = reads.has(installationId);
    if (isLooking || (entry && !entry.isUnsaved)) reload(installationId).catch(() => {});
  });

  function put(grant: Grant, isUnsaved = false): Grant {
    const known = entries.peek(grant.installationId);
    if (known && known.grant.tokenVersion > grant.tokenVersion) return known.grant;
    entries.set(grant.installationId, { grant, checkedAt: timer.monotonic(), isUnsaved });
    return grant;
  }

  async function readStore(installationId: string): Promise<Grant> {
    const version = await store.grants.findVersion(installationId);
    const entry = entries.peek(installationId);
    if (entry && (entry.isUnsaved || entry.grant.tokenVersion === version?.tokenVersion)) {
      entry.checkedAt = timer.monotonic();
      return entry.grant;
    }
    const grant = version && (await store.grants.load(installationId));
    if (grant) return put(grant);
    entries.delete(installationId);
    throw grantNotFound();
  }

  /** What the store holds now; concurrent readers share one look. */
  function read(installationId: string): Promise<Grant> {
    const running = reads.get(installationId);
    if (running) return running;
    const reading = readStore(installationId).finally(() => reads.delete(installationId));
    reads.set(installationId, reading);
    return reading;
  }

  /** Starts a new look at the store: one that is under way may have missed the latest change. */
  function reload(installationId: string): Promise<Grant> {
    const again = () => read(installationId);
    const running = reads.get(installationId);
    return running ? running.then(again, again) : again();
  }

  return {
    put,

    /** What is in memory and was looked at lately. */
    recent(installationId: string): Grant | undefined {
      const entry = entries.get(installationId);
      return entry && timer.monotonic() - entry.checkedAt < recheckMs ? entry.grant : undefined;
    },

    /** What is in memory, however old. */
    peek: (installationId: string) => entries.peek(installationId)?.grant,

    /** @throws TokenClientError `GRANT_NOT_FOUND`; whatever the store throws. */
    read,

    /** For callers that know of a change. Throws as `read`. */
    reload,

    /** The token set of this version is in the store, or is not to be. */
    settle(installationId: string, isStored: boolean): void {
      const entry = entries.peek(installationId);
      if (isStored && entry) entry.isUnsaved = false;
      else entries.delete(installationId);
    },
  };
}

export type GrantCache = ReturnType<typeof createGrantCache>;
