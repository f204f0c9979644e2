/**
 * Token sets in memory, so that most calls need no query. Tokens that another process stores are noticed by
 * its announcement, by a check of the version each `recheckMs`, or by the 401 of the revoked token.
 */
import type { Timer } from '@dowel/http';
import type { Grant, Store } from '@dowel/installation-store';
import { LRUCache } from 'lru-cache';
import { grantNotFound } from './errors.ts';
import type { TokenPolicy } from './policy.ts';

interface Entry {
  grant: Grant;
  checkedAt: number;
  /** Not in the store yet, so the stored token set is older. */
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

  /** Reads the stored token set. Concurrent readers share one query. */
  function read(installationId: string): Promise<Grant> {
    const running = reads.get(installationId);
    if (running) return running;
    const reading = readStore(installationId).finally(() => reads.delete(installationId));
    reads.set(installationId, reading);
    return reading;
  }

  /** Reads the store again, because a query in progress may have missed the latest change. */
  function reload(installationId: string): Promise<Grant> {
    const again = () => read(installationId);
    const running = reads.get(installationId);
    return running ? running.then(again, again) : again();
  }

  return {
    put,

    /** The token set in memory, if it was checked recently. */
    recent(installationId: string): Grant | undefined {
      const entry = entries.get(installationId);
      return entry && timer.monotonic() - entry.checkedAt < recheckMs ? entry.grant : undefined;
    },

    /** The token set in memory, of any age. */
    peek: (installationId: string) => entries.peek(installationId)?.grant,

    /** @throws TokenClientError `GRANT_NOT_FOUND`; errors of the store. */
    read,

    /** For callers that know of a change. Throws like `read`. */
    reload,

    /** Called when an unsaved token set was stored, or never will be. */
    settle(installationId: string, isStored: boolean): void {
      const entry = entries.peek(installationId);
      if (isStored && entry) entry.isUnsaved = false;
      else entries.delete(installationId);
    },
  };
}

export type GrantCache = ReturnType<typeof createGrantCache>;
