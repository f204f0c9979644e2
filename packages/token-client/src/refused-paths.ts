/**
 * 401s that are not the token's fault. A platform that answers 401 for a missing right would otherwise use
 * up the installation's refreshes, and calls on other paths would find none left (fault H07).
 */

import { LRUCache } from 'lru-cache';
import { isReplaced, type TokenContext } from './context.ts';
import type { Grant } from './token-store.ts';
import { type CallLimits, waitForTokens } from './wait-for-tokens.ts';

/** An installation with a path that has refused a newly renewed token. */
export interface RefusedPaths {
  /** A point in time of the timer, in milliseconds. Until then a 401 can be the path's fault. */
  until: number;
  /** The newest token set that some path has accepted since then. */
  acceptedVersion: number;
  /** Paths that have accepted a token since then. Their 401s are the token's fault. */
  accepting: LRUCache<string, true>;
}

/** One call, and the token set it was sent with. */
interface Used {
  grant: Grant;
  path: string;
}

/** For each installation; the least recently used is dropped. */
const maxAcceptingPaths = 200;

/** The platform accepted the token. */
export function noteAccepted({ refusedPaths }: TokenContext, { grant, path }: Used): void {
  // Almost no installation has such a path, so a call costs nothing here.
  if (refusedPaths.size === 0) return;
  const known = refusedPaths.get(grant.installationId);
  if (!known) return;
  known.acceptedVersion = Math.max(known.acceptedVersion, grant.tokenVersion);
  known.accepting.set(withoutQuery(path), true);
}

/** The platform answered 401 to a token that was renewed for this call. */
export function noteRefused(
  { refusedPaths, timer, policy }: TokenContext,
  { grant: { installationId }, path }: Used,
): void {
  const accepting = new LRUCache<string, true>({ max: maxAcceptingPaths });
  const known = refusedPaths.get(installationId) ?? { until: 0, acceptedVersion: 0, accepting };
  known.until = timer.monotonic() + policy.refusedPathMs;
  known.accepting.delete(withoutQuery(path));
  refusedPaths.set(installationId, known);
}

/**
 * True if a 401 says nothing about the token: it is the newest one and not in doubt, another path has accepted
 * it, and no newer one helped recently.
 *
 * @throws what the store throws; TokenClientError or the signal's reason when the time of the call is over.
 */
export async function isPathRefused(
  context: TokenContext,
  limits: CallLimits,
  { grant, path }: Used,
): Promise<boolean> {
  const { refusedPaths, timer } = context;
  const known = refusedPaths.get(grant.installationId);
  if (!known || grant.isInDoubt || known.acceptedVersion !== grant.tokenVersion) return false;
  if (timer.monotonic() >= known.until || known.accepting.has(withoutQuery(path))) return false;
  return !(await waitForTokens(context, limits, () => isReplaced(context, grant)));
}

function withoutQuery(path: string): string {
  const queryAt = path.indexOf('?');
  return queryAt === -1 ? path : path.slice(0, queryAt);
}
