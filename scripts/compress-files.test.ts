import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compressFiles } from './compress-files.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-compress-'));
  await mkdir(join(folder, 'assets'));
});

afterEach(() => rm(folder, { recursive: true }));

test('each text that becomes smaller has a Brotli and a gzip file of the same content', async () => {
  const script = 'export const answer = 42;\n'.repeat(1_000);
  await writeFile(join(folder, 'assets/index-abc.js'), script);
  await writeFile(join(folder, 'index.html'), '<!doctype html>');
  await writeFile(join(folder, 'assets/font.woff2'), 'x'.repeat(5_000));
  await writeFile(join(folder, 'assets/random.txt'), randomBytes(5_000));

  await compressFiles(folder);

  expect((await readdir(join(folder, 'assets'))).toSorted()).toEqual([
    'font.woff2',
    'index-abc.js',
    'index-abc.js.br',
    'index-abc.js.gz',
    'random.txt',
  ]);
  expect(await readdir(folder)).toHaveLength(2);
  const twin = (extension: string) => readFile(join(folder, `assets/index-abc.js${extension}`));
  expect(brotliDecompressSync(await twin('.br')).toString()).toBe(script);
  expect(gunzipSync(await twin('.gz')).toString()).toBe(script);
});
