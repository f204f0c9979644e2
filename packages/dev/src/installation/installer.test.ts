import { createPlatform } from '@dowel/emulator';
import { expect, test } from 'vitest';
import { collectLines } from '../testing/collect-lines.ts';
import { createInstaller } from './installer.ts';

test('what the platform could not do is one line that says what it was, and why', async () => {
  const { say, all } = collectLines();
  const platform = createPlatform({
    origin: 'http://localhost:4300',
    keyBits: 2048,
    fetch: async () => new Response('', { status: 404 }),
  });
  const manifestUrl = 'http://localhost:4310/manifest.json';
  const installer = createInstaller({ platform, manifestUrl, say });

  await installer.sync();
  await installer.again();

  platform.close();
  expect(all).toMatchObject([
    {
      level: 'error',
      text: expect.stringMatching(/^The platform could not install the plug-in: ./),
    },
    { text: expect.stringMatching(/^The platform could not install the plug-in again: ./) },
  ]);
});
