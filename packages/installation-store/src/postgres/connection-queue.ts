/**
 * Lets as many callers through as there are connections; the others wait in order. The pool itself would
 * count the wait as time to connect, and report a busy process as an unreachable database.
 */

export interface ConnectionQueue {
  /**
   * Resolves with what gives the place back.
   *
   * @throws the error of `onTimeout` after `waitMs`.
   */
  enter(): Promise<() => void>;
}

export interface ConnectionQueueOptions {
  /** Callers at one time. */
  places: number;
  /** How long a caller waits, in milliseconds. */
  waitMs: number;
  onTimeout: () => Error;
}

export function createConnectionQueue(options: ConnectionQueueOptions): ConnectionQueue {
  const { places, waitMs, onTimeout } = options;
  const waiting = new Set<() => void>();
  let taken = 0;

  function leave(): void {
    const [next] = waiting;
    if (next) next();
    else taken -= 1;
  }

  /** The place of the caller that leaves. */
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

  return {
    async enter() {
      if (taken < places) taken += 1;
      else await waitForPlace();
      return leave;
    },
  };
}
