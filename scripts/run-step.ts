/** Runs a program of the workspace with the pinned Node first on its PATH. */
import { type ChildProcess, spawn } from 'node:child_process';
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

const isWindows = process.platform === 'win32';
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** How long a step may take to end by a signal. */
const endGraceMs = 10_000;

/** The signal that ends this process. From then on no step begins. */
let endedBy: NodeJS.Signals | undefined;
let running = 0;

export interface StepOptions {
  /** Collects what the program prints instead of showing it. */
  capture?: boolean;
  env?: NodeJS.ProcessEnv;
  /** The working folder. Default: the root of the workspace. */
  cwd?: string;
  /** After this time the program and everything it started are killed; the code is 124. */
  limitMs?: number;
  /** Ends the step and everything it started. */
  signal?: AbortSignal;
}

/**
 * Resolves with the exit code and, with `capture`, what the program printed. A signal that ends this process ends all
 * running steps first, with everything they started.
 */
export function runStep(
  command: string,
  args: readonly string[],
  { capture = false, env = {}, cwd = root, limitMs, signal }: StepOptions = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    // The process ends with its last running step.
    if (endedBy) return;
    const child = spawn(command, args, {
      cwd,
      env: { ...environment, ...env },
      stdio: ['ignore', capture ? 'pipe' : 'inherit', capture ? 'pipe' : 'inherit'],
      shell: isWindows,
      // A process group of its own can be killed as a whole.
      detached: !isWindows,
    });
    const kill = () => signalGroup(child, 'SIGKILL');
    const limit = limitMs === undefined ? undefined : setTimeout(kill, limitMs);
    const release = passSignals(child, signal);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (text) => {
        output += text;
      });
    }
    let isSettled = false;
    const settled = () => {
      // A program that is missing has an error, and then it closes.
      if (isSettled) return;
      isSettled = true;
      clearTimeout(limit);
      release();
    };
    child.once('error', (error) => {
      settled();
      reject(error);
    });
    child.once('close', (code, signal) => {
      settled();
      resolve({ code: code ?? (signal === 'SIGKILL' ? 124 : 1), output });
    });
  });
}

/**
 * The terminal's signals do not reach a group of its own. The first signal ends the step. After its last step this
 * process ends by the signal, too, unless it handles signals itself.
 *
 * @returns a function to call when the step has ended.
 */
function passSignals(child: ChildProcess, aborted?: AbortSignal): () => void {
  let timer: NodeJS.Timeout | undefined;
  const end = (signal: NodeJS.Signals) => {
    timer ??= setTimeout(() => signalGroup(child, 'SIGKILL'), endGraceMs);
    signalGroup(child, signal);
  };
  const pass = (signal: NodeJS.Signals) => {
    endedBy ??= signal;
    if (!timer) end(signal);
  };
  const abort = () => end('SIGTERM');
  running += 1;
  for (const each of stopSignals) process.on(each, pass);
  aborted?.addEventListener('abort', abort);
  return () => {
    clearTimeout(timer);
    aborted?.removeEventListener('abort', abort);
    for (const each of stopSignals) process.off(each, pass);
    running -= 1;
    if (endedBy && running === 0 && process.listenerCount(endedBy) === 0) {
      process.kill(process.pid, endedBy);
    }
  };
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (isWindows) child.kill(signal);
    else if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // The group has ended.
  }
}
