/** The folder `.dowel` of a plug-in: what its development keeps. Nothing in it belongs into version control. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@dowel/settings';
import { DevError } from './dev-error.ts';

export interface StateFolder {
  /** Of the back end. */
  dataPath: string;
  /** Of the emulator at this port. */
  statePath(platformPort: number): string;
  /** The secret part of the page's address. It stays, so that an open page finds its files after a restart. */
  pageKey: string;
  /** Lets another `dowel dev` begin. */
  release(): Promise<void>;
}

/**
 * Opens the folder for this process alone.
 *
 * @param fresh whether to begin without what was kept.
 * @throws DevError when another `dowel dev` uses it
 */
export async function openStateFolder(
  root: string,
  { fresh }: { fresh: boolean },
): Promise<StateFolder> {
  const folder = join(root, '.dowel');
  const lockPath = join(folder, 'dev.json');
  makeFolder(folder);
  await takeLock(lockPath);
  if (fresh) await removeContent(folder);
  await writeFile(join(folder, '.gitignore'), '*\n');
  await mkdir(join(folder, 'data'), { recursive: true, mode: 0o700 });
  return {
    dataPath: join(folder, 'data'),
    statePath: (platformPort) => join(folder, `emulator-${platformPort}.json`),
    pageKey: await readOrMakeKey(join(folder, 'page-key')),
    release: () => rm(lockPath, { force: true }),
  };
}

/** The file names the process. It stays behind when that is killed. */
async function takeLock(path: string): Promise<void> {
  const text = JSON.stringify({ pid: process.pid });
  for (;;) {
    try {
      return await writeFile(path, text, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const pid = await readPid(path);
    if (pid !== undefined && isRunning(pid)) {
      throw new DevError(
        `Another dowel dev runs in this folder: process ${pid}. End it first. If that is another program, delete ${path}.`,
      );
    }
    await rm(path, { force: true });
  }
}

async function readPid(path: string): Promise<number | undefined> {
  try {
    const { pid } = JSON.parse(await readFile(path, 'utf8')) as { pid?: unknown };
    return typeof pid === 'number' ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function removeContent(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name !== 'dev.json');
  await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true })));
}

/** 96 random bits. */
async function readOrMakeKey(path: string): Promise<string> {
  const known = await readFile(path, 'utf8').catch(() => '');
  if (/^[\da-f]{24}$/.test(known)) return known;
  const key = randomBytes(12).toString('hex');
  await writeFile(path, key, { mode: 0o600 });
  return key;
}
