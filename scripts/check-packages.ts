/**
 * Whether the packages work for their users: builds and packs them, checks the tarballs with publint and
 * attw, and installs them with plain npm into an empty project. There it loads each entry, runs the examples,
 * checks the types strictly, library files included, and those of the examples, and builds front ends with Vite and
 * Next.js. It also creates plug-ins with `create-dowel`, and develops them.
 * `pnpm check:packages`; part of `npm run test:all`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, posix } from 'node:path';
import {
  buildFrontEnd,
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
  // Commands have nothing to import.
  if (!/(?:dowel-cli|create-dowel)-[^/]*$/.test(tarball))
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
  await installBesideReact(join(folder, 'next'), tarballs);
  await runExamples(project);
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
