import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makePluginFolder, saveAtomically } from '../testing/make-folder.ts';
import { watchFiles } from './watch-files.ts';

let folder: Awaited<ReturnType<typeof makePluginFolder>>;
let watcher: Awaited<ReturnType<typeof watchFiles>>;
let changes: string[][];

async function watch(files: Record<string, string>): Promise<void> {
  folder = await makePluginFolder(files);
  changes = [];
  watcher = await watchFiles(folder.path, (paths) => {
    changes.push([...paths].map((path) => basename(path)).sort());
  });
}

afterEach(async () => {
  await watcher.close();
  await folder[Symbol.asyncDispose]();
});

test('each of three atomic saves of one file is seen', async () => {
  await watch({ 'server/operations.ts': '0' });

  for (const text of ['1', '2', '3']) {
    await saveAtomically(join(folder.path, 'server/operations.ts'), text);
    await expect.poll(() => changes.length).toBe(Number(text));
  }

  expect(changes).toEqual([['operations.ts'], ['operations.ts'], ['operations.ts']]);
});

test('files of tests, of tools and of no back end are not followed, nor are folders of others', async () => {
  await watch({
    'src/a.test.ts': '',
    'src/style.css': '',
    'vite.config.ts': '',
    '.dowel/x.json': '',
  });
  const write = (name: string) => writeFile(join(folder.path, name), 'x');

  await mkdir(join(folder.path, 'node_modules'));
  for (const name of ['src/a.test.ts', 'src/style.css', 'vite.config.ts', '.dowel/x.json'])
    await write(name);
  await write('node_modules/b.js');
  await write('.env');

  await expect.poll(() => changes).toEqual([['.env']]);
});
