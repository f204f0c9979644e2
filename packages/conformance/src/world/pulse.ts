/** Notices when this process does not get to run: on a busy machine an answer that is late may be our own fault. */

export interface Pulse {
  /** Milliseconds between two points in time in which this process could not run. */
  lostBetween(start: number, end: number): number;
  stop(): void;
}

const beatMs = 50;

export function startPulse(): Pulse {
  const gaps: { end: number; lostMs: number }[] = [];
  let last = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    const lostMs = now - last - beatMs;
    if (lostMs > 0) gaps.push({ end: now, lostMs });
    last = now;
  }, beatMs).unref();
  return {
    lostBetween: (start, end) =>
      gaps
        .filter((gap) => gap.end > start && gap.end <= end)
        .reduce((sum, { lostMs }) => sum + lostMs, 0),
    stop: () => clearInterval(timer),
  };
}
