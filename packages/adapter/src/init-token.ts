/** The init token after the first handshake: renewed near its end, and given to the plug-in or a session. */
import type { AdapterContext } from './adapter-context.ts';
import { greet } from './greet.ts';
import type { VerifiedInit } from './handshake.ts';
import { init } from './init.ts';
import { readOptions } from './options.ts';
import { PluginError } from './plugin-error.ts';
import { wait } from './signing-keys.ts';

export interface TokenRequest {
  minValidityMs?: number | undefined;
}

/** How long to wait for a renewal while the current token is valid. */
const renewalPatienceMs = 2_000;

/** @throws PluginError as `init`; ERR3 when another user has signed in meanwhile */
export async function getToken(
  context: AdapterContext,
  request: TokenRequest = {},
): Promise<string> {
  const { minValidityMs } = readOptions(request, { minValidityMs: 10_000 });
  // Checked at the return, because a session may have used the token in the meantime.
  do await ensureToken(context, minValidityMs);
  while (context.isSpent);
  return (context.latest as VerifiedInit).initJwt;
}

/** A token that opens one session. A later call gets another one. */
export async function takeToken(context: AdapterContext): Promise<string> {
  do await ensureToken(context, 0);
  while (context.isSpent);
  context.isSpent = true;
  context.remainingMs = () => 0;
  return (context.latest as VerifiedInit).initJwt;
}

async function ensureToken(context: AdapterContext, minValidityMs: number): Promise<void> {
  // After the handshake, `init` waits for `parseConfig`, which may need a token itself.
  if (!context.latest) await init(context);
  const leftMs = context.remainingMs();
  if (leftMs <= 0 || leftMs < minValidityMs) await renew(context);
  context.life.signal.throwIfAborted();
}

/** While the current token is valid, stops waiting for a silent host or an unavailable key. */
async function renew(context: AdapterContext): Promise<void> {
  const { options, life, remainingMs } = context;
  context.renewal ??= greet(context, options.timeoutMs, life.signal).finally(() => {
    context.renewal = undefined;
  });
  const patienceMs = Math.min(renewalPatienceMs, remainingMs() / 2);
  try {
    await (patienceMs > 0 ? Promise.race([context.renewal, wait(patienceMs)]) : context.renewal);
  } catch (error) {
    const isPassing = error instanceof PluginError && error.retryable;
    if (!isPassing || context.remainingMs() <= 0) throw error;
  }
}
