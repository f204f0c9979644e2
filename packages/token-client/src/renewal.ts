/**
 * One renewal of one token set: the lease that keeps the other processes out, the request, and the
 * compare-and-swap that decides. The lease saves requests, the compare-and-swap guarantees correctness, and
 * the trigger guarantees progress (docs/decisions/0015-one-refresh.md).
 */
import { randomUUID } from 'node:crypto';
import { type ChangeWatch, watchChanges } from './change-watches.ts';
import {
  changeOrPause,
  isReplaced,
  newerGrant,
  observeRespelled,
  type Renewal,
  recordRequest,
  runInBackground,
  type TokenContext,
} from './context.ts';
import {
  grantNotFound,
  installationPaused,
  isDatabaseAway,
  mayPassSoon,
  temporaryError,
} from './errors.ts';
import { everyBase, withPlace } from './fair-gate.ts';
import type { ChangeCount } from './grant-cache.ts';
import { backOffMs } from './policy.ts';
import { diedOf, recover, triggerNewEvent } from './recovery.ts';
import { type Moment, momentOf, remainingMs } from './remaining-time.ts';
import { retryUntilStored, saveRefresh } from './save-tokens.ts';
import { mayBeStored, takeBackLater } from './take-back.ts';
import { refreshTokens } from './token-request.ts';
import { endingOf, TokenRequestError } from './token-request-error.ts';
import type { FailedRefresh, Grant, Lease, LeaseOutcome, TokenSet } from './token-store.ts';

/** Between two requests for a lease while the database is away. */
const awayPauseMs = 200;

export type RenewalCause =
  /** The token is about to expire, or has expired. */
  | 'expiring'
  /** The platform answered 401 to it. */
  | 'refused';

/** A renewal: the token set, the cause, and its time limit on the timer. */
interface Wanted {
  grant: Grant;
  cause: RenewalCause;
  endsAt: number;
}

type Acquired = Extract<LeaseOutcome, { outcome: 'acquired' }>;
type Spent = Extract<LeaseOutcome, { outcome: 'spent' }>;
type RateLimited = Extract<LeaseOutcome, { outcome: 'rate_limited' }>;
/** A failure in another process has no `cause`. */
type BackingOff = Extract<LeaseOutcome, { outcome: 'backing_off' }> & { cause?: TokenRequestError };
type NotLeased = Exclude<LeaseOutcome, { outcome: 'acquired' | 'backing_off' }> | BackingOff;

/** A refresh that was sent, answered or not. */
interface Attempt extends Acquired {
  startedAt: number;
  answer: Promise<TokenSet>;
}

/**
 * Resolves with another token set than `grant`. `isFound`: another process stored it before this one requested
 * the lease.
 *
 * @throws TokenClientError; what the store throws: without an answer of the store, no process may refresh.
 */
export async function renewGrant(
  context: TokenContext,
  grant: Grant,
  cause: RenewalCause,
): Promise<Renewal> {
  const { waitMs } = context.policy;
  const wanted = { grant, cause, endsAt: context.timer.monotonic() + waitMs };
  const reason = diedOf(context, grant);
  if (reason !== undefined) return recover(context, grant, { reason, waitMs });
  for (let polls = 0; ; polls += 1) {
    const watch = watchChanges(context, grant.installationId);
    const heard = context.cache.countChanges(grant.installationId);
    const renewal = await tryRenewal(context, wanted, { polls, watch, heard }).finally(() => {
      watch.stop();
      heard.stop();
    });
    if (renewal) return renewal;
  }
}

interface Try {
  /** Tries before this one. */
  polls: number;
  /** Both began before the lease was requested. */
  watch: ChangeWatch;
  heard: ChangeCount;
}

