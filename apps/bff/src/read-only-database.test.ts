/** A database that this user may not write: fault D8. */
import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root, runProcess } from './testing/start-process.ts';

/** Root may write everything, so it starts the process as nobody. */
const user = process.getuid?.() === 0 ? 65_534 : undefined;
const manifest = join(root, 'manifest.json');
const canRun =
  user === undefined ||
  spawnSync(process.execPath, ['-e', `fs.readFileSync(${JSON.stringify(manifest)})`], {
    uid: user,
    gid: user,
  }).status === 0;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-read-only-'));
  if (user !== undefined) await chown(folder, user, user);
});

afterEach(async () => {
  await chmod(folder, 0o700);
  await rm(folder, { recursive: true });
});

/** The cache of compiled code belongs to another user. */
const start = () =>
  runProcess({ dataDir: folder, user, settings: { NODE_DISABLE_COMPILE_CACHE: '1' } });

test.skipIf(!canRun)(
  'D8: a database file or folder that cannot be written ends the start with one line',
  async () => {
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
  },
);
