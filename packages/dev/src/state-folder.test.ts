import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DevError } from './dev-error.ts';
import { findRunning, openStateFolder } from './state-folder.ts';
import { makePluginFolder } from './testing/make-folder.ts';

let folder: Awaited<ReturnType<typeof makePluginFolder>>;
const open = (fresh = false) => openStateFolder(folder.path, { fresh });

beforeEach(async () => {
  folder = await makePluginFolder({ 'manifest.json': '{}' });
});
afterEach(() => folder[Symbol.asyncDispose]());

test('only its owner may read it, it is not for version control, and the key of the page stays', async () => {
  const first = await open();
  await first.release();
  const second = await open();

  expect((await stat(join(folder.path, '.dowel'))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(folder.path, '.dowel'))).toContain('.gitignore');
  expect(first.pageKey).toMatch(/^[\da-f]{24}$/);
  expect(second.pageKey).toBe(first.pageKey);
});

test('fresh forgets everything', async () => {
  const first = await open();
  await writeFile(first.statePath(4300), '{}');
  await first.release();
  const second = await open(true);

  expect(second.pageKey).not.toBe(first.pageKey);
  expect(await readdir(join(folder.path, '.dowel'))).not.toContain('emulator-4300.json');
});

test('a second process is told which one uses the folder; one that was killed keeps nobody out', async () => {
  const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1_000)']);
  const { release } = await open();
  await release();
  await writeFile(join(folder.path, '.dowel/dev.json'), JSON.stringify({ pid: child.pid }));

  await expect(open()).rejects.toThrow(
    `Another dowel dev runs in this folder: process ${child.pid}. End it first.`,
  );
  child.kill('SIGKILL');
  await once(child, 'exit');
  await open();
});

test('other commands find the addresses once they are known, and nothing after its end', async () => {
  const addresses = { platformUrl: 'http://localhost:1', manifestUrl: 'http://localhost:2/m.json' };
  const find = () => findRunning(folder.path);
  await expect(find()).rejects.toThrow('No dowel dev runs in this folder.');

  const { publish, release } = await open();
  await expect(find()).rejects.toThrow(`process ${process.pid}, is still starting. Try later.`);
  await publish(addresses);
  expect(await find()).toEqual(addresses);
  expect((await stat(join(folder.path, '.dowel/dev.json'))).mode & 0o777).toBe(0o600);
  await expect(open()).rejects.toThrow(`process ${process.pid}. End it first.`);

  await release();
  await expect(find()).rejects.toThrow('No dowel dev runs in this folder.');
});

test('what cannot be used is one line that names it', async () => {
  const path = join(folder.path, '.dowel');
  await writeFile(path, '');
  await expect(open()).rejects.toEqual(
    new DevError(`${path} cannot be used: a part of the path is a file (ENOTDIR).`),
  );
  await rm(path);
  await mkdir(join(path, 'dev.json'), { recursive: true });
  await expect(open()).rejects.toThrow(/^[^\n]+dev\.json cannot be used: [^\n]+\.$/);
});
