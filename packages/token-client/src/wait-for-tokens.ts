/** A call that waits for tokens: how long, and how many at one time. */
import { pause } from '@dowel/http';
import type { TokenContext } from './context.ts';
import { temporaryError } from './errors.ts';

export interface CallLimits {
  installationId: string;
  signal: AbortSignal | null | undefined;
  /** A point in time of the timer, in milliseconds. */
  endsAt: number;
}

/** @throws TokenClientError `TOO_MANY_WAITING`, `TOKEN_UNAVAILABLE`; the signal's reason. */
export async function waitForTokens<Result>(
  context: TokenContext,
  { installationId, signal, endsAt }: CallLimits,
  work: () => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const { timer } = context;
  park(context, installationId);
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  signal?.addEventListener('abort', leave);
  const ms = Math.max(0, endsAt - timer.monotonic());
  try {
    const left = pause(timer, ms, leaving.signal).then(() => {
      signal?.throwIfAborted();
      throw temporaryError('TOKEN_UNAVAILABLE', 'No access token became available in time', 1_000);
    });
    left.catch(() => {});
    return await Promise.race([work(), left]);
  } finally {
    unpark(context, installationId);
    signal?.removeEventListener('abort', leave);
    leave();
  }
}

/** @throws TokenClientError `TOO_MANY_WAITING` */
function park({ policy, waiting }: TokenContext, installationId: string): void {
  const { calls, byInstallation } = waiting;
  const own = byInstallation.get(installationId) ?? 0;
  const free = policy.maxWaitingCalls - (calls - own);
  if (calls >= policy.maxWaitingCalls || own >= Math.max(1, Math.floor(free / 4))) {
    throw temporaryError('TOO_MANY_WAITING', 'Too many calls wait for tokens', policy.waitMs);
  }
  waiting.calls += 1;
  byInstallation.set(installationId, own + 1);
}

function unpark({ waiting }: TokenContext, installationId: string): void {
  const own = waiting.byInstallation.get(installationId) ?? 0;
  waiting.calls -= 1;
  if (own > 1) waiting.byInstallation.set(installationId, own - 1);
  else waiting.byInstallation.delete(installationId);
}
