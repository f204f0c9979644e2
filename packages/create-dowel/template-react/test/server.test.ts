import { createClient } from '@dowel/adapter/client';
import { startTestServer } from '@dowel/emulator/test-server';
import { createServer } from '@dowel/server';
import { expect, test } from 'vitest';
import { hooks } from '../server/hooks.ts';
import { menuWebhook, sign } from '../server/menu-webhook.ts';
import { operations } from '../server/operations.ts';
import { settingsSchema } from '../server/settings.ts';
import { votesOf } from '../server/store.ts';

const manifest = new URL('../manifest.json', import.meta.url);
const secret = 'secret of the kitchen';

const startWorld = () =>
  startTestServer((options) =>
    createServer({
      ...options,
      manifest,
      operations,
      hooks,
      config: settingsSchema,
      publicRoutes: menuWebhook(secret),
    }),
  );

test('a user votes once, and asks a colleague to vote', async () => {
  await using world = await startWorld();
  const page = await world.openPage();
  const client = createClient<typeof operations>(page);

  expect(await client.open({})).toMatchObject({ userName: page.user.name });
  expect(await client.vote({ choice: 'soup' })).toEqual({ soup: 1, salad: 0 });
  expect(await client.vote.safe({ choice: 'salad' })).toMatchObject({
    error: { code: 'ALREADY_VOTED' },
  });

  const users = world.platform.tenants.flatMap((tenant) => tenant.users);
  const colleague = users.find(({ userId }) => userId !== page.user.userId);
  await client.invite({ email: colleague?.email ?? '' });
  expect(world.platform.notifications(colleague?.userId ?? '')).toMatchObject([
    { message: 'What is for lunch? Vote!' },
  ]);
});

test('an uninstall deletes the votes of its own life only', async () => {
  await using world = await startWorld();
  const page = await world.openPage();
  await createClient<typeof operations>(page).vote({ choice: 'soup' });
  const lives: string[] = [];
  for await (const { lifeId } of world.server.installations.list({})) lives.push(lifeId);
  const [before = ''] = lives;
  expect(votesOf(before).size).toBe(1);

  await world.platform.uninstall(page);
  const again = createClient<typeof operations>(await world.openPage());
  expect(await again.vote({ choice: 'salad' })).toEqual({ soup: 0, salad: 1 });
  await world.server.hooks.runDue();

  expect(votesOf(before).size).toBe(0);
  expect(await again.vote.safe({ choice: 'salad' })).toMatchObject({
    error: { code: 'ALREADY_VOTED' },
  });
});

test('the kitchen sends the menu; a request that it did not sign, or an old one, changes nothing', async () => {
  await using world = await startWorld();
  const client = createClient<typeof operations>(await world.openPage());
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
