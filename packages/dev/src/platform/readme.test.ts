import { seedTenants } from '@dowel/emulator';
import { startOnUnusedPort } from '@dowel/settings/testing';
import { expect, test } from 'vitest';
import { startPlatform } from './start-platform.ts';

test('the example of the README moves the clock of a tenant', async () => {
  const emulator = await startOnUnusedPort((port) =>
    startPlatform({
      port,
      host: '127.0.0.1',
      webRoot: import.meta.dirname,
      sampleManifestUrl: 'http://localhost:4310/manifest.json',
      onError: () => undefined,
      platform: { keyBits: 2048 },
    }),
  );
  const { url } = emulator;
  const userId = seedTenants()[0]?.users[0]?.userId;

  const signedIn = await fetch(`${url}/control/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userId }),
  });
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const changed = await fetch(`${url}/control/lab`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify({ advanceSeconds: 3_600 }), // access tokens expire an hour earlier
  });

  expect([signedIn.status, await changed.json()]).toMatchObject([
    201,
    { clockOffsetSeconds: 3_600 },
  ]);
  await emulator.close();
});

test('the example of the package starts the platform in a program', async () => {
  const port = 0;
  const sampleManifestUrl = 'http://localhost:4310/manifest.json';
  const onError = () => undefined;

  const running = await startPlatform({ port, sampleManifestUrl, onError });

  expect(running.url).toMatch(/^http:\/\/localhost:[1-9]\d+$/);
  expect(running.platform.origin).toBe(running.url);
  expect((await fetch(`${running.url}/certificates/`)).status).toBe(404);
  await running.close();
});
