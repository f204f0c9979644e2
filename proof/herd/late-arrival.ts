/** A token request that its sender gives up before the server handles it. */
import type { TokenFault } from '@dowel/emulator/authorization-server';
import { systemTimer, type Timer } from '@dowel/http';

/**
 * Two faults, one for each of two token requests. The first request is held back until the second has
 * been served; the second is answered when the first has been judged.
 *
 * @param goOn the second request is held back until then. Default: not at all.
 */
export function createLateArrival(goOn: Promise<void> = Promise.resolve()) {
  const arrived = Promise.withResolvers<void>();
  const overtaken = Promise.withResolvers<void>();
  const served = Promise.withResolvers<void>();
  const judged = Promise.withResolvers<void>();
  const held: TokenFault = {
    before: () => {
      arrived.resolve();
      return served.promise;
    },
    after: async () => judged.resolve(),
  };
  const overtaking: TokenFault = {
    before: () => {
      overtaken.resolve();
      return goOn;
    },
    after: () => {
      served.resolve();
      return judged.promise;
    },
  };
  return {
    faults: [held, overtaking],
    arrived: arrived.promise,
    /** Resolves when the second request has arrived. */
    overtaken: overtaken.promise,
  };
}

/** A gateway that answers 504 to the first request, while the server behind it continues. */
export function createGatewayThatGivesUp(gaveUp: Promise<void>): typeof fetch {
  let isFirst = true;
  return async (input, init) => {
    const answer = fetch(input, init);
    if (!isFirst) return answer;
    isFirst = false;
    answer.then(({ body }) => body?.cancel()).catch(() => {});
    await gaveUp;
    return new Response('<html>', { status: 504 });
  };
}

/** The system's timer, but the first delay of `ms` ends when `over` does, however busy the machine is. */
export function createTimerThatEnds(ms: number, over: Promise<void>): Timer {
  let isFirst = true;
  return {
    ...systemTimer,
    after(delayMs, callback) {
      if (delayMs !== ms || !isFirst) return systemTimer.after(delayMs, callback);
      isFirst = false;
      let isCancelled = false;
      void over.then(() => {
        if (!isCancelled) callback();
      });
      return () => {
        isCancelled = true;
      };
    },
  };
}
