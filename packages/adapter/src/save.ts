/**
 * Answers the platform's save button exactly once and in time, even if the plug-in's handler fails or hangs. Only
 * verified requests of the verified page are answered.
 */
import { type AdapterContext, type PostContext, post, warn } from './adapter-context.ts';
import type { InitClaims } from './claims.ts';
import { checkUser } from './greet.ts';
import { isText } from './handshake.ts';
import { untilAborted } from './until-aborted.ts';
import { verifyToken } from './verify-token.ts';

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

/** The part of an adapter's state that is needed to answer saves. */
export type SaveContext = PostContext &
  Pick<AdapterContext, 'life' | 'user' | 'acceptedSaves' | 'listeners'>;

/** The time limit for verification and handler together. */
const timeoutMs = 30_000;

/** Answers save requests until the adapter is destroyed. Returns a function that stops it before. */
export function answerSaves<Config>(
  context: SaveContext,
  handler: SaveHandler<Config>,
): () => void {
  const control = new AbortController();
  const signal = AbortSignal.any([context.life.signal, control.signal]);
  function onMessage(message: MessageEvent): void {
    answerSave(context, { handler, message, signal })
      .catch((error) => warn(context, `Not saved: ${error?.diagnosis ?? error}`))
      .catch(() => {}); // What a handler throws may have no text.
  }
  addEventListener('message', onMessage, { signal });
  return () => control.abort();
}

interface SaveMessage<Config> {
  readonly handler: SaveHandler<Config>;
  readonly message: MessageEvent;
  readonly signal: AbortSignal;
}

async function answerSave<Config>(
  context: SaveContext,
  { handler, message, signal }: SaveMessage<Config>,
): Promise<void> {
  const { data, origin, source } = message;
  if (source !== parent || origin !== context.latest?.hostOrigin || !isText(data)) return;
  const overtime = AbortSignal.timeout(timeoutMs);
  const verifying = verifyToken(context.page, {
    jwt: data,
    origin,
    sub: 'save',
    signal: AbortSignal.any([signal, overtime]),
  });
  const claims = checkUser(context, await untilAborted(overtime, verifying));
  const { jti } = claims;
  if (context.acceptedSaves.has(jti)) return;
  context.acceptedSaves.add(jti);
  const deciding = decideSave(handler, { claims, signal: overtime, saveJwt: data });
  post(context, { sub: 'setConfig', jti, data: await deciding.catch(() => false) });
  await deciding; // Its error is reported after the answer.
}

/** A verified save request. */
interface SaveRequest {
  readonly claims: InitClaims;
  /** Aborts when it is too late to answer. */
  readonly signal: AbortSignal;
  readonly saveJwt: string;
}

/** A copy of the handler's answer. @throws the handler's errors; the signal's reason */
export async function decideSave<Config>(
  handler: SaveHandler<Config>,
  { claims, signal, saveJwt }: SaveRequest,
): Promise<SaveAnswer<Config>> {
  // An answer that cannot be posted is refused.
  return structuredClone(await untilAborted(signal, handler(claims, signal, saveJwt)));
}
