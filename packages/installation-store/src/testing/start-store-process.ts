/** Starts store-process.ts and sends it commands. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { InstallationKey } from '../stores/find-installation.ts';
import { failAtExit } from './fail-at-exit.ts';
import type { TestDatabase } from './test-databases.ts';

const script = fileURLToPath(new URL('store-process.ts', import.meta.url));

export interface StoreProcess {
  /** Resolves with its answer. */
  tell(
    what: 'open' | 'migrate' | 'fill' | 'hold' | 'write' | 'probe' | 'uninstall' | 'maintain',
    database: TestDatabase,
    installation?: InstallationKey,
  ): Promise<string>;
  /** From now on none of its files can have a second page, as on a full disk. Linux only. */
  fillDisk(): void;
  /** Ends the limit of its files. Linux only. */
  freeDisk(): void;
  /** By SIGKILL. */
  kill(): Promise<void>;
}

/** @param maxFileBytes the largest size of its files, to simulate a full disk. */
export function startStoreProcess({ maxFileBytes }: { maxFileBytes?: number } = {}): StoreProcess {
  const limit =
    maxFileBytes === undefined ? '' : `ulimit -S -f ${Math.floor(maxFileBytes / 512)}; `;
  const args = ['-c', `${limit}exec "$0" "$1"`, process.execPath, script];
  const child = spawn('sh', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout);
  const ended = failAtExit(child);
  const readLine = () => Promise.race([once(lines, 'line'), ended]);
  const ready = readLine();
  // Its end fails only what waits for an answer.
  ready.catch(() => undefined);
  return {
    async tell(what, { location, encryptionKey }, installation) {
      await ready;
      const answer = readLine();
      const key = Buffer.from(encryptionKey).toString('hex');
      child.stdin.write(`${JSON.stringify({ what, location, key, installation })}\n`);
      return (await answer)[0] as string;
    },
    fillDisk: () => limitFiles(child.pid, '4096'),
    freeDisk: () => limitFiles(child.pid, 'unlimited'),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function limitFiles(pid: number | undefined, bytes: string): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}
