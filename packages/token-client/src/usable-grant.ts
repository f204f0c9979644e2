/** Finds the token set for a call: the one in memory, the one in the store, or a renewed one. */
import { pause } from '@dowel/http';
import { renewsFrom } from '@dowel/schema';
import type { Renewal, TokenContext } from './context.ts';
import { installationPaused, isDamaged, mayPassSoon, TokenClientError } from './errors.ts';
import { diedOf } from './recovery.ts';
import { healDamaged, renew } from './single-flight.ts';
import type { Grant, GrantVersion } from './token-store.ts';

/** The token set in memory, if a call can use it without a query. */
export function warmGrant(context: TokenContext, installationId: string): Grant | undefined {
  const { flights, cache } = context;
  if (flights.size > 0 && flights.has(installationId)) return undefined;
  const grant = cache.get(installationId);
  return grant && !grant.isPaused && isFresh(context, grant) ? grant : undefined;
}

/**
 * Waits while a renewal runs, and starts one when the token is about to expire.
 *
 * @throws TokenClientError `INSTALLATION_PAUSED` and others; what the store throws.
 */
export async function usableGrant(context: TokenContext, installationId: string): Promise<Grant> {
  const grant = await findUsable(context, installationId);
  // control F20
  if (grant.isPaused) throw installationPaused();
  return grant;
}

async function findUsable(
  context: TokenContext,
  installationId: string,
  { isSecond = false } = {},
): Promise<Grant> {
  const flight = context.flights.get(installationId);
  if (flight) {
    return renewedIfPossible(context, installationId, { renewal: flight.renewal }).catch(
      (error: unknown) => {
        // The renewal waited for the database longer than this call has. Once, because nobody may wait for the next one.
        if (!mayPassSoon(error) || isSecond) throw error;
        return findUsable(context, installationId, { isSecond: true });
      },
    );
  }
  const { grant: current } = await loadGrant(context, installationId);
  if (current.isPaused || isFresh(context, current)) return current;
  const renewal = renew(context, current, 'expiring');
  return renewedIfPossible(context, installationId, { renewal, current });
}

/** While the current token is valid, temporary refresh failures are ignored. */
async function renewedIfPossible(
  context: TokenContext,
  installationId: string,
  { renewal, current }: { renewal: Promise<Renewal>; current?: Grant },
): Promise<Grant> {
  try {
    return await renewedOrLiving(context, installationId, renewal);
  } catch (error) {
    const known = current ?? context.cache.peek(installationId);
    const isTemporary = !(error instanceof TokenClientError) || error.code === 'REFRESH_FAILED';
    if (isTemporary && known && isAlive(context, known)) return rereadIfChanged(context, known);
    throw error;
  }
}

/** While a call waited, its installation may have been paused or uninstalled. */
async function rereadIfChanged({ cache }: TokenContext, known: Grant): Promise<Grant> {
  const { installationId } = known;
  if (cache.peek(installationId) === known) return known;
  return cache.read(installationId).catch((error: unknown) => {
    if (error instanceof TokenClientError) throw error;
    return known;
  });
}

/** The platform answered 401 to this version: renews it, unless that has happened already. */
export async function renewRefused(
  context: TokenContext,
  { installationId, tokenVersion }: Pick<GrantVersion, 'installationId' | 'tokenVersion'>,
): Promise<Renewal> {
  const cached = context.cache.peek(installationId);
  const known = cached
    ? { grant: cached, isFound: true }
    : await loadGrant(context, installationId);
  if (known.grant.isPaused) throw installationPaused();
  if (known.grant.tokenVersion !== tokenVersion) return known;
  return renew(context, known.grant, 'refused');
}

/** The token set in memory, the stored one, or the renewed one if that is damaged. */
async function loadGrant(context: TokenContext, installationId: string): Promise<Renewal> {
  const { cache, store } = context;
  try {
    return { grant: await cache.read(installationId), isFound: true };
  } catch (error) {
    const version = isDamaged(error) && (await store.grants.findVersion(installationId));
    if (version) return healDamaged(context, version, error);
    throw error;
  }
}

/**
 * The renewal's token set. If the renewal takes longer than `livingWaitMs`, the current one, while it is
 * valid and not refused.
 */
async function renewedOrLiving(
  context: TokenContext,
  installationId: string,
  renewal: Promise<Renewal>,
): Promise<Grant> {
  const { flights, cache, timer, policy } = context;
  const flight = flights.get(installationId);
  const known = cache.peek(installationId);
  if (!flight || !known || !isAlive(context, known)) return (await renewal).grant;
  const waiting = new AbortController();
  const untilMs = flight.startedAt + policy.livingWaitMs - timer.monotonic();
  const over = pause(timer, Math.max(0, untilMs), waiting.signal);
  const first = await Promise.race([renewal, over]).finally(() => waiting.abort());
  if (first) return first.grant;
  if (flight.isRefused || !isAlive(context, known)) return (await renewal).grant;
  return rereadIfChanged(context, known);
}

function isAlive(context: TokenContext, grant: Grant): boolean {
  if (diedOf(context, grant) !== undefined) return false;
  return grant.expiresAt === null || context.now() < grant.expiresAt;
}

/** True if the token is valid and not within the early-expiry margin (Spec §8). */
function isFresh(context: TokenContext, grant: Grant): boolean {
  const { now, policy } = context;
  const { issuedAt, expiresAt } = grant;
  if (!isAlive(context, grant)) return false;
  if (expiresAt === null) return true;
  return now() < renewsFrom({ issuedAt, expiresAt }, policy.expiryMarginMs);
}
