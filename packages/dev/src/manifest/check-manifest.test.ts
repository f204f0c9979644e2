import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { collectLines } from '../testing/collect-lines.ts';
import { manifestWith } from '../testing/fake-plugin.ts';
import { makePluginFolder } from '../testing/make-folder.ts';
import { checkManifest } from './check-manifest.ts';

let folder: Awaited<ReturnType<typeof makePluginFolder>>;

beforeEach(async () => {
  folder = await makePluginFolder({ 'package.json': '{}' });
});
afterEach(() => folder[Symbol.asyncDispose]());

async function check() {
  const { say, all } = collectLines();
  const path = join(folder.path, 'manifest.json');
  const manifest = await checkManifest(path, { url: 'http://localhost:4310/manifest.json', say });
  return { manifest, lines: all.map(({ text }) => text) };
}
const write = (content: Uint8Array | string) =>
  writeFile(join(folder.path, 'manifest.json'), content);

test('line ends of Windows are as good as others', async () => {
  await write(JSON.stringify(JSON.parse(manifestWith(1)), null, 2).replaceAll('\n', '\r\n'));

  expect((await check()).manifest).toMatchObject({ pluginVersion: expect.any(String) });
});

test('a file in another encoding is broken, and a line says so', async () => {
  await write(Buffer.from('{ "name": "Käse" }', 'latin1'));

  expect(await check()).toEqual({
    manifest: 'broken',
    lines: ['manifest.json cannot be read: it is not UTF-8 text.'],
  });
});

test('a finding is an error or a warning, with its place and its fix', async () => {
  await write(JSON.stringify({ ...JSON.parse(manifestWith(1)), name: undefined, colour: 'red' }));

  const { lines } = await check();
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(
        /^manifest\.json:1:\d+ warning at \/colour: This field is not known\. /,
      ),
      expect.stringMatching(/^manifest\.json:1:1 error at \/name: The field "name" is missing\. /),
    ]),
  );
});

test('what is no file is broken; without one the manifest is in the program', async () => {
  expect(await check()).toEqual({ manifest: undefined, lines: [] });
  await mkdir(join(folder.path, 'manifest.json'));

  expect(await check()).toEqual({
    manifest: 'broken',
    lines: ['manifest.json cannot be read: it is a folder (EISDIR).'],
  });
});
