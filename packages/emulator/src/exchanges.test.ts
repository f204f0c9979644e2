/** The record of requests in and out of the platform. */
import { expect, test } from 'vitest';
import type { Exchange } from './exchange-schema.ts';
import { sendJson } from './testing/start-plugin.ts';
import { acme, mara, startWorld, type World } from './testing/start-world.ts';

/** Every kind of request, once. */
async function startUsedWorld(world: World) {
  const { key, path } = await world.place();
  const { body } = await world.exchange();
  const { body: refreshed } = await world.refresh(body.refresh_token);
  await world.notify(refreshed.access_token, path);
  const client = world.plugin.client();
  await world.trigger();
  await expect.poll(() => world.platform.exchanges({ kind: 'event' })).toHaveLength(4);
  await expect.poll(() => world.platform.exchanges().every(({ status }) => status)).toBe(true);
  return { key, instanceId: path.instanceId, tokens: [body, refreshed], client };
}

test('every request in and out is recorded in its order, with tenant and plug-in', async () => {
  await using world = await startWorld();
  const { key } = await startUsedWorld(world);

  const exchanges = world.platform.exchanges({ tenantId: acme });

  expect(
    exchanges.map(({ kind, event, direction, status }) => [kind, event, direction, status]),
  ).toEqual([
    ['manifest', null, 'out', 200],
    ['event', 'install', 'out', 201],
    ['event', 'access_token', 'out', 201],
    ['event', 'instance_add', 'out', 201],
    ['code', null, 'in', 200],
    ['refresh', null, 'in', 200],
    ['api', null, 'in', 201],
    ['trigger', null, 'in', 202],
    ['event', 'access_token', 'out', 201],
  ]);
  expect(new Set(exchanges.map(({ pluginId }) => pluginId))).toEqual(new Set([key.pluginId]));
  expect(world.platform.exchanges({ kind: 'refresh' })).toEqual([exchanges[5]]);
  expect(world.platform.exchanges({ kind: 'key', tenantId: acme })).toEqual([]);
  expect(world.platform.exchanges({ kind: 'key' })[0]).toMatchObject({
    tenantId: null,
    status: 200,
  });
});

