/**
 * `npm run pack:packages -- <folder>`: builds all packages and packs them into the folder, as npm would publish them.
 * Until they are on npm, a plug-in of one's own installs these tarballs.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix, resolve } from 'node:path';
import { root, runStep } from './run-step.ts';

/** @throws Error when the program ends with another code than 0 or takes too long; its output says why. */
export async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  const { code, output } = await runStep(command, args, { capture: true, cwd, limitMs });
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')}\n${output}`);
  return output;
}

/** A download that hangs must not hang the check. */
const limitMs = 600_000;

async function listPublished(): Promise<string[]> {
  const { references } = JSON.parse(
    await readFile(join(root, 'tsconfig.packages.json'), 'utf8'),
  ) as { references: { path: string }[] };
  return references.map(({ path }) => join(root, path, '..'));
}

const ownTarball = /^(?:create-)?dowel-.+\.tgz$/;

/** Tarballs of other versions: `npm install <folder>/*.tgz` would install both. */
export async function removeTarballs(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (ownTarball.test(name)) await rm(join(folder, name));
  }
}

interface Manifest {
  repository: { url: string; directory: string };
}

/**
 * The README as its package has it: a package contains no file of other folders of the repository, so links to them get
 * the repository's address. Links to other packages stay: they are neighbours where they are installed.
 */
export function linkToRepository(readme: string, { repository }: Manifest): string {
  const base = repository.url.replace(/^git\+|\.git$/g, '');
  return readme.replace(/(?<=\]\()(?:\.\.\/){2}[^)]+/g, (link) => {
    const path = posix.join(repository.directory, link);
    return `${base}/blob/HEAD/${path}`;
  });
}

async function replaceReadme(tarball: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-pack-'));
  await run(folder, 'tar', '-xzf', tarball);
  const path = join(folder, 'package/README.md');
  const manifest = JSON.parse(await readFile(join(folder, 'package/package.json'), 'utf8'));
  await writeFile(path, linkToRepository(await readFile(path, 'utf8'), manifest as Manifest));
  await run(folder, 'tar', '-czf', tarball, 'package');
  await rm(folder, { recursive: true });
}

/** @returns the paths of the tarballs @throws Error with the output of what failed */
export async function packPackages(destination: string): Promise<string[]> {
  const published = await listPublished();
  // tsc does not delete the output of a deleted source.
  for (const each of published) await rm(join(each, 'lib'), { recursive: true, force: true });
  await run(root, 'pnpm', 'build:packages');
  // The files of these packages are not built by tsc.
  const filters = ['adapter', 'dashboard', 'dev'].map((name) => `--filter=@dowel/${name}`);
  await run(root, 'turbo', 'run', 'build', ...filters);
  await mkdir(destination, { recursive: true });
  await removeTarballs(destination);
  for (const folder of published)
    await run(folder, 'pnpm', 'pack', '--pack-destination', destination);
  const names = await readdir(destination);
  const tarballs = names.filter((name) => ownTarball.test(name));
  const paths = tarballs.map((name) => join(destination, name));
  for (const path of paths) await replaceReadme(path);
  return paths;
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    process.stderr.write(
      'Name the folder for the tarballs: npm run pack:packages -- ../tarballs\n',
    );
    process.exit(2);
  }
  // The command runs in the folder of Dowel; the name is seen from where npm was called.
  const destination = resolve(process.env.INIT_CWD ?? '.', folder);
  const tarballs = await packPackages(destination);
  process.stdout.write(
    `${tarballs.length} packages are in ${destination}.\nIn your plug-in's folder: npm install ${join(destination, '*.tgz')} zod\n`,
  );
}
