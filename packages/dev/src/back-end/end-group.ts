/** Ends a program with all that it has started. Windows has no such groups: there only the program ends. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

const killAfterMs = 3_000;
const lookEveryMs = 25;

/** Sends SIGTERM, and SIGKILL if something still runs after 3 s. */
export async function endGroup(child: ChildProcess): Promise<void> {
  signalGroup(child, 'SIGTERM');
  const deadline = performance.now() + killAfterMs;
  while (isGroupAlive(child) && performance.now() < deadline) await pause(lookEveryMs);
  signalGroup(child, 'SIGKILL');
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  const { pid } = child;
  if (pid === undefined) return false;
  if (process.platform === 'win32') return signal !== 0 && child.kill(signal);
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

function isGroupAlive(child: ChildProcess): boolean {
  if (process.platform === 'win32') return child.exitCode === null && child.signalCode === null;
  return signalGroup(child, 0);
}
