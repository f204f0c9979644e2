/** The folder `.dowel` of a plug-in: what its development keeps. Nothing in it belongs into version control. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeFileError, makeFolder } from '@dowel/settings';
import { DevError } from './dev-error.ts';
import { replaceFile } from './replace-file.ts';

/** Where a running `dowel dev` is found. */
export interface Addresses {
  platformUrl: string;
  /** Of the plug-in. */
  manifestUrl: string;
}

export interface StateFolder {
  /** Of the back end. */
  dataPath: string;
  /** Of the emulator at this port. */
  statePath(platformPort: number): string;
  /** The secret part of the page's address. It stays, so that an open page finds its files after a restart. */
  pageKey: string;
  /** Lets `dowel send` and `dowel fault` find this process. */
  publish(addresses: Addresses): Promise<void>;
  /** Lets another `dowel dev` begin. */
  release(): Promise<void>;
}

/**
 * Opens the folder for this process alone.
 *
 * @param fresh whether to begin without what was kept.
 * @throws DevError when another `dowel dev` uses it, or when it cannot be used
 */
export async function openStateFolder(
  root: string,
  options: { fresh: boolean },
): Promise<StateFolder> {
  const folder = join(root, '.dowel');
  try {
    return await openFolder(folder, options);
  } catch (cause) {
    if (cause instanceof DevError) throw cause;
    const { path = folder } = cause as NodeJS.ErrnoException;
    throw new DevError(`${path} cannot be used: ${describeFileError(cause)}.`, { cause });
  }
}

async function openFolder(folder: string, { fresh }: { fresh: boolean }): Promise<StateFolder> {
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
    publish: (addresses) =>
      replaceFile(lockPath, JSON.stringify({ pid: process.pid, ...addresses })),
    release: () => rm(lockPath, { force: true }),
  };
}

/**
 * Returns the addresses of the `dowel dev` that runs in this folder.
 *
 * @throws DevError when none runs, or when it is still starting
 */
export async function findRunning(root: string): Promise<Addresses> {
  const { pid, platformUrl, manifestUrl } = await readLock(join(root, '.dowel/dev.json'));
  if (pid === undefined || !isRunning(pid)) {
    throw new DevError(
      'No dowel dev runs in this folder. Start it: npx dowel dev. Or name a platform: --platform http://localhost:4300.',
    );
  }
  if (platformUrl !== undefined && manifestUrl !== undefined) return { platformUrl, manifestUrl };
  throw new DevError(`The dowel dev of this folder, process ${pid}, is still starting. Try later.`);
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
    const { pid } = await readLock(path);
    if (pid !== undefined && isRunning(pid)) {
      throw new DevError(
        `Another dowel dev runs in this folder: process ${pid}. End it first. If that is another program, delete ${path}.`,
      );
    }
    await rm(path, { force: true });
  }
}

/** What the file does not have, or not as it should be, is left out. */
async function readLock(path: string): Promise<Partial<Addresses> & { pid?: number }> {
  try {
    const { pid, platformUrl, manifestUrl } = JSON.parse(await readFile(path, 'utf8'));
    return {
      ...(typeof pid === 'number' && { pid }),
      ...(typeof platformUrl === 'string' && { platformUrl }),
      ...(typeof manifestUrl === 'string' && { manifestUrl }),
    };
  } catch {
    return {};
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
