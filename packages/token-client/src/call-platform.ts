/**
 * One call to a tenant's platform (Spec §5). A call remembers the version of the token it used: a 401
 * for an older version only retries, a 401 for the current one joins or starts the renewal.
 */
import { type GuardedInit, RequestNotSentError, withTimeout } from '@dowel/http';
import type { StartedCall } from './call-entries.ts';
import { isTimeout, recordAnswer, recordFailure, recordNoAnswer } from './call-records.ts';
import { type CallInit, callHeaders, isReplayable } from './call-request.ts';
import { runInBackground, type TokenContext } from './context.ts';
import { discardBody } from './discard-body.ts';
import { grantNotFound, installationPaused, temporaryError } from './errors.ts';
import {
  enter,
  giveBack,
  leave,
  type RequestEnding,
  report,
  type Share,
  waitToEnter,
} from './fair-gate.ts';
import { isPathRefused, noteAccepted, noteRefused } from './refused-paths.ts';
import type { Grant } from './token-store.ts';
import { faultOf } from './unsent-request.ts';
import { renewRefused, usableGrant, warmGrant } from './usable-grant.ts';
import { type CallLimits, waitForTokens } from './wait-for-tokens.ts';

/**
 * At most four attempts per call: cached token, stored token, refreshed token, and one more if that one was in
 * doubt.
 */
const maxTries = 4;

export interface PlatformCall {
  installationId: string;
  /** Relative to the tenant's `base_url`. */
  path: string;
  init: CallInit;
}

/**
 * Sends the call, and on 401 renews the token and sends it again. The caller gets the 401 of a newly renewed
 * token. A token that was only found in the store may be revoked as well, and so may a token in doubt,
 * because of a late request. These are renewed once more. A path that refuses tokens which other paths
 * accept gets no more renewals for some time.
 *
 * @throws TokenClientError; what the transport throws.
 */
export async function callPlatform(context: TokenContext, call: PlatformCall): Promise<Response> {
  const { installationId, path, init } = call;
  const startedAt = context.timer.monotonic();
  const started = { installationId, path, init, startedAt, attempts: 0, origin: undefined };
  try {
    return await answerCall(context, started);
  } catch (error) {
    recordNoAnswer(context, started, { error, signal: init.signal });
    throw error;
  }
}

/** A call under way, with all that is sent. */
type Sending = PlatformCall & StartedCall;

async function answerCall(context: TokenContext, call: Sending): Promise<Response> {
  const { installationId, path, init } = call;
  const { signal, timeoutMs = context.policy.callTimeoutMs, generation } = init;
  const limits = { installationId, signal, endsAt: call.startedAt + timeoutMs };
  let grant = await grantForCall(context, limits);
  let isNewlyRenewed = false;
  for (let tries = 1; ; ) {
    if (grant.isPaused) throw installationPaused();
    // control H17
    if (generation !== undefined && grant.generation !== generation) throw grantNotFound();
    const response = await send(context, call, { grant, endsAt: limits.endsAt });
    if (!response) {
      grant = await grantForCall(context, limits);
      isNewlyRenewed = false;
      continue;
    }
    // control H06
    if (response.status !== 401) {
      // A server or gateway that has failed may not have checked the token.
      if (response.status < 500) noteAccepted(context, { grant, path });
      recordAnswer(context, call, { response, grant });
      return response;
    }
    if (isNewlyRenewed) noteRefused(context, { grant, path });
    if (isNewlyRenewed || tries === maxTries) {
      recordFailure(context, call, { response, grant, reason: 'token_refused' });
      return response;
    }
    const isOfPath = await isPathRefused(context, limits, { grant, path }).catch(() => false);
    if (isOfPath || !isReplayable(init.body)) {
      recordFailure(context, call, { response, grant, reason: 'platform_4xx' });
    }
    if (isOfPath) return response;
    const refused = { installationId, tokenVersion: grant.tokenVersion };
    if (!isReplayable(init.body)) {
      runInBackground(context, renewRefused(context, refused));
      return response;
    }
    await discardBody(response);
    const renewal = await waitForTokens(context, limits, () => renewRefused(context, refused));
    grant = renewal.grant;
    isNewlyRenewed = !renewal.isFound && !grant.isInDoubt;
    tries += 1;
  }
}

/** @throws TokenClientError */
export async function grantForCall(context: TokenContext, limits: CallLimits): Promise<Grant> {
  const { installationId } = limits;
  const warm = warmGrant(context, installationId);
  return warm ?? waitForTokens(context, limits, () => usableGrant(context, installationId));
}

/**
 * Sends the call when its installation has a place. The call keeps it until its body has ended, because the body
 * needs the connection. Undefined: not sent, its token is outdated by then.
 */
