import { createPlatform, parseSnapshot, seedTenants } from '@dowel/emulator';
import {
  authorizationCodeGrant,
  createAuthorizationServer,
  introspect,
  issueCode,
  registerClient,
  strictRules,
} from '@dowel/emulator/authorization-server';
import { expect, test } from 'vitest';
import { originOf, startKit, startServer, stopServer } from './kit.ts';

test('the platform installs a plug-in and revokes its tokens', async () => {
  await using kit = await startKit();
  const { manifestUrl } = kit;
  const server = await startServer();
  const origin = originOf(server);

  kit.receive = async () => ({ status: 201, body: {}, reason: null });
  const tenantId = seedTenants()[0]?.tenantId ?? '';

  const platform = createPlatform({ origin, keyBits: 2048 }); // its URL, such as http://localhost:4300
  server.on('request', platform.callback());

  const { pluginId } = await platform.install({ tenantId, manifestUrl });
  platform.revoke({ tenantId, pluginId, what: 'accessTokens' }); // calls are answered 401
  platform.changeLab(tenantId, { advanceSeconds: 3_600 }); // an hour later, tokens have expired
  await platform.uninstall({ tenantId, pluginId });

  expect(kit.events.map(({ name }) => name)).toEqual(['install', 'access_token', 'uninstall']);
  platform.close();
  await stopServer(server);
});

test('the platform shows what was sent, and sends it changed', async () => {
  await using kit = await startKit();
  const { platform, tenantId, manifestUrl } = kit;
  kit.receive = async () => ({ status: 201, body: {}, reason: null });
  const { pluginId } = await platform.install({ tenantId, manifestUrl });

  platform.exchanges({ tenantId, kind: 'refresh' }); // every request in and out, oldest first
  const event = await platform.prepareEvent({ tenantId, pluginId }, 'access_token');
  await event.send({ claims: { exp: 1 } }); // or another header, key, URL or text
  await event.send(); // as the platform does, any number of times

  expect(platform.exchanges({ tenantId, kind: 'event' }).map(({ jwt }) => jwt?.claims.exp)).toEqual(
    [expect.any(Number), expect.any(Number), 1, event.claims.exp],
  );
});

test('faults are switched on by name', async () => {
  await using kit = await startKit();
  const { platform, tenantId } = kit;

  const off = platform.fault('token.lostAnswer', { tenantId, on: 'refresh' });
  platform.fault('api.unauthorized', { hold: 20 }); // 20 calls get their 401 together
  off(); // `off.hits` counts the requests that met it

  expect(platform.faults().map(({ fault }) => fault.name)).toEqual(['api.unauthorized']);
});

test('the example of createPlatform runs', async () => {
  const server = await startServer();
  const origin = originOf(server);

  const platform = createPlatform({ origin, keyBits: 2048 });
  server.on('request', platform.callback());

  expect((await fetch(`${origin}/control/tenants`)).status).toBe(200);
  platform.close();
  await stopServer(server);
});

test('the example of parseSnapshot runs', () => {
  const origin = 'http://localhost:4300';
  const before = createPlatform({ origin, keyBits: 2048 });

  const json = JSON.stringify(before.snapshot());
  const platform = createPlatform({ origin, snapshot: parseSnapshot(json, origin) });

  expect(platform.tenants).toEqual(before.tenants);
});

test('the example of createAuthorizationServer runs', () => {
  const tenantId = seedTenants()[0]?.tenantId ?? '';
  const pluginId = '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de';

  const server = createAuthorizationServer({ tenantId });
  const client = registerClient(server, { pluginId });
  const terms = { now: Date.now(), rules: strictRules };
  const code = issueCode(server, client, terms);
  const tokens = authorizationCodeGrant(server, client, { code, ...terms });

  expect(introspect(server, tokens?.access_token ?? '', terms.now)).toMatchObject({ pluginId });
});
