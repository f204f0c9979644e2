import { onTestFinished } from 'vitest';

/** What would end the process, until the test has finished. Node reports a rejection before the next turn of its loop. */
export function collectUnhandled(): unknown[] {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('uncaughtException', note).on('unhandledRejection', note);
  onTestFinished(() => void process.off('uncaughtException', note).off('unhandledRejection', note));
  return unhandled;
}
