/**
 * `npm start`: builds the pages, starts the platform emulator and the BFF, and prints all addresses when
 * everything is ready. Ctrl-C and SIGTERM end everything, and so does the end of the process that started this one.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { emulatorSettings } from '../packages/dev/src/platform/emulator-settings.ts';
import { dowelVariables } from '../packages/server/src/settings/settings.ts';
import {
  describeFileError,
  describeUnknownSettings,
  makeFolder,
  parsePort,
  readEnvironment,
} from '../packages/settings/src/index.ts';
import { root, runStep } from './run-step.ts';
import { describeStart, emulatorTrust, type Running } from './start-banner.ts';

type Ready = Running['backEnd'] & { type: 'ready' };

interface Waiting {
  type: 'waiting';
  reason: string;
}

/** A line for the person at the terminal; no stack. */
class StartError extends Error {}

const shutdownTimeoutMs = 25_000;
const children: ChildProcess[] = [];
/** Aborted when everything must end. */
const stopping = new AbortController();
let building: Promise<unknown> | undefined;

async function start(): Promise<void> {
  const variables = readVariables();
  const { emulatorPort, bffPort } = readPorts(variables);
  const emulatorUrl = `http://localhost:${emulatorPort}`;
  const dataDir = variables.DOWEL_DATA_DIR ?? join(root, '.data');
  makeDataFolder(join(dataDir, 'logs'));
  building = buildPages();
  await building;

  const emulator = startApp('emulator', dataDir, {
    EMULATOR_SAMPLE_MANIFEST: `${backEndUrl(variables, bffPort)}/manifest.json`,
    EMULATOR_STATE: join(dataDir, `emulator-${emulatorPort}.json`),
    ...variables,
  });
  const trust = variables.DOWEL_TRUST ?? emulatorTrust(emulatorUrl);
  const bff = startApp('bff', dataDir, {
    ...variables,
    DOWEL_TRUST: trust,
    DOWEL_DATA_DIR: dataDir,
  });
  const [platform, backEnd] = await Promise.all([emulator, bff]);
  process.stdout.write(describeStart({ emulatorUrl: platform.url, trust, dataDir, backEnd }));
}

/** Both apps' settings are checked here: neither app looks at the other's. */
function readVariables(): NodeJS.ProcessEnv {
  let variables: NodeJS.ProcessEnv;
  try {
    variables = readEnvironment();
  } catch (error) {
    throw new StartError((error as Error).message);
  }
  const unknown = describeUnknownSettings(variables, {
    DOWEL: dowelVariables,
    EMULATOR: Object.keys(emulatorSettings),
  });
  if (unknown.length > 0) throw new StartError(unknown.join('\n'));
  return variables;
}

function readPorts(variables: NodeJS.ProcessEnv): { emulatorPort: number; bffPort: number } {
  const read = (name: 'EMULATOR_PORT' | 'DOWEL_PORT', otherwise: number): number => {
    const port = parsePort(variables[name] ?? String(otherwise));
    if (port !== undefined) return port;
    throw new StartError(`${name} must be a port number from 1 to 65535`);
  };
  const emulatorPort = read('EMULATOR_PORT', 4300);
  const bffPort = read('DOWEL_PORT', 4310);
  if (emulatorPort === bffPort) {
    throw new StartError(
      `EMULATOR_PORT and DOWEL_PORT are both ${bffPort}: give one of them another port.`,
    );
  }
  return { emulatorPort, bffPort };
}

/** The back end reports a DOWEL_PUBLIC_URL that is no URL. */
function backEndUrl({ DOWEL_PUBLIC_URL = '' }: NodeJS.ProcessEnv, port: number): string {
  const url = URL.canParse(DOWEL_PUBLIC_URL) ? DOWEL_PUBLIC_URL : `http://localhost:${port}`;
  return url.replace(/\/$/, '');
}

function makeDataFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (error) {
    throw new StartError(
      `The folder ${path} cannot be used: ${describeFileError(error)}. Choose another with DOWEL_DATA_DIR.`,
    );
  }
}

async function buildPages(): Promise<void> {
  process.stdout.write('Building the pages …\n');
  const { code, output } = await runStep('turbo', ['run', 'build', '--output-logs=errors-only'], {
    capture: true,
    signal: stopping.signal,
  });
  if (code !== 0) throw new StartError(`${output}\nThe pages could not be built (see above).`);
}

/** Resolves when the app reports that it is ready; rejects with its message when it cannot start. */
function startApp(name: string, dataDir: string, env: NodeJS.ProcessEnv): Promise<Ready> {
  const child = fork(join(root, 'apps', name, 'src/main.ts'), { cwd: root, env, silent: true });
  children.push(child);
  let ready = false;
  let errors = '';
  const logPath = join(dataDir, 'logs', `${name}.log`);
  const log = createWriteStream(logPath, { flags: 'a' });
  log.on(
    'error',
    (error) => void stop(1, `The log ${logPath} cannot be written: ${describeFileError(error)}.`),
  );
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  child.stderr?.on('data', (text: Buffer) => {
    // What a running app writes there concerns the person at the terminal.
    if (ready) process.stderr.write(text);
    else errors = `${errors}${text.toString()}`.slice(-4_096);
  });
  return new Promise((resolve, reject) => {
    child.on('message', (message: Ready | Waiting) => {
      // A server waits for its database; at a terminal, the start ends with an explanation.
      if (message.type === 'waiting') return reject(new StartError(explainWaiting(message, env)));
      ready = true;
      resolve(message);
    });
    child.once('close', (code, signal) => {
      log.end();
      const end = `it ended ${signal ? `by ${signal}` : `with code ${code}`}`;
      if (!ready) reject(new StartError(errors.trim() || end));
      else if (!stopping.signal.aborted) void stop(1, `The ${name} ended unexpectedly: ${end}`);
    });
  });
}

function explainWaiting({ reason }: Waiting, { DOWEL_DATABASE_URL }: NodeJS.ProcessEnv): string {
  const advice = DOWEL_DATABASE_URL
    ? 'Start the database, or remove DOWEL_DATABASE_URL to use a file.'
    : 'End the other program that uses it.';
  return `${reason}. ${advice}`;
}

async function stop(code: number, words?: string): Promise<void> {
  if (stopping.signal.aborted) return;
  stopping.abort();
  if (words) process.stderr.write(`${words}\n`);
  const living = children.filter((child) => child.exitCode === null && child.signalCode === null);
  const ended = Promise.all(living.map((child) => new Promise((done) => child.once('exit', done))));
  const timer = setTimeout(() => {
    for (const child of living) child.kill('SIGKILL');
  }, shutdownTimeoutMs);
  for (const child of living) child.kill('SIGTERM');
  await Promise.all([ended, building?.catch(() => undefined)]);
  clearTimeout(timer);
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM', 'disconnect']) process.on(signal, () => void stop(0));
// A reader such as head has closed the pipe: nobody reads the addresses.
process.stdout.on('error', () => void stop(0));
process.stderr.on('error', () => {});

start().catch((error: unknown) =>
  stop(1, error instanceof StartError ? error.message : String((error as Error).stack ?? error)),
);
