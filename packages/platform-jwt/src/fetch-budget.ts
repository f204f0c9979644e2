/**
 * How often all key hosts together may be asked, so that strangers who post tokens with made-up key
 * locations can neither use this process as an amplifier nor lock out the locations that are known.
 */
const windowMs = 60_000;
const maxPerWindow = 60;
const maxInFlight = 4;
/** Of both bounds, kept for locations that have served a key before. */
const reservedPerWindow = 12;
const reservedInFlight = 1;
/** Beyond this the answer would come later than the platform waits for it (30 s). */
const maxWaiting = 16;

class FetchBudgetError extends Error {
  override readonly name = 'FetchBudgetError';
}

export function createFetchBudget(now: () => number) {
  const waiting: (() => void)[] = [];
  let startedAt: number[] = [];
  let inFlight = 0;

  function countFetch(isKnown: boolean): void {
    startedAt = startedAt.filter((time) => isWithin(windowMs, time, now()));
    const limit = isKnown ? maxPerWindow : maxPerWindow - reservedPerWindow;
    if (startedAt.length >= limit) throw new FetchBudgetError('Too many key fetches in a minute');
    startedAt.push(now());
  }

  /** A known location never waits: its caller has a key to fall back on. */
  async function takeSlot(isKnown: boolean): Promise<void> {
    const limit = isKnown ? maxInFlight : maxInFlight - reservedInFlight;
    if (inFlight < limit) {
      inFlight += 1;
      return;
    }
    if (isKnown || waiting.length >= maxWaiting) {
      throw new FetchBudgetError('Too many key fetches at once');
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function releaseSlot(): void {
    inFlight -= 1;
    if (inFlight < maxInFlight - reservedInFlight && waiting.length > 0) {
      inFlight += 1;
      waiting.shift()?.();
    }
  }

  return {
    /** @throws FetchBudgetError instead of running the task when a bound is reached. */
    async run<Result>(task: () => Promise<Result>, isKnown: boolean): Promise<Result> {
      await takeSlot(isKnown);
      try {
        countFetch(isKnown);
        return await task();
      } finally {
        releaseSlot();
      }
    },
  };
}

/** Whether `time` lies less than `durationMs` back; a clock that was set back makes it old. */
export function isWithin(durationMs: number, time: number, nowMs: number): boolean {
  return time <= nowMs && nowMs - time < durationMs;
}
