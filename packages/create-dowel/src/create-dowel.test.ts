/** `npm create dowel` as a process, without the install: the packages check installs what it created. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { packageNameOf } from './copy-template.ts';
import { createIn, spawnIn } from './testing/create-in.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'create dowel ü-'));
});
afterEach(() => rm(folder, { recursive: true }));

const read = (...path: string[]) => readFile(join(folder, ...path), 'utf8');
const templateOf = (name: string, file: string) =>
  readFile(fileURLToPath(new URL(`../template-${name}/${file}`, import.meta.url)), 'utf8');
const idsOf = (manifest: string) =>
  (JSON.parse(manifest) as { entryPoints: { id: string }[] }).entryPoints.map(({ id }) => id);

describe.each(['react', 'node'])('the template %s', (template) => {
  const args = ['lunch', '--template', template, '--no-install'];

  test('is copied whole, with a name of its own and new ids', async () => {
    const { code, out } = await createIn(folder, args);

    expect(code).toBe(0);
    expect(out).toContain('  cd lunch\n  npm install\n  npm run dev\n');
    const names = await readdir(join(folder, 'lunch'));
    expect(names).toEqual(
      expect.arrayContaining(['.gitignore', '.dockerignore', 'Dockerfile', 'README.md', 'test']),
    );
    expect(names.filter((name) => /^_|node_modules|^dist$/.test(name))).toEqual([]);
    expect(JSON.parse(await read('lunch/package.json'))).toMatchObject({
      name: 'lunch',
      scripts: { dev: 'dowel dev', validate: 'dowel validate' },
    });
    const [id = ''] = idsOf(await read('lunch/manifest.json'));
    expect(id).toMatch(/^[\da-f-]{36}$/);
    expect(idsOf(await templateOf(template, 'manifest.json'))).not.toContain(id);
  });

  test('builds its image with the package manager that has called', async () => {
    await createIn(folder, ['npm', ...args.slice(1)], 'npm/11.6.0 node/v24.0.0');
    await createIn(folder, ['pnpm', ...args.slice(1)], 'pnpm/12.21.0 npm/? node/v24.0.0');

    expect(await read('npm/Dockerfile')).toMatch(/package-lock\.json .+\nRUN npm ci/);
    const byPnpm = await read('pnpm/Dockerfile');
    expect(byPnpm).toMatch(/pnpm-lock\.yaml .+\nRUN npm install --global pnpm && pnpm install /);
    expect(byPnpm).not.toMatch(/package-lock|npm ci|npm prune --omit/);
  });

  test('takes packages from tarballs, as the package manager wants them named', async () => {
    const names = ['adapter', 'cli', 'dev', 'emulator', 'http', 'schema', 'server', 'token-client'];
    await mkdir(join(folder, 'tarballs'));
    for (const name of names) await writeFile(join(folder, `tarballs/dowel-${name}-0.2.0.tgz`), '');
    const fileOf = (name: string) => `file:${join(folder, `tarballs/dowel-${name}-0.2.0.tgz`)}`;
    const create = (target: string, agent: string) =>
      createIn(folder, [target, ...args.slice(1), '--packages', 'tarballs'], agent);

    await create('npm', 'npm/11.6.0 node/v24.0.0');
    const { out } = await create('pnpm', 'pnpm/12.21.0 npm/? node/v24.0.0');
    await create('yarn', 'yarn/1.22.22 npm/? node/v24.0.0');

    const direct = { '@dowel/server': fileOf('server'), '@dowel/cli': fileOf('cli') };
    const byNpm = JSON.parse(await read('npm/package.json'));
    expect(byNpm.dependencies).toMatchObject(direct);
    expect(byNpm.overrides).toMatchObject({ '@dowel/http': fileOf('http') });
    expect(byNpm.overrides).not.toHaveProperty('@dowel/server');
    expect(out).toContain('pnpm run dev');
    expect(await read('pnpm/pnpm-workspace.yaml')).toContain(
      `  "@dowel/http": ${JSON.stringify(fileOf('http'))}\n`,
    );
    expect(JSON.parse(await read('yarn/package.json')).resolutions).toMatchObject(direct);
  });
});

test('a folder with files is refused, and stays as it is; one with .git only is empty', async () => {
  await mkdir(join(folder, '.git'));
  expect(await createIn(folder, ['.', '--no-install'])).toMatchObject({ code: 0 });
  const before = await readdir(folder);

  const { code, err } = await createIn(folder, ['.', '--template', 'node', '--no-install']);

  expect(code).toBe(1);
  expect(err).toMatch(/is not empty \(.+\): name another folder\.\n$/);
  expect(await readdir(folder)).toEqual(before);
});

test('without tarballs nothing is written', async () => {
  const { code, err } = await createIn(folder, ['lunch', '--no-install', '--packages', '.']);

  expect(code).toBe(1);
  expect(err).toContain('--packages: there is no tarball in');
  expect(await readdir(folder)).toEqual([]);
});

test('a tarball that is needed and missing is named', async () => {
  await writeFile(join(folder, 'dowel-server-0.2.0.tgz'), '');

  const { code, err } = await createIn(folder, ['lunch', '--no-install', '--packages', '.']);

  expect(code).toBe(1);
  expect(err).toContain('there is no tarball of @dowel/adapter.');
});

test('a failed install keeps the files, and says what to do', async () => {
  await writeFile(join(folder, '.npmrc'), 'registry=http://127.0.0.1:1/\nfetch-retries=0\n');

  const { code, err } = await createIn(folder, ['lunch'], '', {
    npm_config_userconfig: join(folder, '.npmrc'),
    npm_config_cache: join(folder, 'cache'),
  });

  expect(code).toBe(1);
  expect(err).toContain('npm install failed, see above. The files are in');
  expect(await readdir(join(folder, 'lunch'))).toContain('package.json');
});

test('a reader that closes the pipes early sees no failure, and the folder is complete', async () => {
  for (const args of [['lunch', '--no-install'], ['--help'], ['--no-such']]) {
    const child = spawnIn(folder, args);
    child.stdout.destroy();
    child.stderr.destroy();

    expect(await once(child, 'close')).toEqual([args[0] === '--no-such' ? 2 : 0, null]);
  }

  expect(await readdir(join(folder, 'lunch'))).toContain('.gitignore');
});

test('help is no mistake: it can be piped', async () => {
  expect(await createIn(folder, ['--help'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Usage: npm create dowel FOLDER/),
    err: '',
  });
});

test.each([['-lunch'], ["Mara's lunch"], ['a$HOME`id`"b']])(
  'the commands for the folder %s work in a shell',
  async (name) => {
    const { out } = await createIn(folder, ['--no-install', '--', name]);

    const [line = ''] = /cd .+/.exec(out) ?? [];
    expect(execFileSync('/bin/sh', ['-c', `${line} && pwd`], { cwd: folder }).toString()).toBe(
      `${await realpath(join(folder, name))}\n`,
    );
  },
);

test.each([
  ['a-file', 'a file has this name'],
  ['a-file/lunch', 'a part of the path is a file'],
  ['l'.repeat(300), 'the name is too long'],
])('a folder that cannot be made is one line: %s', async (name, why) => {
  await writeFile(join(folder, 'a-file'), '');

  const { code, err } = await createIn(folder, [name, '--no-install']);

  expect([code, err]).toEqual([
    1,
    `${join(await realpath(folder), name)} cannot be used: ${why}.\n`,
  ]);
});

test.each([
  [[], /^Name one folder: npm create dowel lunch\n\nUsage:/],
  [['a', 'b'], /^Name one folder/],
  [['lunch', '--template', 'vue'], /^--template must be react or node, not vue\n/],
  [['lunch', '--instal'], /^Unknown option '--instal'\.?\n/],
])('%j is a misuse: a line says why, and nothing is written', async (args, line) => {
  const { code, err } = await createIn(folder, args);

  expect(code).toBe(2);
  expect(err).toMatch(line);
  expect(await readdir(folder)).toEqual([]);
});

test('an old Node is told which one is needed', async () => {
  const pretend = 'Object.defineProperty(process.versions, "node", { value: "22.18.0" })';

  const { code, err } = await createIn(folder, ['lunch', '--no-install'], '', {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(pretend)}`,
  });

  expect(code).toBe(1);
  expect(err).toBe('Node 22.18.0 is too old: install Node 22.19 or newer, https://nodejs.org.\n');
});

test.each([
  ['Lunch', 'lunch'],
  ['Küche & Köln', 'kuche-koln'],
  ['@acme/lunch', 'acme-lunch'],
  ['食', 'plugin'],
])('the folder %s is the package %s', (name, expected) => {
  expect(packageNameOf(name)).toBe(expected);
});
