import type { Timer } from '@dowel/http';

interface Waiting {
  at: number;
  callback: () => void;
}

/** Creates a timer whose time passes only by `advance`. */
export function createManualTimer() {
  let now = 0;
  const waiting = new Set<Waiting>();
  const timer: Timer = {
    monotonic: () => now,
    after(ms, callback) {
      const entry = { at: now + ms, callback };
      waiting.add(entry);
      return () => waiting.delete(entry);
    },
  };
  return {
    timer,
    advance(ms: number): void {
      now += ms;
      for (const entry of [...waiting].filter(({ at }) => at <= now)) {
        waiting.delete(entry);
        entry.callback();
      }
    },
  };
}
