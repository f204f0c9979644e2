import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { tenantSchema, tenantsSchema, userSchema } from './control-api.ts';
import { openPage } from './testing/open-page.ts';
import { entryPointId } from './testing/start-plugin.ts';
import { acme, startWorld } from './testing/start-world.ts';

test('a page adds a tenant and a person, whose plug-in gets their language', async () => {
  await using world = await startWorld();
  const stranger = await openPage(world);
  world.platform.addTenant({ name: 'Zoe Sohne' });
  const added = await stranger.request('POST', '/tenants', { name: 'Zoë & Söhne' });
  const { tenantId, baseUrl } = tenantSchema.parse(added.body);
  const person = { name: 'Zoë Müller', language: 'fr', jobTitle: 'Owner' };
  const joined = await stranger.request('POST', `/tenants/${tenantId}/users`, person);
  const user = userSchema.parse(joined.body);

  expect([added.status, joined.status]).toEqual([201, 201]);
  expect(baseUrl).toBe(`${world.platform.origin}/t/zoe-sohne-2`);
  expect(user).toMatchObject({ ...person, email: 'zoe.muller@zoe-sohne-2.example' });
  const page = await openPage(world, user.userId);
  const { manifestUrl } = world.plugin;
  const installed = await page.request('POST', '/plugins', { manifestUrl });
  const { pluginId } = installed.body as { pluginId: string };
  const key = { tenantId, pluginId };
  const { instanceId } = await world.platform.addInstance({ ...key, entryPointId });
  const { body } = await page.request('POST', '/init', { instanceId, jti: 'x' });
  expect(decodeJwt((body as { initJwt: string }).initJwt)).toMatchObject({
    iss: baseUrl,
    'ctx.userName': 'Zoë Müller',
    'ctx.userLanguage': 'fr',
  });
});

test('the addresses of long names are no secrets, so they are not masked', async () => {
  await using world = await startWorld();
  const name = 'A tenant whose name is far longer than every access token, code and secret';
  const { tenantId, baseUrl } = world.platform.addTenant({ name });
  world.platform.addTenant({ name });
  const { email } = world.platform.addUser({ tenantId, name });
  const { pluginId } = await world.platform.install({
    tenantId,
    manifestUrl: world.plugin.manifestUrl,
  });

  const [install] = world.platform.exchanges({ kind: 'event', tenantId, pluginId });

  expect(install?.jwt?.claims.iss).toBe(baseUrl);
  expect(baseUrl).toMatch(/\/t\/a-tenant-whose-name-is-far-longe$/);
  expect(email).toBe('a.tenant.whose.name.is.far.longe@a-tenant-whose-name-is-far-longe.example');
});

test('added tenants and people are there after a restart, with their installations', async () => {
  await using world = await startWorld();
  const { tenantId } = world.platform.addTenant();
  world.platform.addUser({ tenantId });
  world.platform.addUser({ tenantId: acme, name: 'Mara Lindner' });
  const { manifestUrl } = world.plugin;
  await world.platform.install({ tenantId, manifestUrl });
  const before = structuredClone(world.platform.tenants);

  world.restart();

  expect(world.platform.tenants).toEqual(before);
  expect(before.map(({ name, users }) => [name, users.length])).toEqual([
    ['Acme GmbH', 5],
    ['Globex', 3],
    ['Tenant 3', 1],
  ]);
  expect(before[0]?.users.at(-1)?.email).toBe('mara.lindner.2@acme.example');
  expect(world.platform.plugins(tenantId).installations).toHaveLength(1);
  const page = await openPage(world);
  expect(tenantsSchema.parse((await page.request('GET', '/tenants')).body).tenants).toEqual(before);
});

test('the example of the README adds fifty tenants, a person and fifty widgets', async () => {
  await using world = await startWorld();
  const { platform } = world;
  const tenantId = acme;
  const pluginId = await world.install();

  const tenants = Array.from({ length: 50 }, () => platform.addTenant());
  const user = platform.addUser({ tenantId, name: 'Zoë Müller', language: 'fr' });
  const place = () => platform.addInstance({ tenantId, pluginId, entryPointId });
  const widgets = await Promise.all(Array.from({ length: 50 }, place));

  expect(platform.findUser(user.userId).user.language).toBe('fr');
  expect(new Set(tenants.map(({ baseUrl }) => baseUrl)).size).toBe(50);
  expect(platform.plugins(acme).installations[0]?.instances).toHaveLength(50);
  expect(new Set(widgets.map(({ instanceId }) => instanceId)).size).toBe(50);
});

test.each([
  ['/tenants', { name: ' ' }, 400],
  ['/tenants', { slug: 'x' }, 400],
  [`/tenants/${acme}/users`, { language: 'Deutsch' }, 400],
  ['/tenants/x/users', {}, 404],
])('POST %s with %j is %i', async (path, body, status) => {
  await using world = await startWorld();
  const page = await openPage(world);

  expect((await page.request('POST', path, body)).status).toBe(status);
});
