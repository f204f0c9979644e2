/**
 * Sessions of pages in memory. A session that was found is remembered until a change of its installation is heard, for at
 * most a minute (docs/decisions/0023-placed-instances.md). Every process hears of a change within a second.
 */
import { LRUCache } from 'lru-cache';
import type { createSessionStore, FoundPluginSession } from './session-store.ts';

type Find = ReturnType<typeof createSessionStore>['findPluginSession'];

const rememberedMs = 60_000;
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
  /** Epoch milliseconds. */
  until: number;
}

export interface KnownSessions {
  find: Find;
  /** To be called with each announced change, before other listeners are called. Null: of any installation. */
  forget(installationId: string | null): void;
}

/** @param query finds a session in the database */
export function rememberSessions(query: Find): KnownSessions {
  const memory = createMemory();
  let forgotten = 0;
  return {
    async find(tokenHash, now) {
      const known = memory.recall(tokenHash, now);
      if (known) return known;
      const forgottenBefore = forgotten;
      const session = await query(tokenHash, now);
      // Otherwise the change may have come after the query, and would not be announced again.
      if (session && forgotten === forgottenBefore) memory.keep(tokenHash, session, now);
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
      return known && !known.mark.isChanged && now < known.until ? known.session : undefined;
    },

    keep(tokenHash: string, session: FoundPluginSession, now: number): void {
      const { installationId, expiresAt } = session;
      const mark = marks.get(installationId) ?? { isChanged: false };
      marks.set(installationId, mark);
      const until = Math.min(expiresAt, now + rememberedMs);
      sessions.set(tokenHash, { session, mark, until });
    },

    forget(installationId: string | null): void {
      if (installationId === null) marks.clear();
      else marks.delete(installationId);
    },
  };
}
