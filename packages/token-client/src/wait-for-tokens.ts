/** A call that waits for tokens: how long, and how many at one time. */
import { pause } from '@dowel/http';
import type { TokenContext } from './context.ts';
import { retryLater } from './errors.ts';

export interface CallLimits {
  signal: AbortSignal | null | undefined;
  /** On the timer. */
  endsAt: number;
}

/** @throws TokenClientError `TOO_MANY_WAITING`, `TOKEN_UNAVAILABLE`; the signal's reason. */
export async function waitForTokens<Result>(
  { policy, timer, waiting }: TokenContext,
  { signal, endsAt }: CallLimits,
  work: () => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  if (waiting.calls >= policy.maxWaitingCalls) {
    throw retryLater('TOO_MANY_WAITING', 'Too many calls wait for tokens', policy.waitMs);
  }
  waiting.calls += 1;
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  signal?.addEventListener('abort', leave);
  const ms = Math.max(0, endsAt - timer.monotonic());
  try {
    const left = pause(timer, ms, leaving.signal).then(() => {
      signal?.throwIfAborted();
      throw retryLater('TOKEN_UNAVAILABLE', 'No access token became available in time', 1_000);
    });
    left.catch(() => {});
    return await Promise.race([work(), left]);
  } finally {
    waiting.calls -= 1;
    signal?.removeEventListener('abort', leave);
    leave();
  }
}
