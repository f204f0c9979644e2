/** Starts the BFF like a person in a shell: a process with two text streams and no channel to a parent. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { controlArguments, controlEnvironment } from './without-control.ts';

export const root = fileURLToPath(new URL('../../../../', import.meta.url));
const main = fileURLToPath(new URL('../main.ts', import.meta.url));

export interface ProcessOptions {
  /** The folder of database and key. */
  dataDir: string;
  settings?: Record<string, string>;
  /** Node's options. */
  execArgv?: readonly string[];
  /** Umask of the shell. */
  umask?: string;
  /** File modes apply to the process, also if root starts it. */
  obeysModes?: boolean;
}

export interface StartedProcess {
  child: ChildProcess;
  port: number;
  /** Output so far. */
  output: { out: string; err: string };
  /** The state that the start reached. */
  state: 'ready' | 'waiting for its database' | 'ended';
  /** Resolves with the exit code. */
  closed: Promise<number | null>;
}

const tries = 5;
/** Removes root's right to open every file. Other users do not have it. */
const withoutOverride =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

/** Resolves when it listens, waits for its database, or has ended. */
export async function startProcess(options: ProcessOptions): Promise<StartedProcess> {
  for (let attempt = 1; ; attempt += 1) {
    const started = await launch(options, 20_000 + Math.floor(Math.random() * 10_000));
    if (attempt === tries || !started.output.err.includes('is in use')) return started;
  }
}

/** Sends SIGTERM when it listens, after `whenReady`, or when it waits for its database. */
export async function runProcess(
  options: ProcessOptions,
  whenReady: () => Promise<void> = async () => {},
) {
  const { child, port, output, state, closed } = await startProcess(options);
  try {
    if (state === 'ready') await whenReady();
  } finally {
    child.kill('SIGTERM');
  }
  return { code: await closed, port: String(port), wasReady: state === 'ready', ...output };
}

async function launch(options: ProcessOptions, port: number): Promise<StartedProcess> {
  const { dataDir, settings, execArgv = [], umask = '077' } = options;
  const nodeOptions = [...controlArguments(), ...execArgv];
  const script = `umask ${umask}; exec "$@"`;
  const command = [...(options.obeysModes ? withoutOverride : []), process.execPath];
  const child = spawn('sh', ['-c', script, 'sh', ...command, ...nodeOptions, main], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DOWEL_DATA_DIR: dataDir,
      DOWEL_PORT: String(port),
      ...controlEnvironment(),
      ...settings,
    },
  });
  const output = { out: '', err: '' };
  child.stdout.on('data', (text) => {
    output.out += text;
  });
  const closed = once(child, 'close').then(([code]) => code as number | null);
  const state = await new Promise<StartedProcess['state']>((resolve) => {
    child.stderr.on('data', (text) => {
      output.err += text;
      if (output.err.includes('Dowel is at ')) resolve('ready');
      if (output.err.includes('Waiting: ')) resolve('waiting for its database');
    });
    void closed.then(() => resolve('ended'));
  });
  return { child, port, output, state, closed };
}