async function send(
  context: TokenContext,
  call: Sending,
  { grant, endsAt }: { grant: Grant; endsAt: number },
): Promise<Response | undefined> {
  const { callUrl, callGate } = context;
  const { installationId, path, init } = call;
  const { origin, url } = callUrl(grant.baseUrl, path);
  call.origin = origin;
  // It is not sent, so it takes no place and says nothing about its tenant.
  init.signal?.throwIfAborted();
  const free = enter(callGate, origin, installationId);
  const share = free ?? (await waitForPlace(context, call, { origin, endsAt }));
  if (!free && isOutdated(context, grant)) {
    giveBack(callGate, share);
    return undefined;
  }
  const sent: SentCall = { url, endsAt, ending: 'unknown', isBodyOver: false };
  const onBodyEnd = () => {
    sent.isBodyOver = true;
    if (sent.ending === 'answered') giveBack(callGate, share);
  };
  try {
    call.attempts += 1;
    const response = await sendNow(context, call, { grant, sent, onBodyEnd });
    sent.ending = 'answered';
    report(callGate, share, 'answered');
    if (sent.isBodyOver) giveBack(callGate, share);
    return response;
  } catch (error) {
    const isLate = isTimeout(init.signal) || isConnectTimeout(error);
    leave(callGate, share, isLate ? 'timed out' : sent.ending);
    throw error;
  }
}

/** The host has not answered either, or its name servers have not. */
function isConnectTimeout(error: unknown): boolean {
  return faultOf(error).code === 'UND_ERR_CONNECT_TIMEOUT';
}

/** True if the token was refused, replaced or forgotten while the call waited for its place. */
function isOutdated({ flights, cache, deadGrants }: TokenContext, grant: Grant): boolean {
  const { installationId, tokenVersion } = grant;
  if (flights.get(installationId)?.isRefused === true) return true;
  if (deadGrants.peek(installationId)?.tokenVersion === tokenVersion) return true;
  const known = cache.peek(installationId);
  // Forgotten, because it was changed: another token set is stored, or an operator has paused it.
  return known === undefined || known.isPaused || known.tokenVersion > tokenVersion;
}

/** @throws TokenClientError `TOO_MANY_UNANSWERED`; the signal's reason. */
async function waitForPlace(
  { callGate, timer }: TokenContext,
  { installationId, init: { signal } }: PlatformCall,
  { origin, endsAt }: { origin: string; endsAt: number },
): Promise<Share> {
  const ms = endsAt - timer.monotonic();
  const who = { key: origin, tenant: installationId };
  const share = await waitToEnter(callGate, who, { timer, ms, signal });
  const isOver = signal?.aborted || timer.monotonic() >= endsAt;
  if (share && !isOver) return share;
  if (share) leave(callGate, share, 'unknown');
  signal?.throwIfAborted();
  throw temporaryError(
    'TOO_MANY_UNANSWERED',
    'Earlier calls have no answer and left no place',
    1_000,
  );
}

interface SentCall {
  url: string;
  /** A point in time of the timer, in milliseconds. */
  endsAt: number;
  /** Becomes `answered` when the headers arrive. */
  ending: RequestEnding;
  /** May be true before the headers are handed over. */
  isBodyOver: boolean;
}

async function sendNow(
  { timer, callFetch }: TokenContext,
  { init }: PlatformCall,
  { grant, sent, onBodyEnd }: { grant: Grant; sent: SentCall; onBodyEnd: () => void },
): Promise<Response> {
  const ms = sent.endsAt - timer.monotonic();
  if (ms <= 0) {
    throw temporaryError(
      'TOKEN_UNAVAILABLE',
      'The time of the call was over before it was sent',
      1_000,
    );
  }
  const { timeoutMs: _timeoutMs, generation: _generation, source: _source, ...sentInit } = init;
  const headers = callHeaders(init.headers, grant);
  const reason = () => {
    sent.ending = 'timed out';
    return temporaryError('CALL_TIMED_OUT', 'The call took too long', 1_000);
  };
  let isUnsent = false;
  const onUnsent = () => {
    isUnsent = true;
  };
  try {
    return await withTimeout(timer, { ms, reason }, (untilHeaders) =>
      callFetch(sent.url, {
        // The caller's own signal also covers the body.
        ...(sentInit as GuardedInit),
        headers,
        redirect: 'error',
        untilHeaders,
        onBodyEnd,
        onUnsent,
      }),
    );
  } catch (cause) {
    if (!isUnsent || sent.ending !== 'timed out') throw cause;
    throw new RequestNotSentError('No connection was made in the time of the call', { cause });
  }
}
