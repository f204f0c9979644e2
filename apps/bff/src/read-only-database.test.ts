/** A database that this user may not write: fault D8. */
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runProcess } from './testing/start-process.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-read-only-'));
});

afterEach(async () => {
  await chmod(folder, 0o700);
  await rm(folder, { recursive: true });
});

const start = () => runProcess({ dataDir: folder, obeysModes: true });

test('D8: a database file or folder that cannot be written ends the start with one line', async () => {
  expect(await start()).toMatchObject({ code: 0, wasReady: true });
  const path = join(folder, 'dowel.sqlite');

  await chmod(path, 0o400);
  const withFile = await start();
  await chmod(path, 0o600);
  await chmod(folder, 0o500);
  const withFolder = await start();

  expect(withFile).toMatchObject({
    code: 1,
    err: `The database file ${path} cannot be read and written: permission denied for this user (EACCES). Let this user write it, or choose another folder with DOWEL_DATA_DIR.\n`,
  });
  expect(withFolder).toMatchObject({
    code: 1,
    err: `The data folder ${folder} cannot be used: permission denied for this user (EACCES). Choose another with DOWEL_DATA_DIR.\n`,
  });
  expect(await readdir(folder)).toContain('dowel.sqlite');
});
