/** Runs the command line as an operator does, in a separate process, and returns output and exit code. */
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
 * @param options.killAfterMs after this time it gets SIGKILL.
 * @param options.input the standard input.
 * @param options.cwd the working folder. Default: a folder without `.env`.
 */
export async function runCli(
  args: readonly string[],
  settings: Record<string, string>,
  {
    killAfterMs,
    cwd = tmpdir(),
    input = '',
  }: { killAfterMs?: number; cwd?: string; input?: string } = {},
): Promise<CliOutcome> {
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...settings,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
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
