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
  const { places, waitMs, onTimeout } = options;
  const urgent = new Set<() => void>();
  const waiting = new Set<() => void>();
  let taken = 0;

  function leave(): void {
    const [next] = urgent.size > 0 ? urgent : waiting;
    if (next) next();
    else taken -= 1;
  }

  /** Waits for the place of a caller that leaves. */
  function waitForPlace(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(proceed);
        reject(onTimeout());
      }, waitMs);
      function proceed() {
        clearTimeout(timer);
        waiting.delete(proceed);
        resolve();
      }
      waiting.add(proceed);
    });
  }

  function waitUrgently(): Promise<void> {
    return new Promise((resolve) => {
      function proceed() {
        urgent.delete(proceed);
        resolve();
      }
      urgent.add(proceed);
    });
  }

  return {
    async enter(isUrgent = false) {
      if (taken < places) taken += 1;
      else await (isUrgent ? waitUrgently() : waitForPlace());
      return leave;
    },
  };
}
