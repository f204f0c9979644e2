/**
 * Sessions of pages in memory, as current as the database. Before one is used, the change log says whether its
 * installation was changed. That costs less than the query, and one look counts for all calls of a turn of the event
 * loop (docs/decisions/0023-placed-instances.md).
 */
import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';
import type { FoundPluginSession, SessionStore } from '../session-store.ts';
import type { Engine } from '../sql/database.ts';

type Find = SessionStore['findPluginSession'];

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
  /** The turn of the last look. */
  let turn: number | undefined;
  let isUpToDate = false;

  function forget(installationId: string | null): void {
    forgotten += 1;
    memory.forget(installationId);
  }

  /** Looks once in each turn. False: the log could not be read, or has more than a look reads. */
  function hasCaughtUp(): boolean {
    // A turn begins when the loop asks for I/O. Before it, no request can follow from another process's commit.
    const { loopCount } = performance.nodeTiming.uvMetricsInfo;
    if (loopCount === turn) return isUpToDate;
    turn = loopCount;
    isUpToDate = false;
    try {
      isUpToDate = look();
    } catch {
      // The query asks the same database.
    }
    return isUpToDate;
  }

  return {
    async find(tokenHash, now) {
      const known = hasCaughtUp() ? memory.recall(tokenHash) : undefined;
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
