/** The first handshake of an adapter, and the configuration in its token. */
import { type AdapterContext, withLife } from './adapter-context.ts';
import { greet } from './greet.ts';
import type { InitRequest, VerifiedInit } from './handshake.ts';
import { readOptions } from './options.ts';
import { fail } from './plugin-error.ts';
import { sendHeight } from './set-height.ts';
import { untilAborted } from './until-aborted.ts';

/** All calls share one handshake and one promise. After a failure the next call tries again. */
export function init(context: AdapterContext, request?: InitRequest): Promise<unknown> {
  context.initial ??= start(context, request).catch((error) => {
    context.initial = undefined;
    throw error;
  });
  return context.initial;
}

async function start(context: AdapterContext, request: InitRequest = {}): Promise<VerifiedInit> {
  const { view, timeoutMs } = context.options;
  const asked = readOptions(request, {
    timeoutMs,
    signal: context.life.signal,
  });
  const signal = withLife(context, asked.signal);
  const verified = await greet(context, asked.timeoutMs, signal);
  const config = await readConfig(context, verified.claims.cfg, signal);
  sendHeight(context);
  return { ...verified, view, config } as VerifiedInit;
}

/** `parseConfig` has no time limit of its own. The adapter's end or the caller's signal stops the wait. */
async function readConfig(
  { options: { view, parseConfig } }: AdapterContext,
  stored: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    return await untilAborted(signal, parseConfig(stored));
  } catch (error) {
    if (signal.aborted) fail('ERR_ABORTED', 'Aborted', signal.reason);
    if (view !== 'config') fail('ERR_CONFIG', `${error as Error}`, error);
  }
}
