import { saveClaimsSchema } from '@dowel/schema';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { expect, test } from 'vitest';
import { instanceConfigSchema } from './instance-config.ts';
import { entryPointId } from './testing/start-plugin.ts';
import { acme, helen, mara, startWorld, type World } from './testing/start-world.ts';

function nameConfigPage({ plugin }: World, configUrl: string): void {
  const [entryPoint] = plugin.manifest.entryPoints;
  if (entryPoint) entryPoint.configUrl = configUrl;
}

async function readConfigClaims({ platform }: World, instanceId: string) {
  const claims = decodeJwt(
    await platform.createInitJwt({ userId: mara, instanceId, jti: 'nonce-1' }),
  );
  return Object.fromEntries(Object.entries(claims).filter(([name]) => name.startsWith('cfg')));
}

test('the init JWT has the values that were saved last, one claim for each name', async () => {
  await using world = await startWorld();
  const { key, path } = await world.place();
  expect(await readConfigClaims(world, path.instanceId)).toEqual({});

  world.platform.saveConfig({ ...path, config: { city: 'Bonn', limit: 3 } });
  world.platform.saveConfig({
    ...path,
    config: { city: 'Köln', tags: ['a', { b: null }], isOn: false },
  });

  const claims = { 'cfg.city': 'Köln', 'cfg.tags': ['a', { b: null }], 'cfg.isOn': false };
  expect(await readConfigClaims(world, path.instanceId)).toEqual(claims);
  world.restart();
  expect(await readConfigClaims(world, path.instanceId)).toEqual(claims);
  await world.platform.update(key);
  expect(await readConfigClaims(world, path.instanceId)).toEqual(claims);
});

test('each widget has its own configuration', async () => {
  await using world = await startWorld();
  const { key, path } = await world.place();
  const other = await world.platform.addInstance({ ...key, entryPointId });

  world.platform.saveConfig({ ...path, config: { city: 'Bonn' } });

  expect(await readConfigClaims(world, other.instanceId)).toEqual({});
});

test('a saved configuration does not change with the object that was passed in', async () => {
  await using world = await startWorld();
  const { path } = await world.place();
  const config = { cities: ['Bonn'] };

  world.platform.saveConfig({ ...path, config });
  config.cities.push('Köln');

  expect(await readConfigClaims(world, path.instanceId)).toEqual({ 'cfg.cities': ['Bonn'] });
});

test('the configuration page is resolved like the widget’s, with the same src', async () => {
  await using world = await startWorld();
  nameConfigPage(world, '../config/?step=1');

  const { instance } = await world.place();

  const { origin } = new URL(world.plugin.manifestUrl);
  expect(instance.configUrl).toBe(`${origin}/config/?step=1&src=${instance.src}`);
  expect(new URL(instance.url).searchParams.get('src')).toBe(instance.src);
});

test('a widget that was placed before gets the configuration page that an update adds', async () => {
  await using world = await startWorld();
  const { key, instance } = await world.place();
  nameConfigPage(world, 'config/');

  const { instances } = await world.platform.update(key);

  expect(instance.configUrl).toBeNull();
  expect(instances[0]?.configUrl).toBe(
    new URL(`config/?src=${instance.src}`, world.plugin.manifestUrl).href,
  );
});

test('the save JWT is signed as events are, and names the user but no configuration', async () => {
  await using world = await startWorld();
  const { path } = await world.place();
  world.platform.saveConfig({ ...path, config: { city: 'Bonn' } });

  const { saveJwt, jti } = await world.platform.createSaveJwt({
    userId: mara,
    instanceId: path.instanceId,
  });

  expect(decodeProtectedHeader(saveJwt)).toEqual(world.plugin.events[0]?.header);
  const { iat, exp, ...claims } = saveClaimsSchema.parse(decodeJwt(saveJwt));
  expect(exp - iat).toBe(60);
  expect(claims).toEqual({
    iss: `${world.platform.origin}/t/acme`,
    sub: 'save',
    jti,
    'ctx.tenantId': acme,
    'ctx.userId': mara,
  });
  const again = await world.platform.createSaveJwt({ userId: mara, instanceId: path.instanceId });
  expect(again.jti).not.toBe(jti);
});

test('a widget of another tenant is INSTANCE_NOT_FOUND, and keeps its configuration', async () => {
  await using world = await startWorld();
  const { key, path } = await world.place();
  const { tenant } = world.platform.findUser(helen);
  const { manifestUrl } = world.plugin;
  await world.platform.install({ ...key, tenantId: tenant.tenantId, manifestUrl });
  const foreign = { ...path, tenantId: tenant.tenantId, config: { city: 'Bonn' } };
  const refusal = expect.objectContaining({ code: 'INSTANCE_NOT_FOUND' });

  expect(() => world.platform.saveConfig(foreign)).toThrow(refusal);
  const saveRequest = { userId: helen, instanceId: path.instanceId };
  await expect(world.platform.createSaveJwt(saveRequest)).rejects.toEqual(refusal);
  const initRequest = { ...saveRequest, jti: 'nonce-1' };
  await expect(world.platform.createInitJwt(initRequest)).rejects.toEqual(refusal);

  expect(await readConfigClaims(world, path.instanceId)).toEqual({});
});

test.each([
  ['a dot', '{"a.b":1}', 'a.b', 'A name may not contain a dot: it becomes the claim cfg.<name>'],
  ['__proto__', '{"__proto__":{}}', '__proto__', reserved()],
  ['constructor', '{"constructor":1}', 'constructor', reserved()],
  ['an inner __proto__', '{"a":[{"__proto__":{}}]}', 'a.0.__proto__', reserved()],
  ['an inner dot before __proto__', '{"a":{"b.__proto__":1}}', 'a.b.__proto__', reserved()],
])('a name with %s is refused by name', (_, text, path, message) => {
  const { error } = instanceConfigSchema.safeParse(JSON.parse(text));

  expect(error?.issues.map((issue) => [issue.path.join('.'), issue.message])).toContainEqual([
    path,
    message,
  ]);
});

test('a configuration is stored unchanged, with dots in inner names', () => {
  const config = { city: 'Bonn', '': 1, inner: { 'a.b': [null, 1.5, true] } };

  expect(instanceConfigSchema.parse(config)).toStrictEqual(config);
});

test('a configuration that is nested too deep is refused with a reason', () => {
  const text = `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;

  const { error } = instanceConfigSchema.safeParse(JSON.parse(text));

  expect(error?.issues.map(({ message }) => message)).toEqual(['Nested deeper than 32 levels']);
});

function reserved(): string {
  return 'A name may not be that of a member of every object';
}
