import { expect, test } from 'vitest';
import { acme, startWorld, type World } from './testing/start-world.ts';

const accessTokenEvents = ({ plugin }: World) =>
  plugin.events.filter(({ event }) => event === 'access_token');

test('a trigger is accepted with 202 and a new access_token event follows', async () => {
  await using world = await startWorld();
  await world.install();
  const before = world.plugin.client();

  const response = await world.trigger();

  expect([response.status, await response.json()]).toEqual([202, { accepted: true }]);
  await expect.poll(() => accessTokenEvents(world).length).toBe(2);
  const after = world.plugin.client();
  expect(after.authorization_code).not.toBe(before.authorization_code);
  expect({ ...after, authorization_code: '' }).toEqual({ ...before, authorization_code: '' });
  expect((await world.exchange()).status).toBe(200);
});

test('the old access token works after a trigger, until the new code is exchanged', async () => {
  await using world = await startWorld();
  const { path } = await world.place();
  const old = (await world.exchange()).body;
  const notify = async (accessToken: string) => (await world.notify(accessToken, path)).status;

  await world.trigger();
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

  expect((await world.trigger()).status).toBe(202);
});

test('a wrong token, plug-in or tenant is 401 and sends nothing', async () => {
  await using world = await startWorld();
  const pluginId = await world.install();
  const otherTenant = '7b9d4e16-2f63-4c8d-b1a7-9e0f3a2c5d02';

  const responses = [
    await world.trigger({ body: '{"token":"guess"}' }),
    await world.trigger({ path: `/api/plugins/${acme}/access_token/${acme}` }),
    await world.trigger({ path: `/api/plugins/${pluginId}/access_token/${otherTenant}` }),
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

  expect((await world.trigger({ body: 'token' })).status).toBe(400);
  expect((await world.trigger({ body: '{}' })).status).toBe(400);
  const body = world.plugin.client().trigger_event?.body ?? '';
  expect((await world.trigger({ body: body.replace('{', '{"token":"x",') })).status).toBe(400);
});

test('the trigger token is void after uninstall', async () => {
  await using world = await startWorld();
  const pluginId = await world.install();

  await world.platform.uninstall({ tenantId: acme, pluginId });

  expect((await world.trigger()).status).toBe(401);
});
