/**
 * Whether the packages work for their users: builds and packs them, checks the tarballs with publint, and installs them
 * with plain npm into an empty project. There it loads each entry, checks the types strictly, library files included,
 * and those of the examples, and builds a front end with Vite. It also creates a plug-in with `create-dowel`, and
 * develops it. `pnpm check:packages`; part of `npm test` in CI.
 *
 * `npm run test:all` and `pnpm release` (DOWEL_TESTS=all) add what repeats this with other tools: attw, npm's dry
 * publish, the other module resolution, the examples' tests, Next.js, our Node, and plug-ins of each kind.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, posix } from 'node:path';
import {
  buildFrontEnd,
  buildWithNext,
  checkExampleTypes,
  checkTypes,
  followGuide,
  installAlone,
  installBesideReact,
  installProject,
  listEntries,
  loadEntries,
  oldestNodeOf,
  runExamples,
  runsAll,
} from './consumer-project.ts';
import { checkCreatedPlugIns } from './created-plug-ins.ts';
import { openDashboard } from './open-dashboard.ts';
import { packPackages, run } from './pack-packages.ts';
import { root } from './run-step.ts';

/** Runs npm's dry publish of the tarball. */
async function publishDry(tarball: string): Promise<void> {
  await run(root, 'npm', 'publish', '--dry-run', '--loglevel=error', tarball);
}

async function lint(tarball: string): Promise<void> {
  await run(root, 'publint', '--strict', tarball);
  const files = await run(root, 'tar', '-tzf', tarball);
  const tests = files
    .split('\n')
    .filter((file) => /^package\/(?!template-).*(?:\.test\.|\/testing\/)/.test(file));
  if (tests.length > 0) throw new Error(`${basename(tarball)} contains tests: ${tests.join(' ')}`);
  await lintContent(tarball, files.split('\n'));
}

/** Whether each entry has types in each module resolution. Commands have nothing to import. */
async function checkResolutions(tarball: string): Promise<void> {
  if (/(?:dowel-cli|create-dowel)-[^/]*$/.test(tarball)) return;
  await run(root, 'attw', '--profile', 'esm-only', tarball);
}

/** The package contains README and licence, and no path of the machine that built it. */
async function lintContent(tarball: string, files: string[]): Promise<void> {
  for (const name of ['LICENSE', 'README.md', 'package.json']) {
    if (!files.includes(`package/${name}`)) throw new Error(`${basename(tarball)} has no ${name}`);
  }
  const maps = files.filter((file) => file.endsWith('.map'));
  if (maps.length > 0) throw new Error(`${basename(tarball)} contains ${maps.join(' ')}`);
  const text = await run(root, 'tar', '-xzOf', tarball);
  const readme = await run(root, 'tar', '-xzOf', tarball, 'package/README.md');
  for (const [, link = ''] of readme.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
    const isPackage = /^\.\.\/[\w-]+(?:\/README\.md)?$/.test(link);
    if (!isPackage && !files.includes(posix.join('package', link))) {
      throw new Error(`${basename(tarball)} has no ${link}, to which its README links`);
    }
  }
  if (text.includes(root)) throw new Error(`${basename(tarball)} names the folder ${root}`);
}

const folder = await mkdtemp(join(tmpdir(), 'dowel-packages-'));
try {
  const tarballs = await packPackages(join(folder, 'tarballs'));
  for (const tarball of tarballs) {
    await lint(tarball);
    if (!runsAll) continue;
    await checkResolutions(tarball);
    await publishDry(tarball);
  }
  const project = join(folder, 'consumer');
  await installProject(project, tarballs);
  const entries = await listEntries(project);
  await loadEntries(project, entries);
  await checkTypes(project, entries);
  await checkExampleTypes(project);
  await buildFrontEnd(project);
  await installAlone(join(folder, 'alone'), tarballs);
  await installBesideReact(join(folder, 'react'), tarballs);
  if (runsAll) {
    await buildWithNext(join(folder, 'next'), tarballs);
    await runExamples(project);
  }
  await followGuide(project);
  await openDashboard(project);
  await checkCreatedPlugIns({
    folder: join(folder, 'created'),
    tarballs,
    node: oldestNodeOf(project),
  });
  process.stdout.write(`${tarballs.length} packages, ${entries.length} entries: ok\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
