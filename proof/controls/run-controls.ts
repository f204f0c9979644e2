/**
 * `pnpm test:controls [--tested] [list …]`: takes the controls of lists/*.ts out of the code, one at a
 * time, and runs the tests that guard each. Reports survivors, which are controls whose absence no
 * test notices, and entries that no longer fit the code; ends with 1 if there are any. All guarding tests
 * must pass first with every control in place: a test that fails anyway notices nothing. With `--tested` they have just
 * passed.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, runStep } from '../../scripts/run-step.ts';
import { setup } from '../../scripts/vitest-databases.ts';
import { type Control, controlVariable } from './control.ts';

const folder = join(root, 'proof/controls');
const listFolder = join(folder, 'lists');
const config = join(folder, 'vitest.config.ts');
/** More than cores: most of the time, a test waits for what no longer comes. */
const atOnce = 4;
/** Without a control a loop may never end. After this time the control counts as noticed. */
const limitMs = 240_000;

type Outcome = 'noticed' | 'survived' | 'not exactly once in its file' | 'no test ran';

async function loadControls(names: readonly string[]): Promise<Control[]> {
  const files = await readdir(listFolder);
  const chosen = files.filter(
    (file) => names.length === 0 || names.includes(basename(file, '.ts')),
  );
  const lists = await Promise.all(
    chosen.map(async (file) => {
      const { controls } = (await import(join(listFolder, file))) as { controls: Control[] };
      return controls;
    }),
  );
  return lists.flat();
}

/** Uses the time limits that the tests have without a control. */
async function runUntouched(controls: readonly Control[]): Promise<boolean> {
  const tests = [...new Set(controls.flatMap((control) => control.tests))];
  const args = ['run', '--config', config, '--reporter', 'default', '--maxWorkers', `${atOnce}`];
  const { code, output } = await runStep('vitest', [...args, ...tests], {
    capture: true,
    env: environment,
  });
  if (code !== 0) console.log(`${output}\nThe tests must pass before a control is taken out.`);
  return code === 0;
}

async function judge(control: Control, reports: string, index: number): Promise<Outcome> {
  const text = await readFile(join(root, control.file), 'utf8');
  if (text.split(control.find).length !== 2) return 'not exactly once in its file';
  const report = join(reports, `${index}.json`);
  const options = ['--config', config, '--bail', '1', '--reporter', 'json', '--outputFile', report];
  const { code } = await runStep('vitest', ['run', ...options, ...control.tests], {
    capture: true,
    env: { ...environment, [controlVariable]: JSON.stringify(control) },
    limitMs,
  });
  if (code === 0) return 'survived';
  if (code === 124) return 'noticed';
  return (await countFailures(report)) > 0 ? 'noticed' : 'no test ran';
}

async function countFailures(report: string): Promise<number> {
  try {
    const { numFailedTests } = JSON.parse(await readFile(report, 'utf8')) as {
      numFailedTests: number;
    };
    return numFailedTests;
  } catch {
    return 0;
  }
}

async function judgeAll(controls: readonly Control[], reports: string): Promise<number> {
  const pending = [...controls.entries()];
  let failures = 0;

  async function work(): Promise<void> {
    for (let next = pending.shift(); next; next = pending.shift()) {
      const [index, control] = next;
      const outcome = await judge(control, reports, index);
      if (outcome === 'noticed') continue;
      failures += 1;
      console.log(`${control.id} ${outcome}: ${control.file}\n  ${control.find}`);
    }
  }

  await Promise.all(Array.from({ length: atOnce }, work));
  return failures;
}

/** @returns how many controls no test guards. */
async function takeOut(controls: readonly Control[]): Promise<number> {
  const reports = await mkdtemp(join(tmpdir(), 'dowel-controls-'));
  const failures = await judgeAll(controls, reports);
  await rm(reports, { recursive: true });
  return failures;
}

const startedAt = performance.now();
const stopPostgres = await setup();
const environment = {
  DOWEL_TEST_POSTGRES_URL: process.env.DOWEL_TEST_POSTGRES_URL,
  // The quick form of each test, also as part of `npm run test:all`: the other one waits longer than the time limits here.
  DOWEL_TESTS: '',
};
const { values, positionals } = parseArgs({
  options: { tested: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const controls = await loadControls(positionals);
const mayBegin = values.tested || (await runUntouched(controls));
const failures = mayBegin ? await takeOut(controls) : controls.length;
await stopPostgres?.();
const seconds = Math.round((performance.now() - startedAt) / 1000);
console.log(
  `${controls.length - failures} of ${controls.length} controls are guarded, ${seconds} s`,
);
process.exitCode = failures === 0 && controls.length > 0 ? 0 : 1;
