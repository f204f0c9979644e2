/**
 * Nonces for the `jti` of init JWTs. A page asks for one before its handshake, so the init JWT that it gets was made for
 * a page of this back end, a moment ago (docs/decisions/0039-session-nonce.md). Nothing is stored for a nonce.
 */
import type { Store } from '@dowel/installation-store';
import { ApiError } from '../base/errors.ts';
import { admitNonce, findSender, type ReceptionGuard } from '../events/reception-guard.ts';
import type { RefusalLog } from '../events/refusal-log.ts';
import type { ServerAnswer, ServerRequest } from '../request/server-request.ts';

/** `required`: an init JWT without a nonce of this back end opens no session. */
export type NonceRule = 'optional' | 'required';

/** A handshake may take 60 s (Spec §8), and the init JWT then lives for another 60 s. */
const nonceLifetimeMs = 120_000;

export interface NonceContext {
  store: { sessions: Pick<Store['sessions'], 'createNonce' | 'isNonceFresh'> };
  guard: ReceptionGuard;
  refusalLog: RefusalLog;
  /** The plug-in whose URL was called. */
  plugin: { name: string };
  nonceRule: NonceRule;
  /** Epoch milliseconds. */
  now: () => number;
}

/** Reads no body. @throws ApiError `TOO_MANY_ATTEMPTS` */
export async function giveNonce(
  { store, guard, refusalLog, plugin, now }: NonceContext,
  request: ServerRequest,
): Promise<ServerAnswer> {
  if (!admitNonce(guard, findSender(guard, request.address))) {
    const error = new ApiError('TOO_MANY_ATTEMPTS', 'Try again later', {
      headers: { 'Retry-After': '60' },
    });
    const refused = { event: 'session', reason: 'rate_limited', status: error.status };
    refusalLog.add(request, refused, { plugin: plugin.name, claimedHost: '' });
    throw error;
  }
  const expiresAt = now() + nonceLifetimeMs;
  const nonce = store.sessions.createNonce({ plugin: plugin.name, expiresAt });
  return { status: 200, body: { nonce, expiresInMs: nonceLifetimeMs } };
}

/** Call it after the JWT is verified: only then its `jti` is trusted. */
export function isJtiAllowed(
  { store, plugin, nonceRule, now }: NonceContext,
  jti: string,
): boolean {
  if (nonceRule === 'optional') return true;
  return store.sessions.isNonceFresh(jti, { plugin: plugin.name, now: now() });
}
