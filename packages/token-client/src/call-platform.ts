/**
 * One call to a tenant's platform (Spec §5). A call remembers the version of the token it used: a 401
 * for an older version only retries, a 401 for the current one joins or starts the renewal.
 */
import { withTimeout } from '@dowel/http';
import type { Grant } from '@dowel/installation-store';
import { type CallInit, callHeaders, isReplayable } from './call-request.ts';
import { runInBackground, type TokenContext } from './context.ts';
import { retryLater } from './errors.ts';
import { isPathRefused, noteAccepted, noteRefused } from './refused-paths.ts';
import { renewRefused, usableGrant, warmGrant } from './usable-grant.ts';
import { type CallLimits, waitForTokens } from './wait-for-tokens.ts';

/** Cached token, stored token, refreshed token, and one more token when that one was in doubt. */
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
  const { signal, timeoutMs = context.policy.callTimeoutMs } = init;
  const limits = { signal, endsAt: context.timer.monotonic() + timeoutMs };
  let grant = await grantForCall(context, installationId, limits);
  let isNewlyRenewed = false;
  for (let tries = 1; ; tries += 1) {
    const response = await send(context, call, { grant, endsAt: limits.endsAt });
    if (response.status !== 401) {
      noteAccepted(context, { grant, path });
      return response;
    }
    if (isNewlyRenewed) noteRefused(context, { grant, path });
    if (isNewlyRenewed || tries === maxTries) return response;
    if (await isPathRefused(context, { grant, path }).catch(() => false)) return response;
    const refused = { installationId, tokenVersion: grant.tokenVersion };
    if (!isReplayable(init.body)) {
      runInBackground(context, renewRefused(context, refused));
      return response;
    }
    await response.body?.cancel();
    const renewal = await waitForTokens(context, limits, () => renewRefused(context, refused));
    grant = renewal.grant;
    isNewlyRenewed = !renewal.isFound && !grant.isInDoubt;
  }
}

/** @throws TokenClientError */
export async function grantForCall(
  context: TokenContext,
  installationId: string,
  limits: CallLimits,
): Promise<Grant> {
  const warm = warmGrant(context, installationId);
  return warm ?? waitForTokens(context, limits, () => usableGrant(context, installationId));
}

async function send(
  { timer, callUrl, callFetch }: TokenContext,
  { path, init }: PlatformCall,
  { grant, endsAt }: { grant: Grant; endsAt: number },
): Promise<Response> {
  const url = callUrl(grant.baseUrl, path);
  const headers = callHeaders(init.headers, grant);
  const ms = endsAt - timer.monotonic();
  if (ms <= 0) {
    throw retryLater('TOKEN_UNAVAILABLE', 'No access token became available in time', 1_000);
  }
  const reason = () => retryLater('CALL_TIMED_OUT', 'The call took too long', 1_000);
  return withTimeout(timer, { ms, reason }, (inTime) => {
    // The caller's own signal also covers the body.
    const signal = init.signal ? AbortSignal.any([inTime, init.signal]) : inTime;
    return callFetch(url, { ...(init as RequestInit), headers, redirect: 'error', signal });
  });
}
