/**
 * Sessions of pages in memory, as current as the database. Before one is used, the change log says whether its
 * installation was changed. That costs less than the query, and one look counts for all calls of a turn of the event
 * loop (docs/decisions/0023-placed-instances.md).
 */
import { setImmediate } from 'node:timers';
import { LRUCache } from 'lru-cache';
import type { FoundPluginSession, SessionStore } from '../session-store.ts';
import type { Engine } from '../sql/database.ts';

type Find = SessionStore['findPluginSession'];

/** A session takes about 0.8 KB. */
const maxSessions = 10_000;

/** Shared by the known sessions of an installation. */
interface Mark {
  isChanged: boolean;
}

interface Known {
  session: FoundPluginSession;
  mark: Mark;
}

export interface KnownSessions {
  find: Find;
  /** To be called with each announced change, before others hear of it. Null: of any installation. */
  forget(installationId: string | null): void;
}

/** @param ask the query */
export function rememberSessions(
  ask: Find,
  followChanges: NonNullable<Engine['followChanges']>,
): KnownSessions {
  const memory = createMemory();
  const look = followChanges({
    onChange: ({ installationId }) => forget(installationId),
    onGap: () => forget(null),
  });
  let forgotten = 0;
  let hasLooked = false;

  function forget(installationId: string | null): void {
    forgotten += 1;
    memory.forget(installationId);
  }

  function isCurrent(): boolean {
    if (hasLooked) return true;
    try {
      hasLooked = look();
    } catch {
      // The query meets the same fault, and names it.
    }
    if (hasLooked) setImmediate(endTurn);
    return hasLooked;
  }

  function endTurn(): void {
    hasLooked = false;
  }

  return {
    async find(tokenHash, now) {
      const known = isCurrent() ? memory.recall(tokenHash) : undefined;
      if (known && now < known.expiresAt) return known;
      const forgottenBefore = forgotten;
      const session = await ask(tokenHash, now);
      // Otherwise the change may have come after the query, and would not be told again.
      if (session && forgotten === forgottenBefore) memory.keep(tokenHash, session);
      return session;
    },
    forget,
  };
}

function createMemory() {
  const sessions = new LRUCache<string, Known>({ max: maxSessions });
  const marks = new LRUCache<string, Mark>({
    max: maxSessions,
    dispose: (mark) => {
      mark.isChanged = true;
    },
  });
  return {
    recall(tokenHash: string): FoundPluginSession | undefined {
      const known = sessions.get(tokenHash);
      return known?.mark.isChanged ? undefined : known?.session;
    },

    keep(tokenHash: string, session: FoundPluginSession): void {
      const { installationId } = session;
      const mark = marks.get(installationId) ?? { isChanged: false };
      marks.set(installationId, mark);
      sessions.set(tokenHash, { session, mark });
    },

    forget(installationId: string | null): void {
      if (installationId === null) marks.clear();
      else marks.delete(installationId);
    },
  };
}
