import { onTestFinished, vi } from 'vitest';

/** Countdowns stand still until the test moves the clock, and until its end. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}