/** Undefined: it has waited, and the next try may succeed. */
async function tryRenewal(
  context: TokenContext,
  wanted: Wanted,
  { polls, watch, heard }: Try,
): Promise<Renewal | undefined> {
  const leased = await leaseInTurn(context, wanted).catch((error: unknown) => {
    if (!mayPassSoon(error) || isOver(context, wanted)) throw error;
    return undefined;
  });
  // The lease is requested again until the time limit: a failover takes seconds.
  if (!leased) {
    await pauseUnlessChanged(context, wanted, awayPauseMs);
    return undefined;
  }
  const result =
    leased.outcome === 'acquired'
      ? await storeOrBackOff(context, wanted, { ...leased, heard })
      : leased;
  if (!('outcome' in result)) return result;
  switch (result.outcome) {
    case 'moved':
      return takeStored(context, wanted, { polls, watch });
    case 'gone':
      throw grantNotFound();
    case 'paused':
      throw installationPaused();
    case 'spent':
      return recoverSpent(context, wanted, result);
    case 'held':
      return waitForHolder(context, wanted, watch);
    case 'rate_limited':
      return waitForRateLimit(context, wanted, result);
    case 'backing_off':
      return backOff(context, wanted, result);
  }
}

/**
 * Waits for its turn before it takes the lease. A request that waited after that would use up the lease and
 * its own time, and count as presented although it was never sent.
 */
async function leaseInTurn(context: TokenContext, wanted: Wanted): Promise<NotLeased | Attempt> {
  const { gates, refreshGate, timer, closing, policy } = context;
  const { installationId: tenant, baseUrl } = wanted.grant;
  const wait = () => ({ timer, ms: leftMs(context, wanted) });
  const leased = await withPlace(gates.refresh, { key: baseUrl, tenant }, wait(), (report) =>
    withPlace(refreshGate, { key: everyBase, tenant: baseUrl }, wait(), async (reportBase) => {
      const result = await leaseAndSend(context, wanted);
      const ending = result.outcome === 'acquired' ? await endingOf(result.answer) : 'unknown';
      report(ending);
      // One installation that hangs does not speak for its base URL: it has few places of its own from now on.
      reportBase(ending === 'timed out' ? 'unknown' : ending);
      return result;
    }),
  );
  if (leased) return leased;
  const { refreshIntervalMs } = policy;
  if (closing.signal.aborted) throw refreshFailed('The process is ending', refreshIntervalMs);
  throw refreshFailed('Too many refreshes wait for this platform', refreshIntervalMs);
}

/**
 * Sends the refresh with a lease. If too little of the lease is left when the refresh token is about to be
 * sent, because the database was slow or the process slept, the lease is extended: nothing was sent, so
 * nothing has failed.
 */
async function leaseAndSend(context: TokenContext, wanted: Wanted): Promise<NotLeased | Attempt> {
  const { store, policy } = context;
  const { leaseMs, maxPresentations, burst, refreshIntervalMs: intervalMs } = policy;
  let leasedAt = momentOf(context);
  const owner = randomUUID();
  const request = { owner, leaseMs, maxPresentations, burst, intervalMs };
  const leased = await store.renewals.acquire(wanted.grant, request).catch((error: unknown) => {
    if (mayBeStored(error)) takeBackLease(context, wanted.grant, owner);
    throw error;
  });
  if (leased.outcome !== 'acquired') return leased;
  if (leased.lease.unanswered > 0) context.presentedAgain += 1;
  for (;;) {
    const answer = send(context, leased, leasedAt);
    const isSettled = !(await hasLapsed(answer)) || isOver(context, wanted);
    if (isSettled) return { ...leased, startedAt: leasedAt.now, answer };
    leasedAt = momentOf(context);
    const extending = store.renewals.extend(leased.lease, { leaseMs, intervalMs });
    const isExtended = await extending.catch((error: unknown) => {
      takeBackLease(context, wanted.grant, owner);
      throw error;
    });
    if (!isExtended) return { outcome: 'held', retryInMs: 0 };
  }
}

/** The lease of this attempt may be stored. */
function takeBackLease(context: TokenContext, version: Grant, owner: string): void {
  const { store, policy } = context;
  const attempt = { owner, intervalMs: policy.refreshIntervalMs };
  const takeBack = () => store.renewals.takeBack(version, attempt);
  takeBackLater(context, version.installationId, takeBack);
}

