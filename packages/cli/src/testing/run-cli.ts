/** Runs the command line as an operator does: a process of its own, its output, its exit code. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

export interface CliOutcome {
  /** Null when a signal ended it. */
  code: number | null;
  out: string;
  err: string;
}

/**
 * @param options.killAfterMs SIGKILL then, if it still runs.
 * @param options.cwd Where a `.env` would be read; by default a folder that has none.
 */
export async function runCli(
  args: readonly string[],
  settings: Record<string, string>,
  { killAfterMs, cwd = tmpdir() }: { killAfterMs?: number; cwd?: string } = {},
): Promise<CliOutcome> {
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  const timer =
    killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { code, out, err };
}
