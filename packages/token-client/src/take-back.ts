/**
 * Takes back an attempt when the answer of the database to it was lost, and nothing was sent afterwards. What
 * the database may have stored must not count as a presentation of the refresh token or the code.
 */
import { pause } from '@dowel/http';
import { runInBackground, type TokenContext } from './context.ts';
import { isDatabaseAway } from './errors.ts';
import { retryUntilStored } from './save-tokens.ts';

/** The pause before an attempt that was not found is looked for again: the database may still work on it. */
const laterLookMs = 5_000;

export function mayBeStored(error: unknown): boolean {
  return (error as { isUnwritten?: unknown } | null)?.isUnwritten !== true;
}

/** @param takeBack resolves with true if the attempt was stored. Repeated until the database answers. */
export function takeBackLater(
  context: TokenContext,
  installationId: string,
  takeBack: () => Promise<boolean>,
): void {
  const retry = { installationId, isTemporary: isDatabaseAway };
  const look = () => retryUntilStored(context, takeBack, retry);
  const first = look();
  runInBackground(context, first);
  const lookAgain = async () => {
    if (await first) return;
    await pause(context.timer, laterLookMs, context.closing.signal);
    if (!context.closing.signal.aborted) await look();
  };
  // Not work in the background: draining the client ends it.
  lookAgain().catch(() => {});
}
