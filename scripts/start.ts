/**
 * `npm start`: builds the pages, starts the platform emulator and the BFF, and says where everything
 * is once all of it is ready. Ctrl-C ends everything.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvFile } from '../packages/cli/src/env-file.ts';
import { root, runStep } from './run-step.ts';

interface Ready {
  type: 'ready';
  url: string;
  signInUrl?: string;
}

/** A line for the person at the terminal; no stack. */
class StartError extends Error {}

const shutdownTimeoutMs = 20_000;
const children: ChildProcess[] = [];
let stopping = false;

async function start(): Promise<void> {
  const variables = readVariables();
  const emulatorPort = variables.EMULATOR_PORT || '4300';
  const emulatorUrl = `http://localhost:${emulatorPort}`;
  const bffPort = variables.DOWEL_PORT || '4310';
  const dataDir = variables.DOWEL_DATA_DIR || join(root, '.data');
  makeFolder(join(dataDir, 'logs'));
  await buildPages();

  const emulator = startApp('emulator', dataDir, {
    ...variables,
    EMULATOR_SAMPLE_MANIFEST: `http://localhost:${bffPort}/manifest.json`,
    EMULATOR_STATE: join(dataDir, `emulator-${emulatorPort}.json`),
  });
  const bff = startApp('bff', dataDir, {
    DOWEL_TRUST: `${emulatorUrl}=${emulatorUrl}/certificates/`,
    ...variables,
    DOWEL_DATA_DIR: dataDir,
  });
  const [platform, backEnd] = await Promise.all([emulator, bff]);
  process.stdout.write(describe(platform.url, backEnd, dataDir));
}

function readVariables(): NodeJS.ProcessEnv {
  try {
    return { ...readEnvFile(join(root, '.env')), ...process.env };
  } catch (error) {
    throw new StartError((error as Error).message);
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartError(
      `The folder ${path} cannot be made (${(error as NodeJS.ErrnoException).code}): choose another with DOWEL_DATA_DIR.`,
    );
  }
}

async function buildPages(): Promise<void> {
  process.stdout.write('Building the pages …\n');
  const { code, output } = await runStep('turbo', ['run', 'build', '--output-logs=errors-only'], {
    capture: true,
  });
  if (code !== 0) throw new StartError(`${output}\nThe pages could not be built (see above).`);
}

/** Resolves when the app says that it is ready; rejects with its own words when it cannot be. */
function startApp(name: string, dataDir: string, env: NodeJS.ProcessEnv): Promise<Ready> {
  const child = fork(join(root, 'apps', name, 'src/main.ts'), { cwd: root, env, silent: true });
  children.push(child);
  let errors = '';
  child.stdout?.pipe(createWriteStream(join(dataDir, 'logs', `${name}.log`), { flags: 'a' }));
  child.stderr?.on('data', (text: Buffer) => {
    errors = `${errors}${text.toString()}`.slice(-4_096);
  });
  return new Promise((resolve, reject) => {
    let ready = false;
    child.once('message', (message: Ready) => {
      ready = true;
      resolve(message);
    });
    child.once('close', (code) => {
      const words = errors.trim() || `it ended with code ${code}`;
      if (!ready) reject(new StartError(words));
      else if (!stopping) void stop(1, `The ${name} ended unexpectedly: ${words}`);
    });
  });
}

function describe(emulatorUrl: string, { url, signInUrl }: Ready, dataDir: string): string {
  return `
  Dowel is running.

    Platform emulator   ${emulatorUrl}
    Sample plug-in      ${url}/manifest.json
    Back end (BFF)      ${url}
    Admin dashboard     ${url}/admin/

  Sign in to the dashboard, once, with this link:
    ${signInUrl}

  What to do first:
    1. Open the emulator and sign in as anyone.
    2. Under "Plug-ins", install ${url}/manifest.json and place its widget.
    3. Send a notification from inside the widget, and watch the dashboard.

  Logs are in ${join(dataDir, 'logs')}. Ctrl-C ends everything.
`;
}

async function stop(code: number, words?: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  if (words) process.stderr.write(`${words}\n`);
  const living = children.filter((child) => child.exitCode === null && child.signalCode === null);
  const ended = Promise.all(living.map((child) => new Promise((done) => child.once('exit', done))));
  const timer = setTimeout(() => {
    for (const child of living) child.kill('SIGKILL');
  }, shutdownTimeoutMs);
  for (const child of living) child.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0));

start().catch((error: unknown) =>
  stop(1, error instanceof StartError ? error.message : String((error as Error).stack ?? error)),
);
