/**
 * SQLite on a disk that loses its power, fails, or is slow (docs/decisions/0030). A kill alone loses
 * nothing, because the kernel keeps what was written; here only synced files survive.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { controlArguments } from '@dowel/bff/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { canPreload, type Disk, preloadDisk } from './preload-disk.ts';

const writerScript = fileURLToPath(new URL('disk-writer.ts', import.meta.url));
const key = randomBytes(32).toString('hex');

const waitMs = 300_000;

interface Writer {
  /** Ids of the installations that were acknowledged. */
  acknowledged: string[];
  /** The codes of errors. */
  failures: string[];
  /** Each of them truncates the log soon. */
  countUninstalls(): number;
  /** Resolves when `count` are acknowledged, and fails if the process ends before. */
  hasStored(count: number): Promise<void>;
  /** Resolves when `count` have failed. */
  hasFailed(count: number): Promise<void>;
  kill(): Promise<void>;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dowel-power-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function startWriter(path: string, disk: Disk): Writer {
  const args = [...controlArguments(), writerScript, path, key];
  const child: ChildProcess = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...preloadDisk(disk) },
  });
  const acknowledged: string[] = [];
  const failures: string[] = [];
  let uninstalls = 0;
  if (!child.stdout) throw new Error('The writer has no output');
  createInterface(child.stdout).on('line', (line) => {
    if (line === 'ready') return;
    if (line === 'uninstalled') {
      uninstalls += 1;
      return;
    }
    if (line.startsWith('failed ')) failures.push(line.slice('failed '.length));
    else acknowledged.push(line);
  });
  const exited = once(child, 'close');
  const grows = async (list: string[], count: number) => {
    await vi.waitUntil(() => list.length >= count || child.exitCode !== null, waitMs);
    if (list.length < count) throw new Error(`The writer ended with ${list.length} of ${count}`);
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  const hasStored = (count: number) => grows(acknowledged, count);
  const hasFailed = (count: number) => grows(failures, count);
  const countUninstalls = () => uninstalls;
  return { acknowledged, failures, countUninstalls, hasStored, hasFailed, kill };
}

/** Creates the database as it is after the power loss. */
function restore(kept: string, folder: string): string {
  mkdirSync(folder);
  for (const name of readdirSync(kept).filter((each) => /\.sqlite(-wal)?$/.test(each))) {
    copyFileSync(join(kept, name), join(folder, name));
  }
  return join(folder, 'dowel.sqlite');
}

function idsIn(path: string): { ids: Set<string>; integrity: object | undefined } {
  const database = new DatabaseSync(path);
  const ids = database.prepare('select id from installations').all();
  const integrity = database.prepare('pragma integrity_check').get();
  database.close();
  return { ids: new Set(ids.map(({ id }) => String(id))), integrity };
}

test.skipIf(!canPreload)(
  'D9: a power loss after 300 answers, with truncations of the log between them, takes back nothing',
  async () => {
    const folder = newFolder();
    const [path, kept] = [join(folder, 'dowel.sqlite'), join(folder, 'kept')];
    mkdirSync(kept);
    const writer = startWriter(path, { keepFolder: kept });
    await writer.hasStored(300);
    await writer.kill();

    const { ids, integrity } = idsIn(restore(kept, join(folder, 'restored')));

    expect(writer.acknowledged.filter((id) => !ids.has(id))).toEqual([]);
    expect(writer.countUninstalls()).toBeGreaterThan(0);
    expect({ ...integrity }).toEqual({ integrity_check: 'ok' });
  },
);

test.skipIf(!canPreload)('no write waits for the disk on the main thread', async () => {
  const folder = newFolder();
  const logFile = join(folder, 'syncs');
  const writer = startWriter(join(folder, 'dowel.sqlite'), { logFile });
  await writer.hasStored(100);
  const atStart = mainThreadSyncs(logFile);
  // Enough for several checkpoints.
  await writer.hasStored(1_000);

  expect(mainThreadSyncs(logFile)).toBe(atStart);
});

function mainThreadSyncs(logFile: string): number {
  return readFileSync(logFile, 'utf8').split('m').length - 1;
}

test.skipIf(!canPreload)(
  'D8: a sync that fails acknowledges nothing, and the next checkpoint heals',
  async () => {
    const folder = newFolder();
    const failFile = join(folder, 'fail');
    const writer = startWriter(join(folder, 'dowel.sqlite'), { failFile });
    await writer.hasStored(50);

    writeFileSync(failFile, '');
    await writer.hasFailed(20);
    const before = writer.acknowledged.length;
    await writer.hasFailed(100);
    expect(writer.acknowledged.length).toBe(before);
    rmSync(failFile);
    await writer.hasStored(before + 50);

    expect(new Set(writer.failures)).toEqual(new Set(['DATABASE_UNAVAILABLE']));
  },
);
