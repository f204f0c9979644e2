import { expect, test } from 'vitest';
import { entryPointId, sendJson, type TestPlugin } from './testing/start-plugin.ts';
import { acme, startWorld, type World } from './testing/start-world.ts';

const names = ({ events }: TestPlugin) => events.map(({ event }) => event);

/** Installs without apiAccess, then publishes version 2.0.0 that adds it. */
async function publishApiAccess(world: World): Promise<{ tenantId: string; pluginId: string }> {
  const { apiAccess, ...rest } = world.plugin.manifest;
  world.plugin.manifest = rest;
  const pluginId = await world.install();
  world.plugin.manifest = { ...rest, ...(apiAccess && { apiAccess }), pluginVersion: '2.0.0' };
  world.plugin.events.length = 0;
  return { tenantId: acme, pluginId };
}

test('an update that adds apiAccess sends an access_token event', async () => {
  await using world = await startWorld();
  const key = await publishApiAccess(world);

  const updated = await world.platform.update(key);

  expect(names(world.plugin)).toEqual(['access_token']);
  expect(updated).toMatchObject({ pluginVersion: '2.0.0', requestedScopes: ['plugin:notify'] });
  expect((await world.exchange()).status).toBe(200);
});

test.each([200, 400, 500])(
  '%i to the access_token event fails the update, and no uninstall follows',
  async (status) => {
    await using world = await startWorld();
    const key = await publishApiAccess(world);
    world.plugin.answers.access_token = (response) =>
      sendJson(response, status, { code: 500, message: 'Not today' });

    const update = world.platform.update(key);

    await expect(update).rejects.toMatchObject({
      code: 'REFUSED',
      deliveries: [{ event: 'access_token', status }],
    });
    expect(names(world.plugin)).toEqual(['access_token']);
    const [kept] = world.platform.plugins(acme).installations;
    expect(kept).toMatchObject({ pluginVersion: '1.0.0', requestedScopes: [] });
    expect((await world.exchange()).body.error).toBe('invalid_client');
  },
);

test('an update of a plug-in that already has apiAccess sends no event', async () => {
  await using world = await startWorld();
  const pluginId = await world.install();
  world.plugin.manifest.pluginVersion = '1.1.0';
  world.plugin.events.length = 0;

  await world.platform.update({ tenantId: acme, pluginId });

  expect(world.plugin.events).toEqual([]);
});

test('an update that drops apiAccess voids the tokens', async () => {
  await using world = await startWorld();
  const pluginId = await world.install();
  const { body } = await world.exchange();
  const { apiAccess: _, ...rest } = world.plugin.manifest;
  world.plugin.manifest = rest;

  await world.platform.update({ tenantId: acme, pluginId });

  expect((await world.refresh(body.refresh_token)).body.error).toBe('invalid_client');
});

test('uninstall voids codes, tokens and the trigger token', async () => {
  await using world = await startWorld();
  const pluginId = await world.install();
  const { body } = await world.exchange();

  await world.platform.uninstall({ tenantId: acme, pluginId });

  expect(names(world.plugin).at(-1)).toBe('uninstall');
  expect((await world.refresh(body.refresh_token)).status).toBe(401);
  expect((await world.notify(body.access_token, { pluginId, instanceId: 'x' })).status).toBe(401);
  expect(world.platform.plugins(acme).installations).toEqual([]);
});

test('one plug-in id can be installed again after uninstall, with another client', async () => {
  await using world = await startWorld();
  const { manifestUrl } = world.plugin;
  const pluginId = await world.install();
  const { client_id: formerClientId } = world.plugin.client();

  const again = () => world.platform.install({ tenantId: acme, manifestUrl, pluginId });
  await expect(again()).rejects.toMatchObject({ code: 'ALREADY_INSTALLED' });
  await world.platform.uninstall({ tenantId: acme, pluginId });
  await again();

  expect(world.plugin.client().client_id).not.toBe(formerClientId);
});

test('a placed widget shows the page and the height that the update names', async () => {
  await using world = await startWorld();
  const key = { tenantId: acme, pluginId: await world.install() };
  const placed = await world.platform.addInstance({ ...key, entryPointId });
  const [entryPoint] = world.plugin.manifest.entryPoints;
  if (!entryPoint) throw new Error('The sample manifest has an entry point');
  world.plugin.manifest.entryPoints = [{ ...entryPoint, url: '../app/', height: 480 }];
  const shown = () => world.platform.plugins(acme).installations[0]?.instances[0];

  await world.platform.update(key);

  const url = placed.url.replace('/plugin/?view=1&', '/app/?');
  expect(shown()).toMatchObject({ url, height: 480 });

  // Without its entry point, it keeps the page of when it was placed.
  world.plugin.manifest.entryPoints = [{ ...entryPoint, id: crypto.randomUUID() }];
  await world.platform.update(key);
  expect(shown()).toMatchObject({ url: placed.url });
});

test('a plug-in that is uninstalled during its update gets no event and no client', async () => {
  await using world = await startWorld();
  const key = await publishApiAccess(world);
  const release = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  world.plugin.beforeManifest = () => {
    asked.resolve();
    return release.promise;
  };

  const update = world.platform.update(key);
  await asked.promise;
  await world.platform.uninstall(key);
  release.resolve();

  await expect(update).rejects.toMatchObject({ code: 'INSTALLATION_NOT_FOUND' });
  expect(names(world.plugin)).toEqual(['uninstall']);
  expect(world.platform.snapshot().tenants[0]?.clients).toEqual([]);
});
