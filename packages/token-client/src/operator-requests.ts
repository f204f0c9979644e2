/**
 * The requests that an operator makes by hand: a refresh, a new event, a test of the connection
 * (docs/decisions/0043-operator-actions.md). They use the same lease, claims and fair places as calls do.
 */
import { withTimeout } from '@dowel/http';
import { callHeaders } from './call-request.ts';
import type { TokenContext } from './context.ts';
import { discardBody } from './discard-body.ts';
import { grantNotFound, installationPaused, temporaryError } from './errors.ts';
import { withPlace } from './fair-gate.ts';
import { claimTrigger, loadTrigger, sendClaimed } from './recovery.ts';
import { renew } from './single-flight.ts';

/** The shortest time between two requests for an event that operators cause. */
const askGapMs = 10_000;

/** The result of a request for a new event. */
export type AskOutcome =
  /** The platform accepted it. Its event may come at any later time. */
  | { outcome: 'taken' }
  /** The platform did not accept it, or it cannot be sent: a reason of docs/errors.md. */
  | { outcome: 'not_taken'; reason: string }
  /** One was sent a moment ago, new tokens have just arrived, or an exchange runs. It may be sent after `retryInMs`. */
  | { outcome: 'too_early'; retryInMs: number };

/** One GET to the platform. */
export interface ConnectionTest {
  /** The URL that was called: `base_url`, which contains no secret. */
  url: string;
  status: number;
  /** The time until the headers of the answer arrived. */
  durationMs: number;
}

/**
 * Presents the refresh token, also while the access token is valid.
 *
 * @returns the version of the new token set.
 * @throws TokenClientError; what the store throws.
 */
export async function refreshNow(context: TokenContext, installationId: string): Promise<number> {
  const current = await context.cache.reload(installationId);
  if (current.isPaused) throw installationPaused();
  const { grant } = await renew(context, current, 'expiring');
  return grant.tokenVersion;
}

/**
 * Asks the platform for a new access_token event, ahead of the pause between two requests.
 *
 * @throws TokenClientError `GRANT_NOT_FOUND`, `INSTALLATION_PAUSED`, `TOO_MANY_UNANSWERED`; what the store throws.
 */
export async function askForEvent(
  context: TokenContext,
  installationId: string,
): Promise<AskOutcome> {
  const { store, gates, timer, policy } = context;
  const version = await store.grants.findVersion(installationId);
  if (!version) throw grantNotFound();
  const source = await loadTrigger(context, installationId);
  if (typeof source === 'string') return { outcome: 'not_taken', reason: source };
  const who = { key: source.baseUrl, tenant: installationId };
  const wait = { timer, ms: policy.waitMs };
  const result = await withPlace(gates.trigger, who, wait, async (report): Promise<AskOutcome> => {
    const claim = await claimTrigger(context, version, askGapMs);
    if (claim.outcome === 'too_early') return claim;
    if (claim.outcome === 'moved') return { outcome: 'too_early', retryInMs: askGapMs };
    const sent = await sendClaimed(context, version, { source, sent: claim.sent, report });
    return sent.taken ? { outcome: 'taken' } : { outcome: 'not_taken', reason: sent.reason };
  });
  if (result) return result;
  throw temporaryError('TOO_MANY_UNANSWERED', 'Earlier requests left no place', policy.waitMs);
}

/**
 * Sends one GET to `base_url` with the stored access token, once. Renews nothing and reads no body.
 *
 * @throws TokenClientError `GRANT_NOT_FOUND`, `INSTALLATION_PAUSED`, `TOO_MANY_UNANSWERED`, `CALL_TIMED_OUT`; what the
 * transport throws.
 */
export async function testConnection(
  context: TokenContext,
  installationId: string,
): Promise<ConnectionTest> {
  const { callGate, callFetch, callUrl, timer, policy } = context;
  const grant = await context.cache.reload(installationId);
  if (grant.isPaused) throw installationPaused();
  const { origin, url: below } = callUrl(grant.baseUrl, 'x');
  const url = below.slice(0, -'x'.length);
  const who = { key: origin, tenant: installationId };
  const wait = { timer, ms: policy.waitMs };
  const tested = await withPlace(callGate, who, wait, async (report) => {
    const reason = () => {
      report('timed out');
      return temporaryError('CALL_TIMED_OUT', 'The call took too long', 1_000);
    };
    const beganAt = timer.monotonic();
    const headers = callHeaders(undefined, grant);
    const limit = { ms: policy.attemptTimeoutMs, reason };
    const response = await withTimeout(timer, limit, (signal) =>
      callFetch(url, { headers, redirect: 'manual', signal }),
    );
    const durationMs = timer.monotonic() - beganAt;
    report('answered');
    await discardBody(response);
    return { url, status: response.status, durationMs };
  });
  if (tested) return tested;
  throw temporaryError(
    'TOO_MANY_UNANSWERED',
    'Earlier calls have no answer and left no place',
    1_000,
  );
}
