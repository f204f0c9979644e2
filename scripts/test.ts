/**
 * `npm test`: lint, types, unit and integration tests, then the whole story in real Chromium. Runs
 * every step even when one fails, and closes with the total of all tests. In CI it also packs and installs
 * the packages. `npm run test:all` adds what takes long: every kill on both databases, the long simulations
 * and loads, the batteries of other adapters, and the check that a test notices each control that is taken out.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium, noChromium } from './find-chromium.ts';
import { installDebianPackage } from './install-debian-package.ts';
import { providePostgres } from './provide-postgres.ts';
import { root, runStep } from './run-step.ts';

interface Total {
  passed: number;
  failed: number;
  skipped: number;
}

const reportFolder = join(root, '.cache/test-reports');
const vitestReport = join(reportFolder, 'vitest.json');
const playwrightReport = join(reportFolder, 'playwright.json');
const failures: string[] = [];

const runsAll = process.argv.includes('--all');
/** Installs the packed packages as their users do. That takes minutes and the registry. */
const checksPackages = runsAll || Boolean(process.env.CI);

const memoryFolder = '/dev/shm';
const neededBytes = 4 * 2 ** 30;

/**
 * The folder of all throw-away files: in memory if there is room. That saves a tenth of the time, most of it for databases.
 * Containers often have only 64 MB there.
 */
function chooseTemporaryFolder(): string {
  if (process.env.TMPDIR) return process.env.TMPDIR;
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    return bavail * bsize < neededBytes ? tmpdir() : memoryFolder;
  } catch {
    return tmpdir();
  }
}

const common = {
  TMPDIR: chooseTemporaryFolder(),
  ...(runsAll && { DOWEL_TESTS: 'all' }),
};

interface Step {
  name: string;
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
}

async function run({ name, command, args, env }: Step, capture: boolean): Promise<string> {
  const startedAt = performance.now();
  const { code, output } = await runStep(command, args, { capture, env: { ...common, ...env } });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (code !== 0) failures.push(name);
  return `${output}${code === 0 ? 'ok' : 'FAILED'}: ${name} (${seconds} s)\n`;
}

const titleOf = ({ name }: Step) => `\n── ${name} ──\n`;

async function show(step: Step): Promise<void> {
  process.stdout.write(titleOf(step));
  process.stdout.write(await run(step, false));
}

/** Runs the steps one after the other, parallel to others. Resolves with their output. */
async function runBeside(steps: readonly Step[]): Promise<string> {
  let printed = '';
  for (const step of steps) printed += titleOf(step) + (await run(step, true));
  return printed;
}

function readReport<Report>(path: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}

/** A suite that could not report counts as one failure: a run without results must not look green. */
function vitestTotal(): Total {
  const report = readReport<{
    numPassedTests: number;
    numFailedTests: number;
    numFailedTestSuites: number;
    numPendingTests: number;
    numTodoTests: number;
    success: boolean;
  }>(vitestReport);
  if (!report) return { passed: 0, failed: 1, skipped: 0 };
  const failed = report.success ? 0 : Math.max(1, report.numFailedTests);
  const skipped = report.numPendingTests + report.numTodoTests;
  return { passed: report.numPassedTests, failed, skipped };
}

function playwrightTotal(): Total {
  const report = readReport<{
    stats: { expected: number; unexpected: number; flaky: number; skipped: number };
    errors: unknown[];
  }>(playwrightReport);
  if (!report) return { passed: 0, failed: 1, skipped: 0 };
  const { expected, unexpected, flaky, skipped } = report.stats;
  return { passed: expected, failed: unexpected + flaky + report.errors.length, skipped };
}

rmSync(reportFolder, { recursive: true, force: true });
mkdirSync(reportFolder, { recursive: true });

// What did not change since a task passed is not read again. Tests are not cached: CONTRIBUTING.md.
const turbo = (...tasks: string[]) => ['run', ...tasks, '--continue', '--output-logs=errors-only'];
const lintTasks = ['lint:format', 'lint:types', 'lint:unused'];
const checks: Step[] = [
  { name: 'Format, lint, unused code', command: 'turbo', args: turbo(...lintTasks) },
  {
    name: 'Types',
    command: 'turbo',
    args: turbo('typecheck', 'typecheck:node', 'typecheck:tools'),
  },
  { name: 'Sizes', command: 'turbo', args: turbo('size') },
  checksPackages
    ? { name: 'Packages', command: 'node', args: ['scripts/check-packages.ts'] }
    : { name: 'Build of the packages', command: 'pnpm', args: ['build:packages'] },
  ...(checksPackages
    ? [{ name: 'Size of the house', command: 'node', args: ['scripts/size-of-house.ts'] }]
    : []),
];

async function runBrowser(): Promise<string> {
  const chromium = await findChromium();
  const step: Step = {
    name: 'End-to-end tests',
    command: 'pnpm',
    // One worker: the unit tests use the rest of the machine.
    args: ['--dir', 'e2e', 'test', '--workers', '1'],
    env: { DOWEL_CHROMIUM: chromium, PLAYWRIGHT_JSON_OUTPUT_FILE: playwrightReport },
  };
  if (chromium !== undefined) return runBeside([step]);
  failures.push(step.name);
  return titleOf(step) + noChromium;
}

await providePostgres();
if (!existsSync('/usr/sbin/nginx')) await installDebianPackage('nginx');
if (runsAll && !existsSync('/usr/sbin/pgbouncer')) await installDebianPackage('pgbouncer');
if (runsAll && !existsSync('/usr/bin/promtool')) await installDebianPackage('prometheus');
// Tests wait for timers, processes and pages now and then. So the others use the cores meanwhile.
const beside = runBeside(checks).then(async (checked) => checked + (await runBrowser()));
await show({
  name: 'Unit and integration tests',
  command: 'vitest',
  args: [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${vitestReport}`,
    // Kills wait for real time-outs, so many of them can wait together.
    ...(runsAll ? ['--maxConcurrency', '8'] : []),
  ],
});
process.stdout.write(await beside);
if (runsAll) {
  await show({
    name: 'Controls',
    command: 'node',
    args: ['proof/controls/run-controls.ts', '--tested'],
  });
}

const totals = [vitestTotal(), playwrightTotal()];
const sum = (key: keyof Total) => totals.reduce((count, total) => count + total[key], 0);
if (failures.length > 0) process.stdout.write(`\nFailed: ${failures.join(', ')}\n`);
process.stdout.write(
  `\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped\n`,
);
process.exit(failures.length > 0 || sum('failed') > 0 ? 1 : 0);
