import { createClient } from '@dowel/adapter/client';
import { pluginTest } from '@dowel/dev/vitest';
import { createServer, type Server } from '@dowel/server';
import { expect } from 'vitest';
import { hooks } from '../server/hooks.ts';
import { menuWebhook, sign } from '../server/menu-webhook.ts';
import { operations } from '../server/operations.ts';
import { settingsSchema } from '../server/settings.ts';
import { votesOf } from '../server/store.ts';

const secret = 'secret of the kitchen';

const test = pluginTest<typeof operations, Server>((options) =>
  createServer({
    ...options,
    manifest: new URL('../manifest.json', import.meta.url),
    operations,
    hooks,
    config: settingsSchema,
    publicRoutes: menuWebhook(secret),
  }),
);

test('a user is known by name, and votes once', async ({ client, user }) => {
  expect(await client.open({})).toMatchObject({ userName: user.name });
  expect(await client.vote({ choice: 'soup' })).toEqual({ soup: 1, salad: 0 });

  expect(await client.vote.safe({ choice: 'salad' })).toMatchObject({
    error: { code: 'ALREADY_VOTED' },
  });
});

test('a colleague is asked to vote', async ({ client, platform, tenant, user }) => {
  const [colleague] = tenant.users.filter(({ userId }) => userId !== user.userId);

  await client.invite({ email: colleague?.email ?? '' });

  const [newest] = platform.notifications(colleague?.userId ?? '');
  expect(newest).toMatchObject({ message: 'What is for lunch? Vote!' });
});

test('an uninstall deletes the votes of its own life only', async ({ world, platform }) => {
  const userId = platform.tenants[1]?.users[0]?.userId ?? '';
  const page = await world.openPage({ userId });
  await createClient<typeof operations>(page).vote({ choice: 'soup' });
  const before = await lifeIdOf(world.server, page.tenantId);
  expect(votesOf(before).size).toBe(1);

  await platform.uninstall(page);
  const again = createClient<typeof operations>(await world.openPage({ userId }));
  expect(await again.vote({ choice: 'salad' })).toEqual({ soup: 0, salad: 1 });
  await world.server.hooks.runDue();

  expect(votesOf(before).size).toBe(0);
  expect(await again.vote.safe({ choice: 'salad' })).toMatchObject({
    error: { code: 'ALREADY_VOTED' },
  });
});

async function lifeIdOf(server: Server, tenantId: string): Promise<string> {
  for await (const each of server.installations.list({})) {
    if (each.tenantId === tenantId) return each.lifeId;
  }
  return '';
}

test('the kitchen sends the menu; a request that it did not sign, or an old one, changes nothing', async ({
  world,
  client,
}) => {
  const send = async (body: string, { key = secret, age = 0 } = {}) => {
    const timestamp = String(Math.floor(Date.now() / 1000) - age);
    const signature = sign(key, timestamp, body).toString('hex');
    const headers = { 'x-timestamp': timestamp, 'x-signature': signature };
    const url = `${world.url}/webhooks/menu`;
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };

  expect(await send('{"menu": "pea soup"}')).toBe(204);
  expect(await send('{"menu": "nothing"}', { key: 'another' })).toBe(401);
  expect(await send('{"menu": "nothing"}', { age: 3_600 })).toBe(401);
  expect(await send('menu: nothing')).toBe(400);

  expect(await client.open({})).toMatchObject({ menu: 'pea soup' });
});
