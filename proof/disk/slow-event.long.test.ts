/** An event on a disk that takes a second for each sync: the claim, the intent and the answer wait for it in turn. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { controlArguments } from '@dowel/bff/testing';
import { sqlite } from '@dowel/installation-store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { canPreload, preloadDisk } from './preload-disk.ts';

const script = fileURLToPath(new URL('event-taker.ts', import.meta.url));

test.skipIf(!canPreload)(
  'an access_token event is accepted while each sync of the disk takes a second',
  async () => {
    const database = await sqlite.create();
    onTestFinished(() => database.destroy());
    await database.open();
    const { path } = database.location as { path: string };
    const key = Buffer.from(database.encryptionKey).toString('hex');

    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...controlArguments(), script, path, key],
      { env: { ...process.env, ...preloadDisk({ delayMs: 1_000 }) } },
    );

    expect(stdout).toBe('201 null\n');
  },
);
