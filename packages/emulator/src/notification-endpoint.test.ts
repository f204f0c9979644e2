import { expect, test } from 'vitest';
import { acme, mara, priya, startWorld, type World } from './testing/start-world.ts';

/** An installed plug-in with one placed widget and a token set. */
async function startNotifier(world: World) {
  const { pluginId, instanceId } = (await world.place()).path;
  const { body } = await world.exchange();
  return { path: { pluginId, instanceId }, accessToken: body.access_token };
}

test('a notification reaches its recipient in the recipient’s language', async () => {
  await using world = await startWorld();
  const { path, accessToken } = await startNotifier(world);

  const byId = await world.notify(accessToken, path, {
    recipientId: mara,
    messages: { en: 'Lunch?', de: 'Mittag?' },
    excerpt: 'At noon',
  });
  const byEmail = await world.notify(accessToken, path, {
    recipientEmail: 'Priya.Nair@acme.example',
    message: 'Hello',
  });

  expect([byId.status, byEmail.status]).toEqual([201, 201]);
  expect(world.platform.notifications(mara)).toMatchObject([
    {
      ...path,
      pluginName: 'Anstupser',
      message: 'Mittag?',
      excerpt: 'At noon',
      category: 'ACTIVITY',
    },
  ]);
  expect(world.platform.notifications(priya)).toMatchObject([{ message: 'Hello', excerpt: null }]);
});

test('notifications of one user outlive any number of another user’s', async () => {
  await using world = await startWorld();
  const { path, accessToken } = await startNotifier(world);
  const notify = (recipientId: string) =>
    world.notify(accessToken, path, { recipientId, message: 'Hi' });
  await notify(mara);

  for (let sent = 0; sent < 210; sent += 30) {
    await Promise.all(Array.from({ length: 30 }, () => notify(priya)));
  }

  expect(world.platform.notifications(mara)).toHaveLength(1);
  expect(world.platform.notifications(priya)).toHaveLength(200);
});

test('an access token is 401 once the clock passes its expiry', async () => {
  await using world = await startWorld();
  const { path, accessToken } = await startNotifier(world);

  world.platform.changeLab(acme, { advanceSeconds: 3599 });
  expect((await world.notify(accessToken, path)).status).toBe(201);
  world.platform.changeLab(acme, { advanceSeconds: 1 });
  const expired = await world.notify(accessToken, path);

  expect(expired.status).toBe(401);
  expect(expired.headers.get('www-authenticate')).toContain('error="invalid_token"');
  expect(world.platform.plugins(acme).installations[0]?.tokens).toEqual({
    accessTokens: 0,
    refreshTokens: 1,
  });
});

test('revoked access tokens are 401 while their refresh token still works', async () => {
  await using world = await startWorld();
  await world.install();
  const { body } = await world.exchange();
  const [{ pluginId } = { pluginId: '' }] = world.platform.plugins(acme).installations;

  world.platform.revoke({ tenantId: acme, pluginId, what: 'accessTokens' });

  expect((await world.notify(body.access_token, { pluginId, instanceId: 'x' })).status).toBe(401);
  expect((await world.refresh(body.refresh_token)).status).toBe(200);
});

test('revoked refresh tokens are invalid_grant while the access token still works', async () => {
  await using world = await startWorld();
  const { path, accessToken } = await startNotifier(world);
  const { body } = await world.refresh('unknown');
  expect(body.error).toBe('invalid_grant');

  world.platform.revoke({ tenantId: acme, pluginId: path.pluginId, what: 'refreshTokens' });

  expect((await world.notify(accessToken, path)).status).toBe(201);
  expect(world.platform.plugins(acme).installations[0]?.tokens.refreshTokens).toBe(0);
});

test('an unknown or missing access token is 401', async () => {
  await using world = await startWorld();
  const { path } = await startNotifier(world);

  for (const accessToken of ['guess', '', '"']) {
    const response = await world.notify(accessToken, path);

    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer /);
  }
});

test('an access token without the scope plugin:notify is 403', async () => {
  await using world = await startWorld();
  world.platform.changeLab(acme, { grantedScopes: [] });
  const { path, accessToken } = await startNotifier(world);

  const response = await world.notify(accessToken, path);

  expect(response.status).toBe(403);
  expect(response.headers.get('www-authenticate')).toContain('insufficient_scope');
});

test('an access token works only for the plug-in it was issued to', async () => {
  await using world = await startWorld();
  const { path } = await startNotifier(world);
  await world.install();
  const { body } = await world.exchange();

  expect((await world.notify(body.access_token, path)).status).toBe(403);
});

test('an unknown plug-in, instance or recipient is 400', async () => {
  await using world = await startWorld();
  const { path, accessToken } = await startNotifier(world);
  const globexUser = 'b2c6d1ef-2d20-4e1b-8d66-1b7e3a4c5d01';

  const responses = [
    await world.notify(accessToken, { ...path, pluginId: mara }),
    await world.notify(accessToken, { ...path, instanceId: 'gone' }),
    await world.notify(accessToken, path, { recipientId: globexUser, message: 'Hi' }),
    await world.notify(accessToken, path, { recipientEmail: 'a@b.example', message: 'Hi' }),
  ];

  expect(responses.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  expect(await responses[3]?.json()).toEqual({
    code: 'INVALID_REQUEST',
    message: 'Unknown recipient',
  });
});

test.each([
  [{ message: 'Nobody gets it' }],
  [{ recipientId: mara, recipientEmail: 'mara.lindner@acme.example', message: 'Hi' }],
  [{ recipientId: mara }],
  [{ recipientId: mara, message: 'Hi', messages: { en: 'Hi' } }],
  [{ recipientId: mara, message: 'Hi', excerpt: 'a', excerpts: { en: 'a' } }],
])('%j breaks the schema and is 400', async (body) => {
  await using world = await startWorld();
  const { path, accessToken } = await startNotifier(world);

  expect((await world.notify(accessToken, path, body)).status).toBe(400);
  expect(world.platform.notifications(mara)).toEqual([]);
});

test('a body beyond the limit is 413 with JSON', async () => {
  await using world = await startWorld();
  const { path, accessToken } = await startNotifier(world);
  const message = 'x'.repeat(200_000);

  const response = await world.notify(accessToken, path, { recipientId: mara, message });

  expect([response.status, await response.json()]).toMatchObject([413, { code: 'BODY_TOO_LARGE' }]);
});
