/**
 * `pnpm test:controls [--tested] [row …]`: takes the controls out of the code, one at a time, and runs the tests that
 * guard each. Reports those whose absence no test notices, and ends with 1 if there are any. All guarding tests must
 * pass first with every control in place: a test that fails anyway notices nothing. With `--tested` they have just passed.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, runStep } from '../../scripts/run-step.ts';
import { setup } from '../../scripts/vitest-databases.ts';
import { type Control, controls, controlVariable } from './controls.ts';

const config = join(root, 'proof/controls/vitest.config.ts');
/** More than cores: most of the time, a test waits for what no longer comes. */
const atOnce = 4;
/** Without a control a loop may never end. After this time the control counts as noticed. */
const limitMs = 240_000;

/** Uses the time limits that the tests have without a control. */
async function runUntouched(chosen: readonly Control[]): Promise<boolean> {
  const tests = [...new Set(chosen.flatMap((control) => control.tests))];
  const args = ['run', '--config', config, '--reporter', 'default', '--maxWorkers', `${atOnce}`];
  const options = { capture: true, env: environment };
  const { code, output } = await runStep('vitest', [...args, ...tests], options);
  if (code !== 0) console.log(`${output}\nThe tests must pass before a control is taken out.`);
  return code === 0;
}

async function isNoticed(control: Control, reports: string): Promise<boolean> {
  const report = join(reports, `${control.id}.json`);
  const options = ['--config', config, '--bail', '1', '--reporter', 'json', '--outputFile', report];
  const { code } = await runStep('vitest', ['run', ...options, ...control.tests], {
    capture: true,
    env: { ...environment, [controlVariable]: JSON.stringify(control) },
    limitMs,
  });
  if (code === 124) return true;
  const { numFailedTests } = JSON.parse(await readFile(report, 'utf8').catch(() => '{}')) as {
    numFailedTests?: number;
  };
  return code !== 0 && (numFailedTests ?? 0) > 0;
}

/** @returns how many controls no test notices. */
async function takeOut(chosen: readonly Control[]): Promise<number> {
  const reports = await mkdtemp(join(tmpdir(), 'dowel-controls-'));
  const pending = [...chosen];
  let survivors = 0;

  async function work(): Promise<void> {
    for (let next = pending.shift(); next; next = pending.shift()) {
      if (await isNoticed(next, reports)) continue;
      survivors += 1;
      console.log(`No test notices the end of ${next.file}#${next.id}`);
    }
  }

  await Promise.all(Array.from({ length: atOnce }, work));
  await rm(reports, { recursive: true });
  return survivors;
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
const chosen = controls.filter(({ id }) => positionals.length === 0 || positionals.includes(id));
const mayBegin = values.tested || (await runUntouched(chosen));
const survivors = mayBegin ? await takeOut(chosen) : chosen.length;
await stopPostgres?.();
const seconds = Math.round((performance.now() - startedAt) / 1000);
console.log(`${chosen.length - survivors} of ${chosen.length} controls are guarded, ${seconds} s`);
process.exitCode = survivors === 0 && chosen.length > 0 ? 0 : 1;