/** Returns the lease. A failure of the store is thrown, and the lease is returned later. */
async function release(context: TokenContext, lease: Lease, failure: FailedRefresh): Promise<void> {
  const { installationId } = lease;
  const write = () => context.store.renewals.release(lease, failure);
  try {
    await write();
  } catch (error) {
    const retry = { installationId, isTemporary: isDatabaseAway };
    runInBackground(context, retryUntilStored(context, write, retry));
    throw error;
  }
}

/** Waits for the end of the request. True if it was not sent, because of its lease. */
function hasLapsed(answer: Promise<TokenSet>): Promise<boolean> {
  return answer.then(
    () => false,
    (error: unknown) => error instanceof TokenRequestError && error.reason === 'lease_lapsed',
  );
}

async function send(
  context: TokenContext,
  { grant, lease, tenantId }: Acquired,
  leasedAt: Moment,
): Promise<TokenSet> {
  const { refreshToken } = grant;
  if (!refreshToken) throw grantNotFound();
  const limitMs = () => attemptMs(context, lease, leasedAt);
  const isAllowed = context.allowsOrigin(grant.issuer);
  const onRespelled = observeRespelled(context, grant.installationId);
  const { signal } = context.closing;
  const options = { ...context, tenantId, limitMs, isAllowed, onRespelled, signal };
  return refreshTokens(grant, { ...grant, refreshToken }, options);
}

/**
 * The time limit of a request that is sent now. A process that slept must not use a refresh token that
 * another process may be using.
 *
 * @throws TokenRequestError `lease_lapsed`.
 */
function attemptMs(context: TokenContext, { unanswered }: Lease, leasedAt: Moment): number {
  const { leaseMs, leaseMarginMs, attemptTimeoutMs, repeatTimeoutMs } = context.policy;
  const leftMs = remainingMs(context, { since: leasedAt, lastsMs: leaseMs - leaseMarginMs });
  if (leftMs < Math.min(attemptTimeoutMs, repeatTimeoutMs)) {
    throw new TokenRequestError('lease_lapsed');
  }
  return Math.min(leftMs, unanswered === 0 ? attemptTimeoutMs : repeatTimeoutMs);
}

/** Stores the tokens of the answer, or returns when to try again after a temporary failure. */
async function storeOrBackOff(
  context: TokenContext,
  wanted: Wanted,
  { lease, grant, startedAt, answer, heard }: Attempt & Pick<Try, 'heard'>,
): Promise<Renewal | BackingOff> {
  const { policy, random, observe } = context;
  const { installationId } = grant;
  try {
    const tokens = await answer;
    const saved = await saveRefresh(context, { grant, lease, tokens, startedAt, heard });
    return { grant: saved, isFound: false };
  } catch (error) {
    if (!(error instanceof TokenRequestError)) throw error;
    const { reason, rejected, mayBeSpent, mayArrive, retryAfterMs } = error;
    const { failures } = lease;
    const retryInMs = backOffMs(policy, { failures, retryAfterMs, mayBeSpent }, random);
    if (!rejected) await release(context, lease, { mayBeSpent, mayArrive, retryInMs, reason });
    const recorded = recordRequest(context, grant, { operation: 'refresh', startedAt, reason });
    // The death of the token is stored first, because a slow history could outlast the lease.
    if (rejected) runInBackground(context, recorded);
    else await recorded;
    const type = 'refresh_failed';
    observe({ type, installationId, reason, retryInMs: rejected ? null : retryInMs });
    // control R3
    if (rejected) return recover(context, grant, { reason, waitMs: leftMs(context, wanted) });
    return { outcome: 'backing_off', retryInMs, failures: lease.failures + 1, cause: error };
  }
}

/** Another process has stored a token set, or this one has a newer set than the database. */
async function takeStored(
  context: TokenContext,
  wanted: Wanted,
  { polls, watch }: Omit<Try, 'heard'>,
): Promise<Renewal | undefined> {
  const { installationId, tokenVersion } = wanted.grant;
  const current = await context.cache.reload(installationId);
  if (current.tokenVersion !== tokenVersion) return { grant: current, isFound: polls === 0 };
  const { refreshIntervalMs } = context.policy;
  if (!isUseless(context, wanted) || isOver(context, wanted)) {
    throw refreshFailed('The token is not stored yet', refreshIntervalMs);
  }
  await changeOrPause(context, watch, leftMs(context, wanted));
  return undefined;
}

