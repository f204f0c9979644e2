import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findChromium } from './find-chromium.ts';

test('the browser that DOWEL_CHROMIUM names goes before one on the path', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-browser-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const installed = join(folder, 'google-chrome');
  await writeFile(installed, '');
  const PATH = ['/nowhere', folder].join(delimiter);

  expect(findChromium({ PATH })).toBe(installed);
  expect(findChromium({ PATH, DOWEL_CHROMIUM: '' })).toBe(installed);
  expect(findChromium({ PATH, DOWEL_CHROMIUM: '/opt/mine' })).toBe('/opt/mine');
});
