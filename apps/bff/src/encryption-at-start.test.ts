/** How the back end handles its encryption key at the start: rows E02, E06 and E11. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyring, openStore } from '@dowel/installation-store';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openInProcess } from './testing/open-in-process.ts';
import { runProcess } from './testing/start-process.ts';

let folder: string;
let databasePath: string;
let keyPath: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-start-'));
  databasePath = join(folder, 'dowel.sqlite');
  keyPath = join(folder, 'encryption.key');
});

afterEach(() => rm(folder, { recursive: true }));

/** Starts a process with the widest umask. */
const start = (settings: Record<string, string> = {}, whenReady?: () => Promise<void>) =>
  runProcess({ dataDir: folder, settings, umask: '000' }, whenReady);

const keys = Array.from({ length: 3 }, () => randomBytes(32));
const keyOf = (index: number) => keys[index] ?? randomBytes(32);

async function writeKey(byte: number): Promise<string> {
  await writeFile(keyPath, `${Buffer.from(keyOf(byte)).toString('base64url')}\n`, { mode: 0o600 });
  return createKeyring(keyOf(byte)).activeKeyId();
}

describe('the back end', () => {
  test('E02: without a key does not start in production and creates no database', async () => {
    const { code, err } = await start({ NODE_ENV: 'production' });

    expect(code).toBe(1);
    expect(err).not.toContain('Dowel is at');
    expect(err).toMatch(
      /^There is no encryption key at .*put its key file back\. .*make a key with "dowel keys create"/,
    );
    expect(await readdir(folder)).toEqual([]);
  });

  test('E02, E11: with a key that others may read does not start in production', async () => {
    await writeKey(1);
    await rm(keyPath);
    await writeFile(keyPath, Buffer.from(keyOf(1)).toString('base64url'), { mode: 0o644 });

    await expect(openInProcess(folder, { NODE_ENV: 'production' })).rejects.toThrow(
      `chmod 600 '${keyPath}'`,
    );
    expect(existsSync(databasePath)).toBe(false);
  });

  test('E02: with a key of zero bytes does not start and creates no database', async () => {
    await writeFile(keyPath, `${Buffer.alloc(32).toString('base64url')}\n`, { mode: 0o600 });

    await expect(openInProcess(folder)).rejects.toThrow(
      'its first key is not random: its bytes are all equal',
    );
    expect(existsSync(databasePath)).toBe(false);
  });

  test('E06: with the wrong key does not start, and leaves the database as it was', async () => {
    const right = createKeyring(keyOf(1));
    const store = await openStore({ path: databasePath, keyring: right });
    await store.installations.begin({ issuer: 'i', tenantId: 't', pluginId: 'p' }, 1, 1);
    await store.close();
    const before = await readFile(databasePath);
    const wrong = await writeKey(2);

    await expect(openInProcess(folder)).rejects.toThrow(
      `sealed with key ${right.activeKeyId()}; the key file holds key ${wrong}`,
    );
    expect((await readFile(databasePath)).equals(before)).toBe(true);
  });

  test('E06: does not replace a lost key file', async () => {
    const store = await openStore({ path: databasePath, keyring: createKeyring(keyOf(1)) });
    await store.close();

    await expect(openInProcess(folder)).rejects.toThrow(createKeyring(keyOf(1)).activeKeyId());
    expect(existsSync(keyPath)).toBe(false);
  });

  test('E11: creates files that only its own user may read, under any umask', async () => {
    const modes: string[] = [];
    const { wasReady, code } = await start({}, async () => {
      for (const file of await readdir(folder)) {
        modes.push(`${file} ${((await stat(join(folder, file))).mode & 0o777).toString(8)}`);
      }
    });

    expect({ wasReady, code }).toEqual({ wasReady: true, code: 0 });
    expect(modes.toSorted()).toEqual([
      'dowel.sqlite 600',
      'dowel.sqlite-shm 600',
      'dowel.sqlite-wal 600',
      'encryption.key 600',
    ]);
  });

  test('never repeats the password of a database that it cannot reach', async () => {
    // Nothing listens at the port of tcpmux.
    const url = 'postgres://dowel:s3cret-word@127.0.0.1:1/dowel';

    const { code, out, err } = await start({ DOWEL_DATABASE_URL: url });

    expect(code).toBe(0);
    expect(out).toContain('127.0.0.1:1');
    expect(`${out}${err}`).not.toContain('s3cret');
    expect(await readdir(folder)).toEqual([]);
  });
});
