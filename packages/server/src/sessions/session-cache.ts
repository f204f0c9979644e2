/**
 * Sessions in memory for a second at most, so that the calls of a page in a row ask the database once. A change of the
 * installation that this process hears of makes it ask again at once (docs/decisions/0031-heard-changes.md).
 */
import type { FoundPluginSession, Store } from '@dowel/installation-store';
import { LRUCache } from 'lru-cache';

/** The session of a token's hash. Undefined: there is none. @throws errors of the store */
export type FindSession = (
  tokenHash: string,
  now: number,
) => Promise<FoundPluginSession | undefined>;

interface Kept {
  session: FoundPluginSession;
  /** When it was asked for. */
  askedAt: number;
}

/** So long, a session may outlive its end in another process whose changes are not heard. */
const maxAgeMs = 1_000;
const maxSessions = 10_000;
const maxInstallations = 100_000;

/** Create it before anything else that listens to the store: whoever hears of a change may ask for a session. */
export function createSessionCache(store: Pick<Store, 'sessions' | 'onChange'>): FindSession {
  const kept = new LRUCache<string, Kept>({ max: maxSessions });
  const changedAt = new LRUCache<string, number>({ max: maxInstallations });
  /** Then changes of any installation may have been missed. */
  let gapAt = Number.NEGATIVE_INFINITY;
  store.onChange((installationId) => {
    if (installationId === null) gapAt = performance.now();
    else changedAt.set(installationId, performance.now());
  });

  const isCurrent = ({ session, askedAt }: Kept) =>
    askedAt > performance.now() - maxAgeMs &&
    askedAt > Math.max(gapAt, changedAt.get(session.installationId) ?? gapAt);

  return async (tokenHash, now) => {
    const known = kept.get(tokenHash);
    if (known && isCurrent(known) && known.session.expiresAt > now) return known.session;
    const askedAt = performance.now();
    const session = await store.sessions.findPluginSession(tokenHash, now);
    if (session) kept.set(tokenHash, { session, askedAt });
    return session;
  };
}
