/** Time that passes, apart from the time of day: tests and the simulator bring their own. */
export interface Timer {
  /** Milliseconds that never go back; paused processes see them jump. */
  monotonic(): number;
  /** Calls back once after `ms`. Returns the way to cancel. */
  after(ms: number, callback: () => void): () => void;
}

/** The longest time of `setTimeout`, almost 25 days. A longer one would be over at once. */
const maxDelayMs = 2 ** 31 - 1;

/**
 * A timer that fires later than this was held up by other work of the process. Answers that have arrived
 * meanwhile are not read yet, so the loop reads its sockets once more before a request is given up.
 */
const maxLatenessMs = 20;

/** A negative time counts as none. */
export const systemTimer: Timer = {
  monotonic: () => performance.now(),
  after(ms, callback) {
    const delayMs = Math.max(0, Math.min(ms, maxDelayMs));
    const dueAt = performance.now() + delayMs;
    let immediate: NodeJS.Immediate | undefined;
    const timeout = setTimeout(() => {
      if (performance.now() - dueAt <= maxLatenessMs) return callback();
      immediate = setImmediate(() => {
        immediate = setImmediate(callback);
      });
    }, delayMs);
    return () => {
      clearTimeout(timeout);
      clearImmediate(immediate);
    };
  },
};

/** Resolves after `ms`, or as soon as the signal is aborted. */
export function pause(timer: Timer, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const cancel = timer.after(ms, finish);
    function finish(): void {
      cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    }
    signal?.addEventListener('abort', finish);
  });
}

/**
 * Settles as `work` does, but at the latest when `stop` is aborted: then it rejects with the signal's reason, also if
 * `work` ignores its signal. After `ms` it aborts `stop` itself, with `reason()`.
 */
export function endInTime<Result>(
  timer: Timer,
  { ms, stop, reason }: { ms: number; stop: AbortController; reason: () => Error },
  work: Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const cancel = timer.after(ms, () => stop.abort(reason()));
    const giveUp = () => {
      cancel();
      reject(stop.signal.reason);
    };
    if (stop.signal.aborted) giveUp();
    stop.signal.addEventListener('abort', giveUp, { once: true });
    work.finally(cancel).then(resolve, reject);
  });
}

/** Runs `work` with a signal that is aborted, with `reason()`, after `ms` or when `signal` is. */
export async function withTimeout<Result>(
  timer: Timer,
  { ms, signal, reason }: { ms: number; signal?: AbortSignal | null; reason: () => Error },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const cancel = timer.after(ms, () => controller.abort(reason()));
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  try {
    return await work(controller.signal);
  } finally {
    cancel();
    signal?.removeEventListener('abort', abort);
  }
}
