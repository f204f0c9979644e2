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
