import { onTestFinished, vi } from 'vitest';

/** Stops countdowns until the test moves the clock or ends. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}
