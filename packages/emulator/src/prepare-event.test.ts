/** Events that a test changes before they are sent, and events that are sent again. */
import { expect, test } from 'vitest';
import { entryPointId, sendJson } from './testing/start-plugin.ts';
import { acme, startWorld, type World } from './testing/start-world.ts';

async function startInstalled(world: World) {
  const key = { tenantId: acme, pluginId: await world.install() };
  world.plugin.events.length = 0;
  return key;
}

test('an event that is prepared is sent later, any number of times', async () => {
  await using world = await startWorld();
  const key = await startInstalled(world);

  const event = await world.platform.prepareEvent(key, 'access_token');
  expect(world.plugin.events).toEqual([]);
  const exchange = await event.send();
  await event.send();

  expect(exchange).toMatchObject({ event: 'access_token', url: event.url, status: 201 });
  const [first, second] = world.plugin.events;
  expect(first).toMatchObject({ header: event.header, claims: event.claims });
  expect(second?.claims).toEqual(first?.claims);
  expect((await world.exchange()).status).toBe(200);
});

test('claims and members of the header can be replaced and left out', async () => {
  await using world = await startWorld();
  const key = await startInstalled(world);
  const event = await world.platform.prepareEvent(key, 'access_token');

  await event.send({ claims: { jti: undefined, exp: 1 }, header: { typ: 'at+jwt' } });

  const [sent] = world.plugin.events;
  const { jti: _, ...claims } = event.claims;
  expect(sent?.claims).toEqual({ ...claims, exp: 1 });
  expect(sent?.header).toEqual({ ...event.header, typ: 'at+jwt' });
});

test('a header with an unknown crit is signed', async () => {
  await using world = await startWorld();
  const key = await startInstalled(world);
  const event = await world.platform.prepareEvent(key, 'access_token');

  const { jwt } = await event.send({ header: { crit: ['own'], own: true } });

  expect(jwt?.header).toMatchObject({ crit: ['own'], own: true });
});

test('an event can be sent to the URL of another event, and as any text', async () => {
  await using world = await startWorld();
  const key = await startInstalled(world);
  const event = await world.platform.prepareEvent(key, 'install');

  await event.send({ to: 'access_token' });
  const garbage = await event.send({ jwt: 'abc' });

  expect(world.plugin.events).toMatchObject([
    { event: 'access_token', claims: { sub: 'install' } },
  ]);
  expect(garbage).toMatchObject({ body: 'token=abc', jwt: null });
});

test('a stranger can sign it', async () => {
  await using world = await startWorld();
  const key = await startInstalled(world);
  const event = await world.platform.prepareEvent(key, 'uninstall');

  expect((await event.send({ key: 'stranger' })).status).toBe(401);
  expect(world.plugin.events).toEqual([]);
  expect((await event.send({ key: 'next' })).status).toBe(201);
});

test.each(['install', 'uninstall', 'instance_add', 'instance_remove'] as const)(
  'a prepared %s has the claims of a real one',
  async (name) => {
    await using world = await startWorld();
    const pluginId = await world.install();
    const key = { tenantId: acme, pluginId };
    const { instanceId } = await world.platform.addInstance({ ...key, entryPointId });
    await world.platform.removeInstance({ ...key, instanceId });
    const { claims } = await world.platform.prepareEvent({ ...key, instanceId }, name);
    await world.platform.uninstall(key);

    const real = world.plugin.events.find(({ event }) => event === name);
    expect({ ...real?.claims, jti: '', iat: 0, exp: 0 }).toEqual({
      ...claims,
      jti: '',
      iat: 0,
      exp: 0,
    });
  },
);

test('an event that the manifest does not request is EVENT_NOT_REQUESTED', async () => {
  await using world = await startWorld();
  world.plugin.manifest.lifecycle = { url: 'lifecycle', events: [] };
  const key = await startInstalled(world);

  await expect(world.platform.prepareEvent(key, 'install')).rejects.toMatchObject({
    code: 'EVENT_NOT_REQUESTED',
  });
});

test('an event is sent again as it was, or signed again', async () => {
  await using world = await startWorld();
  const key = await startInstalled(world);
  const { id } = await world.platform.sendAccessTokenEvent(key);
  await world.platform.uninstall(key);

  const same = await world.platform.resendEvent({ tenantId: acme, id });
  await world.platform.resendEvent({ tenantId: acme, id, signedAgain: true });

  expect(same).toMatchObject({ event: 'access_token', pluginId: key.pluginId, status: 201 });
  const [first, , second, third] = world.plugin.events.map(({ claims }) => claims);
  expect(second).toEqual(first);
  expect(third).toMatchObject({ client: first?.client, tenantId: acme });
  expect(third?.jti).not.toBe(first?.jti);
  await expect(world.platform.resendEvent({ tenantId: acme, id: 999 })).rejects.toMatchObject({
    code: 'EXCHANGE_NOT_FOUND',
  });
});

test('the manifest can be changed on its way to the platform', async () => {
  await using world = await startWorld();
  const { manifestUrl } = world.plugin;
  const without = ({ apiAccess: _apiAccess, ...manifest }: typeof world.plugin.manifest) =>
    manifest;

  const { pluginId, requestedScopes } = await world.platform.install({
    tenantId: acme,
    manifestUrl,
    manifest: without,
  });

  expect(requestedScopes).toEqual([]);
  expect(world.plugin.events.map(({ event }) => event)).toEqual(['install']);
  const updated = await world.platform.update({ tenantId: acme, pluginId });
  expect(updated.requestedScopes).toEqual(['plugin:notify']);
});

test('a platform that tolerates it accepts any status of success', async () => {
  await using world = await startWorld({ tolerate: ['status.2xx'] });
  world.plugin.answers.install = (response) => sendJson(response, 200, {});
  world.plugin.answers.access_token = (response) => response.writeHead(204).end();

  await world.install();

  const events = world.platform.exchanges({ kind: 'event' });
  expect(events.map(({ status, error }) => [status, error])).toEqual([
    [200, null],
    [204, null],
  ]);
});
