/** A back end's own tests: `startTestServer` of the emulator. */
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createClient } from '@dowel/adapter/client';
import { InstallationFailedError } from '@dowel/emulator';
import { startTestServer } from '@dowel/emulator/test-server';
import { createServer, type Hooks } from '@dowel/server';
import { expect, test } from 'vitest';
import { operations } from '../../packages/create-dowel/template-react/server/operations.ts';

const manifest = new URL(
  '../../packages/create-dowel/template-react/manifest.json',
  import.meta.url,
);

test('the example of the README runs', async () => {
  const installed: string[] = [];
  const hooks: Hooks = {
    installed: ({ installation }) => void installed.push(installation.tenantId),
  };

  await using world = await startTestServer((options) =>
    createServer({ ...options, manifest, operations, hooks }),
  );
  const { server, platform } = world;
  const page = await world.openPage(); // installed, placed, and a user has opened it
  const client = createClient<typeof operations>(page);

  expect(await client.vote({ choice: 'soup' })).toEqual({ soup: 1, salad: 0 });

  await server.hooks.runDue();
  expect(installed).toEqual([page.tenantId]);

  await platform.uninstall(page);
  expect(await client.vote.safe({ choice: 'soup' })).toMatchObject({
    error: { code: 'SESSION_INVALID' },
  });
});

test('the example of startTestServer runs', async () => {
  await using world = await startTestServer((options) =>
    createServer({ ...options, manifest, operations }),
  );
  const client = createClient<typeof operations>(await world.openPage());
  const { soup } = await client.vote({ choice: 'soup' });

  expect(soup).toBe(1);
});

test('each page is a widget of its own, and those of a tenant share one installation', async () => {
  await using world = await startTestServer((options) =>
    createServer({ ...options, manifest, operations, sessions: { nonce: 'required' } }),
  );
  const [acme, globex] = world.platform.tenants;
  const helen = globex?.users[0]?.userId ?? '';

  const pages = await Promise.all([
    world.openPage(),
    world.openPage({ userId: acme?.users[1]?.userId ?? '' }),
    world.openPage({ userId: helen }),
  ]);
  const again = await world.openPage({ instanceId: pages[0].instanceId });

  expect(pages.map(({ tenantId }) => tenantId)).toEqual([
    acme?.tenantId,
    acme?.tenantId,
    globex?.tenantId,
  ]);
  expect(pages[1].pluginId).toBe(pages[0].pluginId);
  expect(new Set(pages.map(({ instanceId }) => instanceId)).size).toBe(3);
  expect([again.pluginId, again.instanceId]).toEqual([pages[0].pluginId, pages[0].instanceId]);
  expect(pages[2].user.userId).toBe(helen);
});

test('one of several plug-ins is named by its path', async () => {
  const plugins = { polls: { manifest, operations }, lunch: { manifest, operations } };
  await using world = await startTestServer((options) => createServer({ ...options, plugins }));

  const client = createClient<typeof operations>(
    await world.openPage({ path: '/lunch' }),
    '/lunch/api/',
  );

  expect(await client.vote({ choice: 'salad' })).toEqual({ soup: 0, salad: 1 });
});

test('a refused installation, an unknown user and a lost widget are errors that say so', async () => {
  let isRefused = true;
  const hooks: Hooks = {
    beforeInstall({ refuse }) {
      if (isRefused) return refuse('Please buy a licence first');
    },
  };
  await using world = await startTestServer((options) =>
    createServer({ ...options, manifest, operations, hooks }),
  );

  const failed = await world.openPage().catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(InstallationFailedError);
  expect(String(failed)).toContain('Please buy a licence first');
  await expect(world.openPage({ userId: 'nobody' })).rejects.toThrow(
    expect.objectContaining({ code: 'USER_NOT_FOUND' }),
  );
  isRefused = false;
  await expect(world.openPage({ instanceId: 'lost' })).rejects.toThrow(
    expect.objectContaining({ code: 'INSTANCE_NOT_FOUND' }),
  );
});

test('a server that cannot be made or started leaves nothing behind', async () => {
  const ours = async () =>
    (await readdir(tmpdir())).filter((name) => name.startsWith('dowel-test-server-'));
  const before = await ours();

  await expect(
    startTestServer(() => {
      throw new Error('No server');
    }),
  ).rejects.toThrow('No server');
  const missing = new URL('missing.json', import.meta.url);
  await expect(
    startTestServer((options) => createServer({ ...options, manifest: missing })),
  ).rejects.toThrow('cannot be read');

  expect(await ours()).toEqual(before);
});

test('a page keeps its token from other origins', async () => {
  await using world = await startTestServer((options) =>
    createServer({ ...options, manifest, operations }),
  );
  const page = await world.openPage();

  for (const target of [
    'https://other.example/api',
    '//other.example/api',
    world.platform.tenants[0]?.baseUrl ?? '',
  ]) {
    await expect(page.fetch(target)).rejects.toThrow('is not at the back end');
  }
  expect((await page.fetch(`${world.url}/livez`)).status).toBe(200);
});
