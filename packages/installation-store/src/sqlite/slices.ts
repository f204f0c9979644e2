/**
 * `node:sqlite` answers at once, so many reads in a row would keep the event loop busy. After a slice of
 * them, the next ones run in the next turn of the loop, in the order they came.
 */

const defaultSliceMs = 2;

export type RunInSlices = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** @param sliceMs how long the synchronous parts of one turn may take in all, in milliseconds. */
export function createSlices(sliceMs = defaultSliceMs): RunInSlices {
  const waiting: (() => void)[] = [];
  let spentMs = 0;
  let isTurnAhead = false;

  function beginTurn(): void {
    isTurnAhead = false;
    spentMs = 0;
    while (waiting.length > 0 && spentMs < sliceMs) waiting.shift()?.();
    if (waiting.length > 0) awaitTurn();
  }

  function awaitTurn(): void {
    if (isTurnAhead) return;
    isTurnAhead = true;
    setImmediate(beginTurn);
  }

  function run<Result>(work: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    const result = work();
    spentMs += performance.now() - startedAt;
    awaitTurn();
    return result;
  }

  return (work) => {
    if (waiting.length === 0 && spentMs < sliceMs) return run(work);
    return new Promise((resolve) => {
      waiting.push(() => resolve(run(work)));
      awaitTurn();
    });
  };
}
