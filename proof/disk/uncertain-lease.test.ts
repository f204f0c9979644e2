/** A lease on a disk whose sync fails: it is unknown whether the lease is stored, and nothing was sent with it. */
import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sqlite, type TestDatabase } from '@dowel/installation-store/testing';
import { storeGrant } from '@dowel/token-client/testing';
import { expect, onTestFinished, test } from 'vitest';
import { canPreload, preloadDisk } from './preload-disk.ts';

const script = fileURLToPath(new URL('lease-taker.ts', import.meta.url));

function startLeaseTaker({ location, encryptionKey }: TestDatabase, id: string, failFile: string) {
  const path = 'path' in location ? location.path : '';
  const key = Buffer.from(encryptionKey).toString('hex');
  const child = spawn(process.execPath, [script, path, key, id], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...preloadDisk({ failFile }) },
  });
  const exited = once(child, 'exit');
  const lines = on(createInterface(child.stdout), 'line', { close: ['close'] });
  const nextLine = async () => ((await lines.next()).value as [string])[0];
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return {
    nextLine,
    renew() {
      child.stdin.write('renew\n');
      return nextLine();
    },
  };
}

test.skipIf(!canPreload)(
  'D8: a lease whose sync fails counts as a presentation only until the disk is repaired',
  async () => {
    const database = await sqlite.create();
    onTestFinished(() => database.destroy());
    const store = await database.open();
    const baseUrl = 'https://tenant.example';
    const id = await storeGrant({ store }, { baseUrl, token: '1', expiresAt: 1 });
    const { path } = database.location as { path: string };
    const failFile = join(path, '..', 'fail');
    const taker = startLeaseTaker(database, id, failFile);
    expect(await taker.nextLine()).toBe('ready');
    const leaseRow = async () => {
      const [row] = await database.execute(
        'select presented, unanswered, lease_owner is null as isFree from grants',
      );
      return { ...row };
    };

    writeFileSync(failFile, '');
    expect(await taker.renew()).toBe('DATABASE_UNAVAILABLE');
    expect(await leaseRow()).toEqual({ presented: 1, unanswered: 1, isFree: 0 });
    rmSync(failFile);

    await expect.poll(leaseRow).toEqual({ presented: 0, unanswered: 0, isFree: 1 });
    expect(await taker.renew()).toBe('REFRESH_FAILED');
  },
);
