/**
 * Answers the platform's save button exactly once and in time, even if the plug-in's handler fails or hangs. Only
 * verified requests of the verified page are answered.
 */
import type { InitClaims } from './claims.ts';
import { isText } from './handshake.ts';
import { untilAborted } from './until-aborted.ts';
import { type Trust, verifyToken } from './verify-token.ts';

/** The configuration to store, true to keep the stored one, or false to refuse. */
export type SaveAnswer<Config> = Config | boolean;

/**
 * Throwing an error refuses the save, too. Its message should explain what to fix, and is sent to the
 * diagnostics. The signal aborts when it is too late to answer, 30 s after the request. `saveJwt` is the
 * verified request, for a back end that verifies it again. It is a secret.
 */
export type SaveHandler<Config, Context = unknown> = (
  claims: InitClaims<Context>,
  signal: AbortSignal,
  saveJwt: string,
) => SaveAnswer<Config> | Promise<SaveAnswer<Config>>;

/** The shared state of one view's answers. */
export interface SaveContext {
  /** The issuers that the view believes at this moment. */
  trust: () => Trust;
  /** The verified page around this one; undefined before the handshake. */
  hostOrigin: () => string | undefined;
  /** @throws PluginError ERR3 for the claims of another user */
  checkUser: (claims: InitClaims) => InitClaims;
  /** The `jti` of every accepted request, so that none is answered twice. */
  accepted: Set<string>;
  post: (message: object) => void;
  /** Receives the reason of each refusal, in English; never secrets. */
  warn: (diagnosis: string) => void;
}

/** The time limit for verification and handler together. */
const timeoutMs = 30_000;

/** Answers save requests until the signal aborts. */
export function answerSaves<Config>(
  context: SaveContext,
  handler: SaveHandler<Config>,
  signal: AbortSignal,
): void {
  function onMessage(message: MessageEvent): void {
    answerSave(context, handler, message, signal)
      .catch((error) => context.warn(`Not saved: ${error?.diagnosis ?? error}`))
      .catch(() => {}); // What a handler throws may have no text.
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
  const deciding = decideSave(handler, claims, data, overtime);
  context.post({ sub: 'setConfig', jti, data: await deciding.catch(() => false) });
  await deciding; // Its error is reported after the answer.
}

/** A copy of the handler's answer. @throws the handler's errors; the reason of `overtime` */
export async function decideSave<Config>(
  handler: SaveHandler<Config>,
  claims: InitClaims,
  saveJwt: string,
  overtime: AbortSignal,
): Promise<SaveAnswer<Config>> {
  // An answer that cannot be posted is refused.
  return structuredClone(await untilAborted(overtime, handler(claims, overtime, saveJwt)));
}
