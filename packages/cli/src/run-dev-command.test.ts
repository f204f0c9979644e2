import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCli } from './testing/run-cli.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-cli-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('its commands are run by the package that the working folder has', async () => {
  const own = join(folder, 'node_modules/@dowel/dev');
  await mkdir(own, { recursive: true });
  await writeFile(join(own, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  const program = 'export const runDevCommand = async (args) => args.length;';
  await writeFile(join(own, 'index.js'), program);

  const outcomes = [
    await runCli(['dev', '--fresh', '--', 'python3', 'app.py'], {}, { cwd: folder }),
    await runCli(['emulator'], {}, { cwd: folder }),
    await runCli(['send', 'install'], {}, { cwd: folder }),
    await runCli(['fault', '--list'], {}, { cwd: folder }),
    await runCli(['doctor', '--explain', 'key.rotated'], {}, { cwd: folder }),
  ];

  expect(outcomes.map(({ code }) => code)).toEqual([5, 1, 2, 2, 3]);
});

test('without the package one line says what to install', async () => {
  const { code, err } = await runCli(['dev'], {}, { cwd: folder });

  expect(code).toBe(1);
  expect(err).toMatch(/^"dowel dev" is in another package\. .* npm install -D @dowel\/dev\n$/);
});
