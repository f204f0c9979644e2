import { expect, test } from 'vitest';
import { entryPointId, sendJson, type TestPlugin } from './testing/start-plugin.ts';
import { acme, startWorld } from './testing/start-world.ts';

const names = ({ events }: TestPlugin) => events.map(({ event }) => event);

test('placing and removing an instance sends its id', async () => {
  await using world = await startWorld();
  const key = { tenantId: acme, pluginId: await world.install() };

  const { instanceId, url } = await world.platform.addInstance({ ...key, entryPointId });
  await world.platform.removeInstance({ ...key, instanceId });

  const pluginOrigin = new URL(world.plugin.manifestUrl).origin;
  expect(url).toBe(`${pluginOrigin}/plugin/?view=1&src=${acme}_${instanceId}`);
  expect(
    world.plugin.events.slice(2).map(({ event, claims }) => [event, claims.instanceId]),
  ).toEqual([
    ['instance_add', instanceId],
    ['instance_remove', instanceId],
  ]);
});

test('an unanswered uninstall is signed and sent again a limited number of times', async () => {
  await using world = await startWorld();
  const pluginId = await world.install();
  world.plugin.answers.uninstall = (response) => response.destroy();

  await world.platform.uninstall({ tenantId: acme, pluginId });

  const uninstalls = () => world.plugin.events.filter(({ event }) => event === 'uninstall');
  await expect.poll(() => uninstalls().length).toBe(3);
  expect(new Set(uninstalls().map(({ claims }) => claims.jti)).size).toBe(3);
});

test('an answered event is not sent again, for any answer', async () => {
  await using world = await startWorld();
  const pluginId = await world.install();
  world.plugin.answers.instance_add = (response) =>
    sendJson(response, 500, { code: 500, message: 'No' });

  await world.platform.addInstance({ tenantId: acme, pluginId, entryPointId });
  await world.platform.sendAccessTokenEvent({ tenantId: acme, pluginId });

  expect(names(world.plugin).filter((event) => event === 'instance_add')).toHaveLength(1);
});

test('an event that a later one has undone is not sent again', async () => {
  await using world = await startWorld({ resendDelaysMs: [100, 100] });
  const key = { tenantId: acme, pluginId: await world.install() };
  world.plugin.answers.instance_add = (response) => response.destroy();

  const { instanceId } = await world.platform.addInstance({ ...key, entryPointId });
  await world.platform.removeInstance({ ...key, instanceId });
  // Unanswered: it is sent again after the instance_add would have been.
  world.plugin.answers.uninstall = (response) => response.destroy();
  await world.platform.uninstall(key);

  await expect
    .poll(() => names(world.plugin).filter((event) => event === 'uninstall').length)
    .toBe(3);
  expect(names(world.plugin).filter((event) => event === 'instance_add')).toHaveLength(1);
});

test('an uninstall is not sent again after the next install of the same plug-in', async () => {
  await using world = await startWorld({ resendDelaysMs: [100] });
  const pluginId = await world.install();
  world.plugin.answers.uninstall = (response) => response.destroy();
  await world.platform.uninstall({ tenantId: acme, pluginId });
  const { manifestUrl } = world.plugin;
  await world.platform.install({ tenantId: acme, manifestUrl, pluginId });
  world.plugin.answers.instance_add = (response) => response.destroy();

  await world.platform.addInstance({ tenantId: acme, pluginId, entryPointId });

  // Begun later, with the same pause.
  await expect
    .poll(() => names(world.plugin).filter((event) => event === 'instance_add').length)
    .toBe(2);
  expect(names(world.plugin).filter((event) => event === 'uninstall')).toHaveLength(1);
});