test('an exchange has its headers and bodies, and an event its decoded JWT', async () => {
  await using world = await startWorld();
  const { instanceId } = await startUsedWorld(world);

  const [call] = world.platform.exchanges({ kind: 'api' });
  const [install] = world.platform.exchanges({ kind: 'event' });

  expect(call).toMatchObject({
    method: 'POST',
    url: expect.stringContaining(`/t/acme/api/plugins/`),
    headers: { authorization: 'Bearer [secret]', 'content-type': 'application/json' },
    body: JSON.stringify({ recipientId: mara, message: 'Hi' }),
    answer: { body: '{"id":1}', headers: { 'content-type': 'application/json; charset=utf-8' } },
    error: null,
    jwt: null,
  });
  expect(call?.url).toContain(instanceId);
  expect(install).toMatchObject({
    body: 'token=[token]',
    headers: { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
    answer: { body: '{}' },
    jwt: { header: { alg: 'RS512' }, claims: { sub: 'install', tenantId: acme } },
  });
  expect(install?.jwt?.claims.certificate).toMatch(/^-----BEGIN PUBLIC KEY-----[^[]+$/);
});

test('no view of it has a secret, unless it is to reveal them', async () => {
  const seen: Exchange[] = [];
  await using world = await startWorld({ onExchange: (exchange) => seen.push(exchange) });
  const { tokens, client } = await startUsedWorld(world);

  const masked = JSON.stringify([world.platform.exchanges(), seen]);
  const revealed = JSON.stringify(world.platform.exchanges({ reveal: true }));

  const { token } = JSON.parse(client.trigger_event?.body ?? '') as { token: string };
  const secrets = [client.client_secret.slice(2, 45), client.authorization_code, token];
  for (const { access_token, refresh_token } of tokens) {
    secrets.push(access_token, refresh_token ?? '');
  }
  for (const secret of secrets) {
    expect(secret).toHaveLength(43);
    expect(masked).not.toContain(secret);
    expect(revealed).toContain(secret);
  }
  expect(masked).not.toContain('eyJ');
});

test('a secret that a back end repeats in its answer is masked', async () => {
  await using world = await startWorld();
  world.plugin.answers.access_token = (response) =>
    sendJson(response, 400, {
      code: 400,
      message: `Code ${world.plugin.client().authorization_code} `,
    });

  const failure = await world.install().catch((error: unknown) => error);

  expect(failure).toMatchObject({ message: expect.stringContaining('Code') });
  const [, delivery] = world.platform.exchanges({ kind: 'event' });
  expect(delivery).toMatchObject({
    error: { message: 'Code [secret]  (status 400, code 400)' },
    answer: { body: '{"code":400,"message":"Code [secret] "}' },
  });
});

test('a body is kept up to 16 KB', async () => {
  await using world = await startWorld();
  world.plugin.answers.install = (response) =>
    sendJson(response, 201, { text: '. '.repeat(10_000) });

  await world.install();

  expect(world.platform.exchanges({ kind: 'event' })[0]?.answer?.body).toHaveLength(16_384);
});

test('a secret that is cut off at the end of what is kept is not shown', async () => {
  await using world = await startWorld();
  world.plugin.answers.access_token = (response) =>
    response
      .writeHead(201, { 'content-type': 'text/plain' })
      .end(`${' '.repeat(16_384 - 42)}${world.plugin.client().authorization_code}`);

  await world.install().catch(() => undefined);

  const [, delivery] = world.platform.exchanges({ kind: 'event' });
  expect(delivery?.answer?.body.trim()).toBe('');
});

test('a flood of one kind drops nothing of another kind', async () => {
  await using world = await startWorld();
  await world.install();

  for (let sent = 0; sent < 210; sent += 30) {
    await Promise.all(Array.from({ length: 30 }, () => world.refresh('unknown')));
  }

  expect(world.platform.exchanges({ kind: 'refresh' })).toHaveLength(200);
  expect(world.platform.exchanges({ kind: 'event' })).toHaveLength(2);
});

test('a manifest that cannot be used is recorded with its answer', async () => {
  await using world = await startWorld();
  world.plugin.manifest.pluginVersion = 'one';
  const install = (manifestUrl: string) =>
    world.platform.install({ tenantId: acme, manifestUrl }).catch(() => undefined);

  await install(world.plugin.manifestUrl);
  await install(`${world.platform.origin}/nowhere`);

  expect(world.platform.exchanges({ kind: 'manifest' })).toMatchObject([
    { status: 200, error: { code: 'MANIFEST_INVALID' }, answer: { body: /"one"/ } },
    { status: 404, error: { code: 'MANIFEST_UNREACHABLE' } },
  ]);
});

test('onExchange gets each request when it is over, masked', async () => {
  const seen: Exchange[] = [];
  await using world = await startWorld({ onExchange: (exchange) => seen.push(exchange) });
  await startUsedWorld(world);

  expect(seen.toSorted((a, b) => a.id - b.id)).toEqual(world.platform.exchanges());
});

test('an error of the hook goes to onError, and disturbs nothing', async () => {
  const errors: unknown[] = [];
  const broken = new Error('The hook is broken');
  await using world = await startWorld({
    onExchange: () => {
      throw broken;
    },
    onError: (error) => errors.push(error),
  });

  await world.install();

  expect(new Set(errors)).toEqual(new Set([broken]));
});

test('other paths of the API need a valid token, and are not emulated', async () => {
  await using world = await startWorld();
  const pluginId = await world.install();
  const { body } = await world.exchange();
  const call = async (path: string, accessToken: string, method = 'GET') => {
    const headers = { authorization: `Bearer ${accessToken}` };
    const response = await fetch(`${world.platform.origin}/t/${path}`, { method, headers });
    return [response.status, ((await response.json()) as { code: string }).code];
  };

  expect(await call('acme/api/users', 'unknown')).toEqual([401, 'ACCESS_TOKEN_INVALID']);
  expect(await call('acme/api/users?page=2', body.access_token)).toEqual([404, 'NOT_EMULATED']);
  expect(await call('acme/api', body.access_token, 'PUT')).toEqual([404, 'NOT_EMULATED']);
  expect(await call('acme/api/oauth/token', body.access_token)).toEqual([
    405,
    'METHOD_NOT_ALLOWED',
  ]);
  expect(await call('acme/other', body.access_token)).toEqual([404, 'NOT_FOUND']);
  expect(await call('nobody/api/users', body.access_token)).toEqual([404, 'NOT_FOUND']);

  const [unknown, known] = world.platform.exchanges({ kind: 'api', tenantId: acme });
  expect(unknown).toMatchObject({ status: 401, pluginId: null });
  expect(known).toMatchObject({ status: 404, pluginId, error: { code: 'NOT_EMULATED' } });
});
