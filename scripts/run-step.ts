/** Runs a program of the workspace with the pinned Node first on its PATH. */
import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const environment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [dirname(process.execPath), join(root, 'node_modules/.bin'), process.env.PATH].join(
    delimiter,
  ),
  TURBO_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
};

export interface StepOptions {
  /** Collects what the program prints instead of showing it. */
  capture?: boolean;
  env?: NodeJS.ProcessEnv;
  /** The working folder. Default: the root of the workspace. */
  cwd?: string;
  /** After this time the program and everything it started are killed; the code is 124. */
  limitMs?: number;
}

/** Resolves with the exit code and, with `capture`, what the program printed. */
export function runStep(
  command: string,
  args: readonly string[],
  { capture = false, env = {}, cwd = root, limitMs }: StepOptions = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...environment, ...env },
      stdio: ['ignore', capture ? 'pipe' : 'inherit', capture ? 'pipe' : 'inherit'],
      shell: process.platform === 'win32',
      // A process group of its own can be killed as a whole.
      detached: limitMs !== undefined,
    });
    const endGroup = () => child.pid && process.kill(-child.pid, 'SIGKILL');
    const limit = limitMs === undefined ? undefined : setTimeout(endGroup, limitMs);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (text) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      resolve({ code: code ?? (signal === 'SIGKILL' ? 124 : 1), output });
    });
  });
}
