/**
 * Answers the platform's save button: exactly once, in time, whatever the plug-in's handler does.
 * Only a verified request of the verified page counts.
 */
import type { InitClaims } from './claims.ts';
import { isText } from './handshake.ts';
import type { VerifyToken } from './verify-token.ts';

/** The configuration to store, or true to leave it as it is, or false to refuse. */
export type SaveAnswer<Config> = Config | boolean;

/**
 * An error refuses the save too; its message says what to fix and reaches the diagnostics. The
 * signal aborts when it is too late to answer, after 30 s. `saveJwt` is the verified request itself,
 * for a back end that wants to verify it too: a secret.
 */
export type SaveHandler<Config, Context = unknown> = (
  claims: InitClaims<Context>,
  signal: AbortSignal,
  saveJwt: string,
) => SaveAnswer<Config> | Promise<SaveAnswer<Config>>;

/** What the answers of one view share. */
export interface SaveContext {
  verify: VerifyToken;
  /** The verified page around this one; undefined before the handshake. */
  hostOrigin: () => string | undefined;
  /** @throws PluginError ERR3 for the claims of another user */
  checkUser: (claims: InitClaims) => InitClaims;
  /** The `jti` of every request that was accepted: none is answered twice. */
  accepted: Set<string>;
  post: (message: object) => void;
  /** Receives why a request was refused, in English; never a secret. */
  warn: (diagnosis: string | Error) => void;
}

const timeoutMs = 30_000;

/** Answers save requests until the signal aborts. */
export function answerSaves<Config>(
  context: SaveContext,
  handler: SaveHandler<Config>,
  signal: AbortSignal,
): void {
  async function onMessage(message: MessageEvent): Promise<void> {
    const { data, origin, source } = message;
    if (source !== parent || origin !== context.hostOrigin() || !isText(data)) return;
    const claims = context.checkUser(await context.verify(message, 'save', signal));
    const { jti } = claims;
    if (context.accepted.has(jti)) return;
    context.accepted.add(jti);
    const answer = await decideSave(handler, claims, data, context.warn);
    context.post({ sub: 'setConfig', jti, data: answer });
  }
  addEventListener('message', (message) => onMessage(message).catch(context.warn), { signal });
}

/** @param warn receives why the answer is false */
export function decideSave<Config>(
  handler: SaveHandler<Config>,
  claims: InitClaims,
  saveJwt: string,
  warn: SaveContext['warn'],
): Promise<SaveAnswer<Config>> {
  return new Promise<SaveAnswer<Config>>((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    signal.onabort = () => reject(signal.reason);
    // Resolved with the handler's own promise, this one could not be rejected any more.
    Promise.resolve(handler(claims, signal, saveJwt))
      .then(structuredClone<SaveAnswer<Config>>) // what cannot be posted is refused
      .then(resolve, reject);
  }).catch((error) => {
    warn(`Not saved: ${error}`);
    return false;
  });
}
