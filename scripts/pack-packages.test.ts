import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linkToRepository, removeTarballs } from './pack-packages.ts';

test('tarballs of an earlier version are removed, and nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-tarballs-'));
  for (const name of ['dowel-server-0.0.9.tgz', 'create-dowel-0.0.9.tgz', 'other.tgz', 'dowel-x']) {
    await writeFile(join(folder, name), '');
  }

  await removeTarballs(folder);

  expect((await readdir(folder)).sort()).toEqual(['dowel-x', 'other.tgz']);
  await rm(folder, { recursive: true });
});

test('a packed README links to no file that its package does not contain', () => {
  const url = 'git+https://git.example/dowel.git';
  const readme =
    '[Errors](../../docs/errors.md#codes) [poll](../../examples/vote) [it](../adapter#use)';

  expect(linkToRepository(readme, { repository: { url, directory: 'packages/server' } })).toBe(
    '[Errors](https://git.example/dowel/blob/HEAD/docs/errors.md#codes) [poll](https://git.example/dowel/blob/HEAD/examples/vote) [it](../adapter#use)',
  );
});
