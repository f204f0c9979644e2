/** One renewal per installation in this process, however many calls need it (fault R4). */

import type { Renewal, TokenContext } from './context.ts';
import { isDamaged, mayPassSoon } from './errors.ts';
import { recover } from './recovery.ts';
import { type RenewalCause, renewGrant } from './renewal.ts';
import type { Grant, GrantVersion } from './token-store.ts';

/** The one renewal of an installation that runs in this process. */
export interface Flight {
  renewal: Promise<Renewal>;
  /** A point in time of the timer, in milliseconds. */
  startedAt: number;
  /** Why it began. */
  cause: RenewalCause;
  /** The platform has refused the token that is being renewed, so no call may use it. */
  isRefused: boolean;
}

/** Joins the renewal that runs, takes a newer token set from memory, or starts a renewal. */
export function renew(
  context: TokenContext,
  used: Grant,
  cause: RenewalCause,
  { isSecond = false } = {},
): Promise<Renewal> {
  const { flights, cache } = context;
  const { installationId, tokenVersion } = used;
  const running = flights.get(installationId);
  if (running) return join(context, running, { used, cause, isSecond });
  const known = cache.peek(installationId);
  if (known && known.tokenVersion > tokenVersion) {
    return Promise.resolve({ grant: known, isFound: true });
  }
  return startRenewal(context, used, { cause, work: renewGrant(context, used, cause) });
}

function join(
  context: TokenContext,
  running: Flight,
  { used, cause, isSecond }: { used: Grant; cause: RenewalCause; isSecond: boolean },
): Promise<Renewal> {
  const renewAgain = () => renew(context, used, cause);
  if (cause === 'refused') running.isRefused = true;
  return running.renewal.then(
    // The renewal may have begun for an older token set, and may end with the one that was refused.
    (renewal) => (renewal.grant.tokenVersion > used.tokenVersion ? renewal : renewAgain()),
    (error: unknown) => {
      // The renewal began before the platform refused the token. A new one can do more, such as a trigger.
      if (cause === 'refused' && running.cause === 'expiring') return renewAgain();
      // It waited for the database longer than this call has. Once, because nobody may wait for the next one.
      if (mayPassSoon(error) && !isSecond) return renew(context, used, cause, { isSecond: true });
      throw error;
    },
  );
}

/** A damaged secret fails only the calls of its own installation, and a new event replaces it. */
function startRenewal(
  context: TokenContext,
  version: GrantVersion,
  { cause, work }: { cause: RenewalCause; work: Promise<Renewal> },
): Promise<Renewal> {
  const { flights, policy, timer } = context;
  const { installationId } = version;
  const renewal = work
    .catch((error: unknown) => {
      if (!isDamaged(error)) throw error;
      return recover(context, version, { reason: 'secret_integrity', waitMs: policy.waitMs });
    })
    .finally(() => flights.delete(installationId));
  const startedAt = timer.monotonic();
  flights.set(installationId, { renewal, startedAt, cause, isRefused: cause === 'refused' });
  return renewal;
}

/** The stored token set does not decrypt: waits for the renewal that replaces it, or starts one. */
export function healDamaged(
  context: TokenContext,
  version: GrantVersion,
  error: unknown,
): Promise<Renewal> {
  const running = context.flights.get(version.installationId);
  if (running) return running.renewal;
  return startRenewal(context, version, { cause: 'refused', work: Promise.reject(error) });
}
