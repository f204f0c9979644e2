/**
 * Asks the plug-in's back end for the nonce of a handshake, which a back end can require of each session. It is a
 * function of its own, because only some pages need it (docs/decisions/0039-session-nonce.md).
 */
import { isText } from './handshake.ts';
import { fail } from './plugin-error.ts';
import { checkUrl, readAnswer } from './session.ts';

/** Made by `nonceFrom`. */
export interface NonceSource {
  /** Undefined if the signal aborts, or if there is no page around this one: the handshake then fails. */
  readonly ask: (timeoutMs: number, signal: AbortSignal) => Promise<string | undefined>;
}

/**
 * For the option `nonce` of `createAdapter`. Without a nonce the handshake fails with ERR_NETWORK or ERR_SESSION,
 * because a back end that requires one would refuse the session later, and could not say why.
 *
 * @example
 * const adapter = createAdapter({ jkuOrigins, nonce: nonceFrom('/api/session/nonce') });
 *
 * @param nonceUrl an address relative to this page. Default `/api/session/nonce`.
 * @throws PluginError ERR_OPTIONS
 */
export function nonceFrom(nonceUrl = '/api/session/nonce'): NonceSource {
  checkUrl(nonceUrl, 'nonceFrom');
  return { ask: (timeoutMs, signal) => askNonce(nonceUrl, timeoutMs, signal) };
}

async function askNonce(
  nonceUrl: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (parent === window || signal.aborted) return undefined;
  const overtime = AbortSignal.timeout(Math.min(timeoutMs, 2 ** 31 - 1));
  const sending = fetch(new URL(nonceUrl, location.href), {
    method: 'POST',
    credentials: 'omit',
    redirect: 'error',
    signal: AbortSignal.any([signal, overtime]),
  });
  try {
    const { nonce } = await readAnswer<{ nonce: unknown }>(sending, 'nonce', 'nonce');
    return isText(nonce) ? nonce : fail('ERR_SESSION', 'No nonce: not a text');
  } catch (error) {
    if (signal.aborted) return undefined;
    if (overtime.aborted) fail('ERR6', 'Back end sent no nonce');
    throw error;
  }
}
