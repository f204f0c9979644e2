/** Runs the command line as an operator does: a process of its own, its output, its exit code. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Empty means not set: the work tree's `.env` is not used. */
const unset = { DOWEL_DATA_DIR: '', DOWEL_KEY_FILE: '', DOWEL_DATABASE_URL: '', NODE_ENV: '' };
const main = fileURLToPath(new URL('../main.ts', import.meta.url));

export interface CliOutcome {
  /** Null when a signal ended it. */
  code: number | null;
  out: string;
  err: string;
}

/** @param killAfterMs SIGKILL after this time, if it still runs. */
export async function runCli(
  args: readonly string[],
  settings: Record<string, string>,
  killAfterMs?: number,
): Promise<CliOutcome> {
  const env = { PATH: process.env.PATH, ...unset, ...settings };
  const child = spawn(process.execPath, [main, ...args], {
    env,
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
