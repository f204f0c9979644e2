/** A signal for one request that ends with either of two others. `AbortSignal.any` takes seven times as long. */

export interface FollowedSignals {
  /** Aborted with the reason of the signal that came first. */
  signal: AbortSignal;
  /** Rejects when `signal` is aborted. Never resolves. */
  aborted: Promise<never>;
  /** Stops following the second signal. */
  releaseSecond(): void;
  /**
   * Call it when the request has ended: stops following both signals, so that neither keeps the request in
   * memory.
   */
  release(): void;
}

/** @throws the reason of a signal that is aborted already. */
export function followSignals(
  first: AbortSignal | null | undefined,
  second: AbortSignal | undefined,
): FollowedSignals {
  first?.throwIfAborted();
  second?.throwIfAborted();
  const controller = new AbortController();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  function abort({ target }: Event): void {
    const { reason } = target as AbortSignal;
    reject(reason);
    controller.abort(reason);
  }
  function releaseSecond(): void {
    second?.removeEventListener('abort', abort);
  }
  first?.addEventListener('abort', abort);
  second?.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    aborted,
    releaseSecond,
    release() {
      first?.removeEventListener('abort', abort);
      releaseSecond();
    },
  };
}

/** Aborted when one of them is. */
export function joinSignals(
  one: AbortSignal | null | undefined,
  other: AbortSignal | null | undefined,
): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other ?? undefined);
}
