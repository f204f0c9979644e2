/** Runs the command line as an operator does, in a separate process, and returns output and exit code. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
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

/** Starts it. @param cwd the working folder. Default: a folder without `.env`. */
export function startCli(
  args: readonly string[],
  settings: Record<string, string>,
  cwd = tmpdir(),
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [main, ...args], {
    cwd,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...settings,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** @param options.cwd as in {@link startCli}. */
export async function runCli(
  args: readonly string[],
  settings: Record<string, string>,
  { cwd }: { cwd?: string } = {},
): Promise<CliOutcome> {
  const child = startCli(args, settings, cwd);
  child.stdin.end();
  let out = '';
  let err = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}
