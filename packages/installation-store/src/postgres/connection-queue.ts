/**
 * Lets as many callers through as there are connections; the others wait in order, urgent ones first. The pool itself would
 * count the wait as time to connect, and report a busy process as an unreachable database.
 */

export interface ConnectionQueue {
  /**
   * Resolves with a function that gives the place back.
   *
   * @param isUrgent waits before all callers that are not urgent, and without a time limit.
   * @throws the error of `onTimeout` after `waitMs`.
   */
  enter(isUrgent?: boolean): Promise<() => void>;
  /** Has at most so many places for a while, and at least one. */
  shrink(places: number, forMs: number): void;
  waitingCount(): number;
}

export interface ConnectionQueueOptions {
  /** Callers at one time. */
  places: number;
  /** How long a caller waits, in milliseconds. */
  waitMs: number;
  onTimeout: () => Error;
}

/** Creates a queue with `places` places. A caller that waited for `waitMs` gets the error of `onTimeout`. */
export function createConnectionQueue(options: ConnectionQueueOptions): ConnectionQueue {
  const { waitMs, onTimeout } = options;
  const urgent = new Set<() => void>();
  const waiting = new Set<() => void>();
  let { places } = options;
  let taken = 0;
  let growing: NodeJS.Timeout | undefined;

  function leave(): void {
    taken -= 1;
    serve();
  }

  function serve(): void {
    while (taken < places) {
      const [next] = urgent.size > 0 ? urgent : waiting;
      if (!next) return;
      taken += 1;
      next();
    }
  }

  /** Waits for the place of a caller that leaves. */
  function waitIn(line: Set<() => void>, limitMs: number | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer =
        limitMs === undefined
          ? undefined
          : setTimeout(() => {
              line.delete(proceed);
              reject(onTimeout());
            }, limitMs);
      function proceed() {
        clearTimeout(timer);
        line.delete(proceed);
        resolve();
      }
      line.add(proceed);
    });
  }

  return {
    async enter(isUrgent = false) {
      if (taken < places) taken += 1;
      else await (isUrgent ? waitIn(urgent, undefined) : waitIn(waiting, waitMs));
      return leave;
    },

    waitingCount: () => urgent.size + waiting.size,

    shrink(most, forMs) {
      places = Math.min(options.places, Math.max(1, most));
      clearTimeout(growing);
      growing = setTimeout(() => {
        ({ places } = options);
        serve();
      }, forMs).unref();
    },
  };
}
