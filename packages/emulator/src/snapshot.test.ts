import { decodeProtectedHeader } from 'jose';
import { expect, test } from 'vitest';
import { createPlatform, type Platform } from './platform.ts';
import { emptySnapshot, parseSnapshot, type Snapshot } from './snapshot.ts';
import { sendJson } from './testing/start-plugin.ts';
import { acme, mara, startWorld, type World } from './testing/start-world.ts';

/** An installed plug-in with a placed widget and a token set that has been used once. */
async function startUsedWorld(world: World) {
  const { key, path } = await world.place();
  const { body } = await world.exchange();
  await world.notify(body.access_token, path, { recipientId: mara, messages: { de: 'Mittag?' } });
  return { key, path, accessToken: body.access_token, refreshToken: body.refresh_token };
}

async function loadKeyDocument({ platform }: World): Promise<unknown> {
  const { jku = '' } = decodeProtectedHeader(await platform.sign({}));
  return (await fetch(jku)).json();
}

test('a snapshot goes through JSON unchanged', async () => {
  await using world = await startWorld();
  await startUsedWorld(world);

  const snapshot = world.platform.snapshot();

  const { origin } = world.platform;
  expect(parseSnapshot(JSON.stringify(snapshot), origin)).toStrictEqual(snapshot);
});

test('a refresh token that was spent before a restart still revokes its grant', async () => {
  await using world = await startWorld();
  const { refreshToken } = await startUsedWorld(world);
  const { body: rotated } = await world.refresh(refreshToken);

  world.restart();

  expect((await world.refresh(refreshToken)).body.error).toBe('invalid_grant');
  expect((await world.refresh(rotated.refresh_token)).body.error).toBe('invalid_grant');
});

test('a snapshot does not change with later changes', async () => {
  await using world = await startWorld();
  await startUsedWorld(world);

  const snapshot = world.platform.snapshot();
  const before = structuredClone(snapshot);
  const other = createPlatform({ origin: world.platform.origin, snapshot });
  other.changeLab(acme, { advanceSeconds: 60 });
  await world.install();

  expect(snapshot).toEqual(before);
});

test('installations, instances, notifications and lists are there after a restart', async () => {
  await using world = await startWorld();
  const { path, accessToken } = await startUsedWorld(world);
  const plugins = world.platform.plugins(acme);
  const notifications = world.platform.notifications(mara);
  const exchanges = world.platform.exchanges();

  world.restart();

  expect(exchanges.length).toBeGreaterThan(0);
  expect(world.platform.exchanges()).toEqual(exchanges);

  expect(world.platform.plugins(acme)).toEqual(plugins);
  expect(world.platform.notifications(mara)).toEqual(notifications);
  expect((await world.notify(accessToken, path)).status).toBe(201);
  const [{ id: newest } = { id: 0 }, { id: former } = { id: 0 }] =
    world.platform.notifications(mara);
  expect(newest).toBe(former + 1);
});

test('the same key document verifies what is signed before and after a restart', async () => {
  await using world = await startWorld();
  const { key } = await startUsedWorld(world);
  const keyDocument = await loadKeyDocument(world);

  world.restart();

  expect(await loadKeyDocument(world)).toEqual(keyDocument);
  const delivery = await world.platform.sendAccessTokenEvent(key);
  expect(delivery).toMatchObject({ status: 201, error: null });
});

test('a refresh token works after a restart', async () => {
  await using world = await startWorld();
  const { refreshToken } = await startUsedWorld(world);

  world.restart();

  expect((await world.refresh(refreshToken)).status).toBe(200);
});

test('a trigger token works after a restart', async () => {
  await using world = await startWorld();
  await startUsedWorld(world);
  const { client_id: clientId } = world.plugin.client();

  world.restart();
  const response = await world.trigger();

  expect(response.status).toBe(202);
  await expect.poll(() => world.plugin.events.length).toBe(4);
  expect(world.plugin.client().client_id).toBe(clientId);
  expect((await world.exchange()).status).toBe(200);
});

