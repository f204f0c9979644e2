/** `npm start` as a tree of real processes: a signal to any of them ends all. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failAtExit } from '../packages/installation-store/src/testing/fail-at-exit.ts';
import { root } from './run-step.ts';

let folder: string;
let npm: ChildProcess;
let output: string;

/** Writes its name and its id to a file, and runs until it gets a signal. */
const app = (name: string, whenReady = '') => `
  import { appendFileSync } from 'node:fs';
  appendFileSync(${JSON.stringify(join(folder, 'ids'))}, '${name} ' + process.pid + '\\n');
  for (const signal of ['SIGINT', 'SIGTERM', 'disconnect']) process.on(signal, () => process.exit(0));
  process.send({ type: 'ready', url: 'http://localhost:4310' }, () => { ${whenReady} });`;

/** A program that started another one. */
const waiting = (name: string) => `#!/bin/sh
sleep 1000 &
echo "${name} $!" >> ${folder}/ids
echo "${name} $$" >> ${folder}/ids
wait`;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-start-'));
  output = '';
  for (const each of ['scripts', 'node_modules/.bin', 'node_modules/node/bin', 'packages']) {
    await mkdir(join(folder, each), { recursive: true });
  }
  for (const file of ['bootstrap.mjs', 'start.ts', 'run-step.ts', 'start-banner.ts']) {
    await cp(join(root, 'scripts', file), join(folder, 'scripts', file));
  }
  for (const name of ['dev', 'settings', 'server', 'platform-jwt', 'schema']) {
    await symlink(join(root, 'packages', name), join(folder, 'packages', name));
  }
  await symlink(process.execPath, join(folder, 'node_modules/node/bin/node'));
  await writeProgram('npx', `#!/bin/sh\necho $PPID > ${folder}/bootstrap`);
  await writeProgram('turbo', '#!/bin/sh');
  for (const name of ['emulator', 'bff']) {
    await mkdir(join(folder, 'apps', name, 'src'), { recursive: true });
    await writeFile(join(folder, 'apps', name, 'src/main.ts'), app(name));
  }
});

afterEach(async () => {
  // If npm were killed, what it started would go on.
  if (npm.exitCode === null && npm.signalCode === null) {
    npm.kill('SIGTERM');
    await once(npm, 'close');
  }
  // A program that ends may still be writing its id.
  await rm(folder, { recursive: true, maxRetries: 20 });
});

/** Writes a program into a folder that is before npm's own programs in the PATH. */
async function writeProgram(name: string, text: string): Promise<void> {
  const path = join(folder, 'node_modules/.bin', name);
  await writeFile(path, text);
  await chmod(path, 0o755);
}

