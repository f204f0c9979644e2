import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * Rejects when the process ends, with what it wrote to standard error from now on. A wait for its output goes into a race
 * with it: otherwise a process that cannot start is waited for until the test's time is over.
 *
 * @example
 * await Promise.race([once(child.stdout, 'data'), failAtExit(child)]);
 */
export async function failAtExit(child: ChildProcess): Promise<never> {
  let errors = '';
  child.stderr?.on('data', (text: Buffer) => {
    errors += text.toString();
  });
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  throw new Error(`The process ended with ${child.exitCode ?? child.signalCode}: ${errors}`);
}
