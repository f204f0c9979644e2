import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeFileError } from './file-error.ts';
import { makeFolder } from './make-folder.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-folder-'));
});

afterEach(() => rm(folder, { recursive: true }));

test('a folder is created with its parents, for its owner only, and may exist already', async () => {
  makeFolder(join(folder, 'a/b'));
  makeFolder(join(folder, 'a/b'));

  expect((await stat(join(folder, 'a'))).mode & 0o777).toBe(0o700);
  expect(existsSync(join(folder, 'a/b'))).toBe(true);
});

test.each(['file', 'file/below'])('%s is refused with the reason in words', async (path) => {
  await writeFile(join(folder, 'file'), '');
  let reason = '';

  try {
    makeFolder(join(folder, path));
  } catch (error) {
    reason = describeFileError(error);
  }

  expect(reason).toBe('a part of the path is a file (ENOTDIR)');
});

test.skipIf(process.platform !== 'linux')(
  'a folder that accepts no other causes no endless loop',
  () => {
    expect(() => makeFolder('/proc/dowel/data')).toThrow();
  },
);
