/**
 * Answers the platform's save button: exactly once, in time, whatever the plug-in's handler does.
 * Only a verified request of the verified page counts.
 */
import type { InitClaims } from './claims.ts';
import { isText } from './handshake.ts';
import { type Trust, verifyToken } from './verify-token.ts';

/** The configuration to store, or true to leave it as it is, or false to refuse. */
export type SaveAnswer<Config> = Config | boolean;

/**
 * An error refuses the save too; its message says what to fix and reaches the diagnostics. The
 * signal aborts when it is too late to answer, 30 s after the request came. `saveJwt` is the verified
 * request itself, for a back end that wants to verify it too: a secret.
 */
export type SaveHandler<Config, Context = unknown> = (
  claims: InitClaims<Context>,
  signal: AbortSignal,
  saveJwt: string,
) => SaveAnswer<Config> | Promise<SaveAnswer<Config>>;

/** What the answers of one view share. */
export interface SaveContext {
  /** Whom the view believes at this moment. */
  trust: () => Trust;
  /** The verified page around this one; undefined before the handshake. */
  hostOrigin: () => string | undefined;
  /** @throws PluginError ERR3 for the claims of another user */
  checkUser: (claims: InitClaims) => InitClaims;
  /** The `jti` of every request that was accepted: none is answered twice. */
  accepted: Set<string>;
  post: (message: object) => void;
  /** Receives why a request was refused, in English; never a secret. */
  warn: (diagnosis: string) => void;
}

/** For the verification of a request and the handler together. */
const timeoutMs = 30_000;

/** Answers save requests until the signal aborts. */
export function answerSaves<Config>(
  context: SaveContext,
  handler: SaveHandler<Config>,
  signal: AbortSignal,
): void {
  function onMessage(message: MessageEvent): void {
    answerSave(context, handler, message, signal).catch((error) =>
      context.warn(`No save: ${error.diagnosis ?? error}`),
    );
  }
  addEventListener('message', onMessage, { signal });
}

async function answerSave<Config>(
  context: SaveContext,
  handler: SaveHandler<Config>,
  message: MessageEvent,
  signal: AbortSignal,
): Promise<void> {
  const { data, origin, source } = message;
  if (source !== parent || origin !== context.hostOrigin() || !isText(data)) return;
  const overtime = AbortSignal.timeout(timeoutMs);
  const verifying = verifyToken(
    context.trust(),
    message,
    'save',
    AbortSignal.any([signal, overtime]),
  );
  const claims = context.checkUser(await untilAborted(overtime, verifying));
  const { jti } = claims;
  if (context.accepted.has(jti)) return;
  context.accepted.add(jti);
  const answer = await decideSave(handler, claims, data, overtime).catch((error) => {
    context.warn(`Not saved: ${error}`);
    return false;
  });
  context.post({ sub: 'setConfig', jti, data: answer });
}

/** A copy of what the handler answers. @throws what the handler throws; the reason of `overtime` */
export async function decideSave<Config>(
  handler: SaveHandler<Config>,
  claims: InitClaims,
  saveJwt: string,
  overtime: AbortSignal,
): Promise<SaveAnswer<Config>> {
  const answer = await untilAborted(overtime, handler(claims, overtime, saveJwt));
  return structuredClone(answer); // What cannot be posted is refused.
}

/** Rejects with the signal's reason when that aborts first. Leaves no listener. */
function untilAborted<Value>(signal: AbortSignal, value: Value | Promise<Value>): Promise<Value> {
  return new Promise<Value>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    Promise.resolve(value)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}
