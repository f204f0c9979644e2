/**
 * Calls `end` once, with the reason of the signal that is aborted first. `AbortSignal.any` takes seven times as long.
 *
 * @returns what stops following: the second signal, or both. Call it when the request has ended, so that neither
 * signal keeps the request in memory.
 * @throws the reason of a signal that is aborted already.
 */
export function followSignals(
  first: AbortSignal | null | undefined,
  second: AbortSignal | undefined,
  end: (reason: unknown) => void,
): { releaseSecond: () => void; release: () => void } {
  first?.throwIfAborted();
  second?.throwIfAborted();
  const abort = ({ target }: Event) => {
    release();
    end((target as AbortSignal).reason);
  };
  const releaseSecond = () => second?.removeEventListener('abort', abort);
  const release = () => {
    first?.removeEventListener('abort', abort);
    releaseSecond();
  };
  first?.addEventListener('abort', abort);
  second?.addEventListener('abort', abort);
  return { releaseSecond, release };
}

/** Aborted when one of them is. */
export function joinSignals(
  one: AbortSignal | null | undefined,
  other: AbortSignal | null | undefined,
): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other ?? undefined);
}
