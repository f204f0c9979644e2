/**
 * Sessions of pages in memory. A session that was found is remembered until its end, or until a change of its installation
 * is heard, which takes a second at most (docs/decisions/0023-placed-instances.md). If no changes can be heard, because the
 * database is away, it is used for a while all the same.
 */
import { LRUCache } from 'lru-cache';
import type { createSessionStore, FoundPluginSession } from './session-store.ts';

type Find = ReturnType<typeof createSessionStore>['findPluginSession'];

/** A session takes about 0.8 KB, and the claims of its page. */
const maxSessions = 10_000;
const maxClaimCharacters = 10_000_000;

/** Shared by the known sessions of an installation, so that one change ends all of them. */
interface Mark {
  isChanged: boolean;
}

interface Known {
  session: FoundPluginSession;
  mark: Mark;
}

export interface KnownSessions {
  find: Find;
  /** To be called with each announced change, before other listeners are called. Null: of any installation. */
  forget(installationId: string | null): void;
}

/**
 * @param query finds a session in the database
 * @param isHeard whether changes are heard, or the database has been away for so short a time that this does not matter
 */
export function rememberSessions(query: Find, isHeard: () => boolean): KnownSessions {
  const memory = createMemory();
  let forgotten = 0;
  return {
    async find(tokenHash, now) {
      const known = isHeard() ? memory.recall(tokenHash, now) : undefined;
      if (known) return known;
      const forgottenBefore = forgotten;
      const session = await query(tokenHash, now);
      // Otherwise the change may have come after the query, and would not be announced again.
      if (session && forgotten === forgottenBefore) memory.keep(tokenHash, session);
      return session;
    },
    forget(installationId) {
      forgotten += 1;
      memory.forget(installationId);
    },
  };
}

function createMemory() {
  const sessions = new LRUCache<string, Known>({
    max: maxSessions,
    maxSize: maxClaimCharacters,
    sizeCalculation: ({ session }) => JSON.stringify(session.claims).length,
  });
  const marks = new LRUCache<string, Mark>({
    max: maxSessions,
    // Also when it makes room for another: no change could find it any more.
    dispose: (mark) => {
      mark.isChanged = true;
    },
  });
  return {
    recall(tokenHash: string, now: number): FoundPluginSession | undefined {
      const known = sessions.get(tokenHash);
      return known && !known.mark.isChanged && now < known.session.expiresAt
        ? known.session
        : undefined;
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