/** The refresh token was presented too often without an answer, or there is none. */
async function recoverSpent(
  context: TokenContext,
  wanted: Wanted,
  { hasRefreshToken }: Spent,
): Promise<Renewal> {
  if (!isUseless(context, wanted)) {
    await triggerNewEvent(context, wanted.grant);
    const { refreshIntervalMs } = context.policy;
    throw refreshFailed('The token is used until a new event comes', refreshIntervalMs);
  }
  const reason = hasRefreshToken ? 'refresh_unanswered' : 'no_refresh_token';
  return recover(context, wanted.grant, { reason, waitMs: leftMs(context, wanted) });
}

/** Another process holds the lease, or an exchange holds refreshes back. */
async function waitForHolder(
  context: TokenContext,
  wanted: Wanted,
  watch: ChangeWatch,
): Promise<Renewal | undefined> {
  const { installationId } = wanted.grant;
  if (isOver(context, wanted)) {
    throw refreshFailed('Another process has not finished', context.policy.refreshIntervalMs);
  }
  await changeOrPause(context, watch, leftMs(context, wanted));
  // If another process has stored tokens, this one does not need the lease.
  if (!(await isReplaced(context, wanted.grant))) return undefined;
  return { grant: await context.cache.reload(installationId), isFound: false };
}

async function waitForRateLimit(
  context: TokenContext,
  wanted: Wanted,
  { retryInMs }: RateLimited,
): Promise<undefined> {
  const isTooLong = retryInMs > leftMs(context, wanted);
  // control H07
  if (wanted.cause === 'refused' || !isUseless(context, wanted) || isTooLong) {
    throw refreshFailed('Too many refreshes in a short time', retryInMs);
  }
  await pauseUnlessChanged(context, wanted, retryInMs);
}

async function backOff(
  context: TokenContext,
  wanted: Wanted,
  failure: BackingOff,
): Promise<Renewal | undefined> {
  const { retryInMs, failures, cause } = failure;
  const untilMs = leftMs(context, wanted);
  if (failures < context.policy.maxTries && retryInMs <= untilMs) {
    await pauseUnlessChanged(context, wanted, retryInMs);
    return undefined;
  }
  if (!isUseless(context, wanted) || isOver(context, wanted)) {
    throw refreshFailed('The refresh failed and may be tried again', retryInMs, cause);
  }
  return waitOutOutage(context, wanted, { ...failure, retryInMs: Math.min(retryInMs, untilMs) });
}

/** The token endpoint keeps failing: requests a new event, and waits for its tokens or the next try. */
async function waitOutOutage(
  context: TokenContext,
  { grant }: Wanted,
  { retryInMs, cause }: BackingOff,
): Promise<Renewal | undefined> {
  const result = await triggerNewEvent(context, grant);
  if (result?.taken === false) {
    throw refreshFailed('The platform is not reachable', retryInMs, cause);
  }
  return newerGrant(context, grant, { ms: retryInMs });
}

async function pauseUnlessChanged(
  context: TokenContext,
  { grant }: Wanted,
  ms: number,
): Promise<void> {
  const watch = watchChanges(context, grant.installationId);
  await changeOrPause(context, watch, ms).finally(watch.stop);
}

/** True if no call can use the token, because the platform has refused it or it has expired. */
function isUseless({ now }: TokenContext, { cause, grant }: Wanted): boolean {
  return cause === 'refused' || (grant.expiresAt !== null && grant.expiresAt <= now());
}

function isOver(context: TokenContext, wanted: Wanted): boolean {
  return leftMs(context, wanted) <= 0 || context.closing.signal.aborted;
}

function leftMs({ timer }: TokenContext, { endsAt }: Wanted): number {
  return endsAt - timer.monotonic();
}

function refreshFailed(message: string, retryInMs: number, cause?: TokenRequestError): Error {
  return temporaryError('REFRESH_FAILED', message, retryInMs, cause);
}
