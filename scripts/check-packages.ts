/**
 * Whether the packages work for their users: builds and packs them, checks the tarballs with publint and
 * attw, and installs them with plain npm into an empty project. There it loads each entry, runs the examples,
 * checks the types strictly, library files included, and builds a front end.
 * `pnpm check:packages`; part of `npm run test:all`.
 */
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  buildFrontEnd,
  checkTypes,
  followGuide,
  installProject,
  listEntries,
  loadEntries,
  run,
  runExamples,
} from './consumer-project.ts';
import { root } from './run-step.ts';

async function listPublished(): Promise<string[]> {
  const { references } = JSON.parse(
    await readFile(join(root, 'tsconfig.packages.json'), 'utf8'),
  ) as { references: { path: string }[] };
  return references.map(({ path }) => join(root, path, '..'));
}

/** What npm would publish from the tarball. */
async function publishDry(tarball: string): Promise<void> {
  await run(root, 'npm', 'publish', '--dry-run', '--loglevel=error', tarball);
}

/** @returns the paths of the tarballs */
async function packAll(folders: string[], destination: string): Promise<string[]> {
  await mkdir(destination);
  for (const folder of folders)
    await run(folder, 'pnpm', 'pack', '--pack-destination', destination);
  return (await readdir(destination)).map((name) => join(destination, name));
}

async function lint(tarball: string): Promise<void> {
  await run(root, 'publint', '--strict', tarball);
  const files = await run(root, 'tar', '-tzf', tarball);
  const tests = files.split('\n').filter((file) => /\.test\.|\/testing\//.test(file));
  if (tests.length > 0) throw new Error(`${basename(tarball)} contains tests: ${tests.join(' ')}`);
  // The command line has nothing to import.
  if (!tarball.includes('dowel-cli-')) await run(root, 'attw', '--profile', 'esm-only', tarball);
}

const folder = await mkdtemp(join(tmpdir(), 'dowel-packages-'));
try {
  const published = await listPublished();
  // tsc leaves the output of a source that is gone.
  for (const each of published) await rm(join(each, 'lib'), { recursive: true, force: true });
  await run(root, 'tsc', '-b', 'tsconfig.packages.json');
  await run(root, 'turbo', 'run', 'build', '--filter=@dowel/adapter');
  const tarballs = await packAll(published, join(folder, 'tarballs'));
  for (const tarball of tarballs) {
    await lint(tarball);
    await publishDry(tarball);
  }
  const project = join(folder, 'consumer');
  await installProject(project, tarballs);
  const entries = await listEntries(project);
  await loadEntries(project, entries);
  await checkTypes(project, entries);
  await buildFrontEnd(project);
  await runExamples(project);
  await followGuide(project);
  process.stdout.write(`${tarballs.length} packages, ${entries.length} entries: ok\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
