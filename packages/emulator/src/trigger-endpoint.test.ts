import { joinPlatformUrl } from '@dowel/schema';
import { expect, test } from 'vitest';
import { entryPointId } from './testing/start-plugin.ts';
import { acme, startWorld, type World } from './testing/start-world.ts';

function trigger(world: World, body?: string, path?: string): Promise<Response> {
  const { trigger_event: event } = world.plugin.client();
  if (!event) throw new Error('The event names no trigger');
  const url = joinPlatformUrl(`${world.platform.origin}/t/acme`, path ?? event.url);
  return fetch(url, {
    method: event.method,
    headers: { 'content-type': 'application/json;charset=UTF-8' },
    body: body ?? event.body ?? '',
  });
}

const accessTokenEvents = ({ plugin }: World) =>
  plugin.events.filter(({ event }) => event === 'access_token');

test('a trigger is accepted with 202 and a new access_token event follows', async () => {
  await using world = await startWorld();
  await world.install();
  const before = world.plugin.client();

  const response = await trigger(world);

  expect([response.status, await response.json()]).toEqual([202, { accepted: true }]);
  await expect.poll(() => accessTokenEvents(world).length).toBe(2);
  const after = world.plugin.client();
  expect(after.authorization_code).not.toBe(before.authorization_code);
  expect({ ...after, authorization_code: '' }).toEqual({ ...before, authorization_code: '' });
  expect((await world.exchange()).status).toBe(200);
});

test('the old access token works after a trigger, until the new code is exchanged', async () => {
  await using world = await startWorld();
  const pluginId = await world.install();
  const tenantId = acme;
  const { instanceId } = await world.platform.addInstance({ tenantId, pluginId, entryPointId });
  const old = (await world.exchange()).body;
  const notify = async (accessToken: string) =>
    (await world.notify(accessToken, { pluginId, instanceId })).status;

  await trigger(world);
  expect(await notify(old.access_token)).toBe(201);
  await expect.poll(() => accessTokenEvents(world).length).toBe(2);
  expect(await notify(old.access_token)).toBe(201);

  const { body } = await world.exchange();
  expect(await notify(old.access_token)).toBe(401);
  expect(await notify(body.access_token)).toBe(201);
});

test('the answer does not wait for the event to be handled', async () => {
  await using world = await startWorld();
  await world.install();
  world.plugin.answers.access_token = () => undefined;

  expect((await trigger(world)).status).toBe(202);
});

test('a wrong token, plug-in or tenant is 401 and sends nothing', async () => {
  await using world = await startWorld();
  const pluginId = await world.install();
  const otherTenant = '7b9d4e16-2f63-4c8d-b1a7-9e0f3a2c5d02';

  const responses = [
    await trigger(world, '{"token":"guess"}'),
    await trigger(world, undefined, `/api/plugins/${acme}/access_token/${acme}`),
    await trigger(world, undefined, `/api/plugins/${pluginId}/access_token/${otherTenant}`),
  ];

  for (const response of responses) {
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 'TRIGGER_TOKEN_INVALID' });
  }
  expect(accessTokenEvents(world)).toHaveLength(1);
});

test('a body that is not JSON with a token is 400', async () => {
  await using world = await startWorld();
  await world.install();

  expect((await trigger(world, 'token')).status).toBe(400);
  expect((await trigger(world, '{}')).status).toBe(400);
  const body = world.plugin.client().trigger_event?.body ?? '';
  expect((await trigger(world, body.replace('{', '{"token":"x",'))).status).toBe(400);
});

test('the trigger token is void after uninstall', async () => {
  await using world = await startWorld();
  const pluginId = await world.install();

  await world.platform.uninstall({ tenantId: acme, pluginId });

  expect((await trigger(world)).status).toBe(401);
});
