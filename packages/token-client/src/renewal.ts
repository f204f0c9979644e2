/**
 * One renewal of one token set: the lease that keeps the other processes out, the request, and the
 * compare-and-swap that decides. The lease is for efficiency, the compare-and-swap for correctness,
 * the trigger for liveness (docs/decisions/0015-one-refresh.md).
 */
import type { Grant, GrantVersion, Lease, LeaseOutcome, TokenSet } from '@dowel/installation-store';
import { changeOrPause, newerGrant, type Renewal, record, type TokenContext } from './context.ts';
import { comeAgain, grantNotFound } from './errors.ts';
import { createLine } from './line.ts';
import { backOffMs } from './policy.ts';
import type { Recovery } from './recovery.ts';
import type { SaveRefresh } from './save-tokens.ts';
import { refreshTokens } from './token-request.ts';
import { TokenRequestError } from './token-request-error.ts';

export type RenewalCause =
  /** The token is about to expire, or has expired. */
  | 'expiring'
  /** The platform answered 401 to it. */
  | 'refused';

export function createRenewal(context: TokenContext, recovery: Recovery, saveRefresh: SaveRefresh) {
  const { store, cache, policy, now, timer, random, owner, observe, closing } = context;
  const { leaseMs, maxPresentations, burst, refreshIntervalMs: intervalMs } = policy;
  const request = { owner, leaseMs, maxPresentations, burst, intervalMs };

  const inLine = createLine(policy.refreshesAtOnce);

  /**
   * Waits in line before it takes the lease: a request that waits for a connection instead would use
   * up the lease and its own time, and count as presented though it was never sent.
   */
  function leaseAndSend(version: Grant, endsAt: number): Promise<NotLeased | Attempt> {
    return inLine(version.baseUrl, async () => {
      if (timer.monotonic() > endsAt) {
        throw refreshFailed('Too many refreshes wait for this platform', intervalMs);
      }
      if (closing.aborted) throw refreshFailed('The process is ending', intervalMs);
      const leasedAt = { monotonic: timer.monotonic(), now: now() };
      const leased = await store.renewals.acquire(version, request);
      if (leased.outcome !== 'acquired') return leased;
      const answer = send(leased, leasedAt);
      await answer.catch(() => {});
      return { ...leased, startedAt: leasedAt.now, answer };
    });
  }

  async function send({ grant, lease, tenantId }: Acquired, leasedAt: Moment): Promise<TokenSet> {
    const { refreshToken } = grant;
    if (!refreshToken) throw grantNotFound();
    const limitMs = () => attemptMs(lease, leasedAt);
    const limits = { tenantId, limitMs, signal: closing };
    return refreshTokens(grant, { ...grant, refreshToken }, { ...context, ...limits });
  }

  /**
   * @returns the tokens, or when to try again after a failure that may pass.
   * @throws TokenClientError
   */
  async function settle(
    { lease, grant, startedAt, answer }: Attempt,
    endsAt: number,
  ): Promise<Renewal | BackingOff> {
    const { installationId } = grant;
    try {
      const tokens = await answer;
      return { grant: await saveRefresh({ grant, lease, tokens, startedAt }), isFound: false };
    } catch (error) {
      if (!(error instanceof TokenRequestError)) throw error;
      const { reason, rejected, mayBeSpent, mayArrive, retryAfterMs } = error;
      const retryInMs = backOffMs(policy, lease.failures, { retryAfterMs, random });
      if (!rejected) await store.renewals.release(lease, { mayBeSpent, mayArrive, retryInMs });
      await record(context, grant, { operation: 'refresh', startedAt, reason });
      const type = 'refresh_failed';
      observe({ type, installationId, reason, retryInMs: rejected ? null : retryInMs });
      if (rejected) return recovery.recover(grant, reason, endsAt - timer.monotonic());
      return { outcome: 'backing_off', retryInMs, failures: lease.failures + 1, cause: error };
    }
  }

  /**
   * How long a request may take that is sent now. A process that slept must not spend a token that
   * another may be spending.
   */
  function attemptMs({ unanswered }: Lease, leasedAt: Moment): number {
    const sinceMs = Math.max(timer.monotonic() - leasedAt.monotonic, now() - leasedAt.now);
    const leftMs = leaseMs - policy.leaseMarginMs - sinceMs;
    const { attemptTimeoutMs, repeatTimeoutMs } = policy;
    if (leftMs < Math.min(attemptTimeoutMs, repeatTimeoutMs)) {
      throw new TokenRequestError('lease_lapsed');
    }
    return Math.min(leftMs, unanswered === 0 ? attemptTimeoutMs : repeatTimeoutMs);
  }

  /** Whoever waits for another process need not wait in line for its tokens. */
  async function isMoved({ installationId, tokenVersion }: GrantVersion): Promise<boolean> {
    return (await store.grants.findVersion(installationId))?.tokenVersion !== tokenVersion;
  }

  /** The breaker is open: ask for an event when the token is of no use, and try again later. */
  async function endureOutage(
    version: GrantVersion,
    { retryInMs, cause }: BackingOff,
  ): Promise<Renewal | undefined> {
    const result = await recovery.trigger(version);
    if (result?.taken === false) {
      throw refreshFailed('The platform is not reachable', retryInMs, cause);
    }
    return newerGrant(context, version, { ms: retryInMs });
  }

  /**
   * Resolves with another token set than `grant`. It is found when another process had stored it before
   * this one asked for the lease.
   *
   * @throws TokenClientError; what the store throws: without its word nobody may refresh.
   */
  return async (grant: Grant, cause: RenewalCause): Promise<Renewal> => {
    const { installationId } = grant;
    const endsAt = timer.monotonic() + policy.waitMs;
    const isUseless = () =>
      cause === 'refused' || (grant.expiresAt !== null && grant.expiresAt <= now());
    const diedOf = recovery.diedOf(grant);
    if (diedOf !== undefined) return recovery.recover(grant, diedOf, policy.waitMs);

    for (let polls = 0; ; polls += 1) {
      const leased = await leaseAndSend(grant, endsAt);
      const lease = leased.outcome === 'acquired' ? await settle(leased, endsAt) : leased;
      if (!('outcome' in lease)) return lease;
      const untilMs = endsAt - timer.monotonic();
      switch (lease.outcome) {
        case 'moved': {
          const current = await cache.readAnew(installationId);
          if (current.tokenVersion !== grant.tokenVersion) {
            return { grant: current, isFound: polls === 0 };
          }
          // The token in hand is the newer one: the database does not have it yet.
          if (!isUseless() || untilMs <= 0 || closing.aborted) {
            throw refreshFailed('The token is not stored yet', intervalMs);
          }
          await changeOrPause(context, installationId, { polls, untilMs });
          continue;
        }
        case 'gone':
          throw grantNotFound();
        case 'spent':
          if (!isUseless()) {
            await recovery.trigger(grant);
            throw refreshFailed('The token lives on until a new event comes', intervalMs);
          }
          return recovery.recover(
            grant,
            lease.hasRefreshToken ? 'refresh_unanswered' : 'no_refresh_token',
            untilMs,
          );
        case 'held':
          if (untilMs <= 0 || closing.aborted) {
            throw refreshFailed('Another process has not finished', intervalMs);
          }
          await changeOrPause(context, installationId, { polls, untilMs });
          if (await isMoved(grant)) {
            return { grant: await cache.readAnew(installationId), isFound: false };
          }
          continue;
        case 'rate_limited':
          if (cause === 'refused' || !isUseless() || lease.retryInMs > untilMs) {
            throw refreshFailed('Too many refreshes in a short time', lease.retryInMs);
          }
          break;
        case 'backing_off':
          if (lease.failures >= policy.maxTries || lease.retryInMs > untilMs) {
            if (!isUseless() || untilMs <= 0 || closing.aborted) {
              const message = 'The refresh failed and may be tried again';
              throw refreshFailed(message, lease.retryInMs, lease.cause);
            }
            const outage = { ...lease, retryInMs: Math.min(lease.retryInMs, untilMs) };
            const arrived = await endureOutage(grant, outage);
            if (arrived) return arrived;
            continue;
          }
      }
      await changeOrPause(context, installationId, { polls: 10, untilMs: lease.retryInMs });
    }
  };
}

type Acquired = Extract<LeaseOutcome, { outcome: 'acquired' }>;
/** What failed in another process has left no cause here. */
type BackingOff = Extract<LeaseOutcome, { outcome: 'backing_off' }> & { cause?: TokenRequestError };
type NotLeased = Exclude<LeaseOutcome, { outcome: 'acquired' | 'backing_off' }> | BackingOff;

/** A refresh that was answered, or was not. */
interface Attempt extends Acquired {
  startedAt: number;
  answer: Promise<TokenSet>;
}

interface Moment {
  monotonic: number;
  now: number;
}

function refreshFailed(message: string, retryInMs: number, cause?: TokenRequestError): Error {
  return comeAgain('REFRESH_FAILED', message, retryInMs, cause);
}