test('the clock keeps its offset, so that what has expired stays expired', async () => {
  await using world = await startWorld();
  const { path, accessToken } = await startUsedWorld(world);
  const lab = world.platform.changeLab(acme, { advanceSeconds: 3600, reuseGraceMs: 5 });

  world.restart();

  expect(world.platform.lab(acme)).toEqual(lab);
  expect((await world.notify(accessToken, path)).status).toBe(401);
});

test('tokens that were void before a restart are void after it', async () => {
  await using world = await startWorld();
  const { key, path, accessToken, refreshToken } = await startUsedWorld(world);
  const { body: rotated } = await world.refresh(refreshToken);
  world.platform.revoke({ ...key, what: 'accessTokens' });

  world.restart();
  expect((await world.notify(accessToken, path)).status).toBe(401);
  expect((await world.notify(rotated.access_token, path)).status).toBe(401);
  expect((await world.refresh(refreshToken)).body.error).toBe('invalid_grant');
  await world.platform.uninstall(key);

  world.restart();
  expect((await world.refresh(rotated.refresh_token)).body.error).toBe('invalid_client');
  expect(world.platform.plugins(acme).installations).toEqual([]);
});

test('users who are signed in stay signed in; those who signed out do not', async () => {
  await using world = await startWorld();
  const session = `${world.platform.origin}/control/session`;
  const signIn = await fetch(session, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userId: mara }),
  });
  const cookie = signIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';

  world.restart();
  expect((await fetch(session, { headers: { cookie } })).status).toBe(200);
  expect((await fetch(session, { method: 'DELETE', headers: { cookie } })).status).toBe(204);

  world.restart();
  expect((await fetch(session, { headers: { cookie } })).status).toBe(204);
});

test('onStateChange is called after each change', async () => {
  let latest: Snapshot | undefined;
  let platform: Platform | undefined;
  await using world = await startWorld({
    onStateChange: () => {
      latest = platform?.snapshot();
    },
  });
  platform = world.platform;

  const { key, path, refreshToken } = await startUsedWorld(world);
  const steps: (() => unknown)[] = [
    () => world.refresh(refreshToken),
    () => world.refresh('unknown'),
    () => platform.changeLab(acme, { advanceSeconds: 1 }),
    () => platform.revoke({ ...key, what: 'refreshTokens' }),
    () => platform.saveConfig({ ...key, instanceId: path.instanceId, config: { city: 'Bonn' } }),
    () => platform.removeInstance({ ...key, instanceId: path.instanceId }),
    () => platform.update(key),
    () => platform.uninstall(key),
    () => {
      // Without lifecycle no uninstall event follows the failure.
      delete world.plugin.manifest.lifecycle;
      world.plugin.answers.access_token = (response) => sendJson(response, 500, {});
      return world.install().catch(() => undefined);
    },
  ];
  for (const step of steps) {
    await step();

    expect(latest).toEqual(platform.snapshot());
  }
});

test.each([
  ['not JSON', '{"signingKeyPem":"secret', 'It is not JSON'],
  ['another shape', '{"version":1,"signingKeyPem":"secret"}', 'origin: '],
  ['another version', '{"version":2}', 'version: '],
])('%s is SNAPSHOT_INVALID in one line without its text', (_, text, reason) => {
  const parse = () => parseSnapshot(text, 'http://localhost:4300');

  expect(parse).toThrow(expect.objectContaining({ code: 'SNAPSHOT_INVALID' }));
  expect(parse).toThrow(expect.objectContaining({ stack: expect.not.stringMatching(/\n/) }));
  expect(parse).toThrow(reason);
  expect(parse).not.toThrow(/secret|\n/);
});

test('the snapshot of another origin is refused by name', () => {
  const text = JSON.stringify(emptySnapshot('http://localhost:4300'));

  expect(() => parseSnapshot(text, 'http://localhost:4301')).toThrow(
    expect.objectContaining({
      code: 'SNAPSHOT_ORIGIN_DIFFERENT',
      message: 'It belongs to http://localhost:4300, and this is http://localhost:4301',
    }),
  );
  expect(() =>
    createPlatform({
      origin: 'http://localhost:4301',
      snapshot: emptySnapshot('http://localhost:4300'),
    }),
  ).toThrow(TypeError);
});