/** @param command the command of npm's shell. Default: the one of package.json. */
async function startNpm(command?: string, settings: NodeJS.ProcessEnv = {}): Promise<void> {
  const { packageManager, scripts } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  ) as { packageManager: string; scripts: { start: string } };
  const manifest = { packageManager, type: 'module', scripts: { start: command ?? scripts.start } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env;
  npm = spawn('npm', ['start'], {
    cwd: folder,
    env: {
      ...env,
      EMULATOR_PORT: '14300',
      DOWEL_PORT: '14310',
      DOWEL_DATA_DIR: folder,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [npm.stdout, npm.stderr]) {
    stream?.on('data', (text: Buffer) => {
      output += text.toString();
    });
  }
}

/** The names of the running programs. */
async function listRunning(): Promise<string[]> {
  const lines = await readFile(join(folder, 'ids'), 'utf8').catch(() => '');
  return lines
    .split('\n')
    .filter((line) => line !== '' && isRunning(Number(line.split(' ')[1])))
    .map((line) => line.split(' ')[0] ?? '')
    .toSorted();
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

/** The process that ran npx. */
async function findBootstrap(): Promise<number> {
  return Number(await readFile(join(folder, 'bootstrap'), 'utf8'));
}

/** A start that ends is not waited for. */
const whileItRuns = (expected: Promise<void>) => Promise.race([expected, failAtExit(npm)]);

const untilReady = () => whileItRuns(expect.poll(() => output).toContain('Dowel is running.'));

test('SIGTERM to npm ends everything', async () => {
  await startNpm();
  await untilReady();
  expect(await listRunning()).toEqual(['bff', 'emulator']);

  npm.kill('SIGTERM');

  await once(npm, 'close');
  await expect.poll(listRunning).toEqual([]);
});

test('a reader that closes the pipe early ends everything, without a stack', async () => {
  await startNpm();
  npm.stdout?.destroy();

  // npm's own exit code is then 1.
  await once(npm, 'close');

  expect(output).not.toMatch(/EPIPE|^ {4}at /m);
  // npm does not wait for what it has started.
  await expect.poll(listRunning).toEqual([]);
});

test('SIGTERM to the bootstrap ends everything, and the exit code is 0', async () => {
  await startNpm();
  await untilReady();

  process.kill(await findBootstrap(), 'SIGTERM');

  expect(await once(npm, 'close')).toEqual([0, null]);
  expect(await listRunning()).toEqual([]);
});

test('everything ends, too, when a shell between passes no signal on', async () => {
  await startNpm('node scripts/bootstrap.mjs start; true');
  await untilReady();

  npm.kill('SIGTERM');

  await once(npm, 'close');
  await expect.poll(listRunning).toEqual([]);
});

test.each(['npx', 'turbo'])('SIGTERM while %s runs ends it, and what it started', async (name) => {
  await writeProgram(name, waiting(name));
  await startNpm();
  await whileItRuns(expect.poll(listRunning).toEqual([name, name]));

  npm.kill('SIGTERM');

  await once(npm, 'close');
  await expect.poll(listRunning).toEqual([]);
});

test('a bootstrap that is killed leaves nothing behind', async () => {
  await startNpm();
  await untilReady();

  process.kill(await findBootstrap(), 'SIGKILL');

  await once(npm, 'close');
  await expect.poll(listRunning).toEqual([]);
});

test('a part that is killed ends the rest, and the last line says how it ended', async () => {
  await startNpm();
  await untilReady();
  const [line = ''] = (await readFile(join(folder, 'ids'), 'utf8')).match(/^bff \d+/m) ?? [];

  process.kill(Number(line.slice('bff '.length)), 'SIGKILL');

  await once(npm, 'close');
  expect(output).toContain('The bff ended unexpectedly: it ended by SIGKILL\n');
  expect(await listRunning()).toEqual([]);
});

test('what a running part writes to standard error is on the terminal and in its log', async () => {
  const failure = 'The state cannot be written';
  const path = join(folder, 'apps/emulator/src/main.ts');
  await writeFile(path, app('emulator', `process.stderr.write('${failure}\\n');`));

  await startNpm();

  await whileItRuns(expect.poll(() => output).toContain(failure));
  const log = join(folder, 'logs/emulator.log');
  await expect.poll(() => readFile(log, 'utf8')).toContain(failure);
});

test.each([
  [undefined, 'http://localhost:14310/manifest.json'],
  ['https://plugin.example/polls/', 'https://plugin.example/polls/manifest.json'],
  ['no address', 'http://localhost:14310/manifest.json'],
])(
  'with DOWEL_PUBLIC_URL=%s the emulator suggests the manifest %s',
  async (publicUrl, manifest) => {
    const path = join(folder, 'apps/emulator/src/main.ts');
    await writeFile(path, app('emulator', 'console.error(process.env.EMULATOR_SAMPLE_MANIFEST);'));

    await startNpm(undefined, publicUrl === undefined ? {} : { DOWEL_PUBLIC_URL: publicUrl });

    await whileItRuns(expect.poll(() => output).toContain(`${manifest}\n`));
  },
);
