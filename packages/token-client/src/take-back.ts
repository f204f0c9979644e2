/**
 * Takes back an attempt when the answer of the database to it was lost, and nothing was sent afterwards. What
 * the database may have stored must not count as a presentation of the refresh token or the code.
 */
import { pause } from '@dowel/http';
import { runInBackground, type TokenContext } from './context.ts';
import { isDatabaseAway } from './errors.ts';
import { retryUntilStored } from './save-tokens.ts';

/** The pauses before an attempt that was not found is looked for again; together as long as a lease. */
const laterLooksMs = [1_000, 4_000, 10_000];

type TakeBack = () => Promise<boolean>;

export function mayBeStored(error: unknown): boolean {
  return (error as { isUnwritten?: unknown } | null)?.isUnwritten !== true;
}

/** @param takeBack resolves with true if the attempt was stored. Repeated until the database answers. */
export function takeBackLater(
  context: TokenContext,
  installationId: string,
  takeBack: TakeBack,
): void {
  const retry = { installationId, isTemporary: isDatabaseAway };
  const look = () => retryUntilStored(context, takeBack, retry);
  const first = look();
  runInBackground(context, first);
  const search = async () => {
    if (!(await first)) await lookAgain(context, look);
  };
  search().catch(() => {});
}

/** Looks again, because the network may deliver the attempt late. Ends when the client is drained. */
async function lookAgain({ timer, closing }: TokenContext, look: TakeBack): Promise<void> {
  for (const ms of laterLooksMs) {
    await pause(timer, ms, closing.signal);
    if (closing.signal.aborted || (await look())) return;
  }
}
