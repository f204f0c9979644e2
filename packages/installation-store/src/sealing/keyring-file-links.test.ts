/** A key file where the file system has no hard links, such as a mounted folder of another system. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createKeyFile, openKeyring } from './keyring-file.ts';

vi.mock('node:fs', async (importOriginal) => ({
  ...(await importOriginal<typeof import('node:fs')>()),
  linkSync() {
    throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' });
  },
}));

test('is created once, also without hard links', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-key-'));
  const path = join(folder, 'encryption.key');

  expect(createKeyFile(path)).toBe(true);
  const ids = openKeyring({ path, production: true }).keyIds();

  expect(createKeyFile(path)).toBe(false);
  expect(openKeyring({ path, production: true }).keyIds()).toEqual(ids);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['encryption.key']);
  await rm(folder, { recursive: true });
});
