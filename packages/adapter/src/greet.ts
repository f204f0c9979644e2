/** A handshake of an adapter: what it learns by one, and that the user stays the same. */
import type { AdapterContext } from './adapter-context.ts';
import type { InitClaims } from './claims.ts';
import { shakeHands, type VerifiedInit } from './handshake.ts';
import { fail } from './plugin-error.ts';

/** One handshake, whose token becomes the newest. @throws PluginError as `init` */
export async function greet(
  context: AdapterContext,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<VerifiedInit> {
  const ageMs = startStopwatch(); // A token is not older than the hello that it answers.
  const verified = await shakeHands(context.page, { timeoutMs, signal });
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
export function checkUser(context: AdapterContext, claims: InitClaims): InitClaims {
  const { tenantId, userId } = claims.ctx;
  const claimed = [claims.iss, tenantId, userId].join();
  context.user ??= claimed;
  if (context.user !== claimed) fail('ERR3', 'New user: reload');
  return claims;
}

/**
 * The time since now in milliseconds, by the clock that says more: a device's clock may be set back,
 * and the monotonic one may stand still while the device sleeps.
 */
function startStopwatch(): () => number {
  const startedAt = performance.now();
  const startedAtDate = Date.now();
  return () => Math.max(performance.now() - startedAt, Date.now() - startedAtDate);
}
