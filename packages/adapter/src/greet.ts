/** One handshake of an adapter. Updates the adapter's state, and checks that the user is still the same. */
import type { AdapterContext } from './adapter-context.ts';
import type { InitClaims } from './claims.ts';
import { shakeHands, type VerifiedInit } from './handshake.ts';
import { fail } from './plugin-error.ts';

/** Performs one handshake. Its token becomes the newest. @throws PluginError as `init` */
export async function greet(
  context: AdapterContext,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<VerifiedInit> {
  // The token is younger than this: it is issued after the hello, and that follows the nonce.
  const ageMs = startStopwatch();
  const { nonce } = context.options;
  const jti = nonce && (await nonce.ask(timeoutMs, signal));
  const verified = await shakeHands(context.page, { timeoutMs: timeoutMs - ageMs(), signal, jti });
  const { exp, iat } = checkUser(context, verified.claims);
  context.latest = verified;
  context.isSpent = false;
  context.remainingMs = () => (exp - iat) * 1000 - ageMs();
  return verified;
}

/**
 * Another user may sign in on the host's page while this one is open.
 *
 * @throws PluginError ERR3 for the claims of another user
 */
export function checkUser(
  context: Pick<AdapterContext, 'latest' | 'user'>,
  claims: InitClaims,
): InitClaims {
  // A save names its tenant by `iss`, and may lack the id.
  const { tenantId = context.latest?.claims.ctx.tenantId, userId } = claims.ctx;
  const claimed = [claims.iss, tenantId, userId].join();
  context.user ??= claimed;
  if (context.user !== claimed) fail('ERR3', 'New user: reload');
  return claims;
}

/**
 * Returns a function for the milliseconds since this call. It uses the clock that shows more: a device's
 * clock may be set back, and the monotonic clock may stop while the device sleeps.
 */
function startStopwatch(): () => number {
  const startedAt = performance.now();
  const startedAtDate = Date.now();
  return () => Math.max(performance.now() - startedAt, Date.now() - startedAtDate);
}
