/** Builds disk.c, and returns the environment that makes a process use this simulated disk. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('disk.c', import.meta.url));

/** A C compiler on Linux; other systems do not preload. */
export const canPreload =
  process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;

export interface Disk {
  /** Each sync takes this much longer. */
  delayMs?: number;
  /** While this file exists, each sync fails. */
  failFile?: string;
  /** A folder with a copy of each file at its last sync. */
  keepFolder?: string;
  /** A file that gets one letter for each sync: `m` on the main thread, `t` on another. */
  logFile?: string;
}

let library: string | undefined;

/** @returns the environment of a process on such a disk. */
export function preloadDisk({ delayMs, failFile, keepFolder, logFile }: Disk): NodeJS.ProcessEnv {
  library ??= build();
  return {
    LD_PRELOAD: library,
    ...(delayMs !== undefined && { DISK_DELAY_MS: String(delayMs) }),
    ...(failFile && { DISK_FAIL: failFile }),
    ...(keepFolder && { DISK_KEEP: keepFolder }),
    ...(logFile && { DISK_LOG: logFile }),
  };
}

function build(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'dowel-disk-')), 'disk.so');
  const args = ['-shared', '-fPIC', '-O1', '-Wall', '-Werror', '-o', path, source, '-ldl'];
  const { status, stderr } = spawnSync('cc', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`disk.c cannot be compiled: ${stderr}`);
  return path;
}
