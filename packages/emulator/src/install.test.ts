import { accessTokenEventSchema, installEventSchema } from '@dowel/schema';
import { expect, test } from 'vitest';
import { InstallationFailedError } from './errors.ts';
import { sendJson, type TestPlugin } from './testing/start-plugin.ts';
import { acme, startWorld, type World } from './testing/start-world.ts';

const names = ({ events }: TestPlugin) => events.map(({ event }) => event);
const refusal = { code: 402, message: 'Licence expired' };

async function failureOf(promise: Promise<unknown>): Promise<InstallationFailedError> {
  const error = await promise.catch((reason: unknown) => reason);
  if (error instanceof InstallationFailedError) return error;
  throw new Error('It did not fail like an installation');
}

function without(world: World, key: 'apiAccess' | 'lifecycle'): void {
  delete world.plugin.manifest[key];
}

test('the access_token event follows the install event', async () => {
  await using world = await startWorld();

  const pluginId = await world.install();

  expect(names(world.plugin)).toEqual(['install', 'access_token']);
  const [installed] = world.platform.plugins(acme).installations;
  expect(installed).toMatchObject({ pluginId, name: 'Nudge', requestedScopes: ['plugin:notify'] });
  expect(world.platform.plugins(acme, 'de').installations[0]?.name).toBe('Anstupser');
});

test('events are signed with RS512 and name their key by jku, without a kid', async () => {
  await using world = await startWorld();
  const { origin } = world.platform;

  await world.install();

  const [{ header, claims } = never()] = world.plugin.events;
  const keys = `${origin}/certificates/${new URL(origin).host.replace(':', '_')}_`;
  expect(header).toEqual({ alg: 'RS512', typ: 'JWT', jku: expect.stringContaining(keys) });
  expect((await fetch(String(header.jku))).status).toBe(200);
  expect(claims).toMatchObject({ iss: `${origin}/t/acme`, tenantId: acme, sub: 'install' });
  const { iat, exp } = installEventSchema.parse(claims);
  expect(exp - iat).toBe(60);
  expect(claims.certificate).toMatch(/^-----BEGIN PUBLIC KEY-----[^\n]+$/);
});

test('the access_token event has the fourteen fields of Spec §2.2', async () => {
  await using world = await startWorld();

  const pluginId = await world.install();

  const { claims } = world.plugin.events[1] ?? never();
  expect(accessTokenEventSchema.safeParse(claims).success).toBe(true);
  expect(claims).toMatchObject({
    jti: expect.any(String),
    sub: 'access_token',
    tenantId: acme,
    pluginId,
    base_url: `${world.platform.origin}/t/acme`,
  });
  expect(claims.client).toEqual({
    client_id: expect.any(String),
    client_secret: expect.any(String),
    authorization_code: expect.any(String),
    token_endpoint_url: 'api/oauth/token',
    trigger_event: {
      url: `/api/plugins/${pluginId}/access_token/${acme}`,
      method: 'POST',
      body: expect.stringMatching(/^\{"token":"[\w-]+"\}$/),
    },
  });
  expect(claims.client.client_secret).toContain('ü:');
});

test('a plug-in without lifecycle gets only the access_token event', async () => {
  await using world = await startWorld();
  without(world, 'lifecycle');

  await world.install();

  expect(names(world.plugin)).toEqual(['access_token']);
});

test('a plug-in without apiAccess gets no access_token event', async () => {
  await using world = await startWorld();
  without(world, 'apiAccess');

  await world.install();

  expect(names(world.plugin)).toEqual(['install']);
});

test('a refused access_token event fails the installation and uninstall follows', async () => {
  await using world = await startWorld();
  world.plugin.answers.access_token = (response) => sendJson(response, 402, refusal);

  const failure = await failureOf(world.install());

  expect(failure).toMatchObject({ code: 'REFUSED', status: 422 });
  expect(failure.message).toContain('Licence expired');
  expect(names(world.plugin)).toEqual(['install', 'access_token', 'uninstall']);
  expect(failure.deliveries.map(({ event, status }) => [event, status])).toEqual([
    ['install', 201],
    ['access_token', 402],
    ['uninstall', 201],
  ]);
  expect(world.platform.plugins(acme).installations).toEqual([]);
  expect((await world.exchange()).body.error).toBe('invalid_client');
});

test('a refused install event fails the installation before access_token is sent', async () => {
  await using world = await startWorld();
  world.plugin.answers.install = (response) => sendJson(response, 400, refusal);

  const failure = await failureOf(world.install());

  expect(failure.code).toBe('REFUSED');
  expect(names(world.plugin)).toEqual(['install', 'uninstall']);
});

test.each([200, 202, 400, 503])(
  '%i instead of 201 fails the installation, and uninstall follows',
  async (status) => {
    await using world = await startWorld();
    world.plugin.answers.access_token = (response) => sendJson(response, status, {});

    expect(await failureOf(world.install())).toMatchObject({
      code: 'REFUSED',
      message: `Status ${status}, expected 201`,
    });
    expect(names(world.plugin)).toEqual(['install', 'access_token', 'uninstall']);
  },
);

test.each([
  ['another content type', 'text/plain', '{}'],
  ['a body that does not parse', 'application/json', '<html>'],
  ['an empty body', 'application/json', ''],
  ['an endless body', 'application/json', `"${'x '.repeat(35_000)}"`],
])('201 with %s is INVALID_RESPONSE "Expected JSON"', async (_, contentType, body) => {
  await using world = await startWorld();
  world.plugin.answers.access_token = (response) => {
    response.writeHead(201, { 'content-type': contentType }).end(body);
  };

  const failure = await failureOf(world.install());

  const url = world.plugin.manifestUrl.replace('manifest.json', 'lifecycle/access_token');
  const shown = body === '' ? 'an empty body' : `"${body.slice(0, 80)}${body[80] ? '…' : ''}"`;
  expect(failure).toMatchObject({
    code: 'INVALID_RESPONSE',
    message: `Expected JSON. POST ${url} was answered with status 201, ${contentType}, ${shown}`,
  });
  expect(names(world.plugin)).toEqual(['install', 'access_token', 'uninstall']);
});

test('a back end that never answers is NO_RESPONSE', async () => {
  await using world = await startWorld({
    timeoutMs: 300,
    // On a busy machine the requests before it may take longer.
    fetch: (input, init) =>
      String(input).endsWith('/access_token')
        ? fetch(input, init)
        : fetch(input, { ...init, signal: null }),
  });
  world.plugin.answers.access_token = () => undefined;

  const failure = await failureOf(world.install());

  expect(failure.code).toBe('NO_RESPONSE');
  expect(failure.deliveries.map(({ event }) => event)).toEqual([
    'install',
    'access_token',
    'uninstall',
  ]);
  const [install, accessToken] = failure.deliveries;
  expect(install).toMatchObject({ status: 201, error: null });
  expect(accessToken).toMatchObject({
    status: null,
    answer: null,
    answeredAt: null,
    error: { code: 'NO_RESPONSE' },
  });
});

test('a redirect is no success and is not followed', async () => {
  await using world = await startWorld();
  world.plugin.answers.install = (response) => {
    response.writeHead(307, { location: '/nested/lifecycle/access_token' }).end();
  };

  await failureOf(world.install());

  expect(names(world.plugin)).toEqual(['install', 'uninstall']);
});

test('a manifest that breaks the schema or cannot be read sends no event', async () => {
  await using world = await startWorld();
  const install = (manifestUrl: string) =>
    failureOf(world.platform.install({ tenantId: acme, manifestUrl }));

  world.plugin.manifest.pluginVersion = 'one';
  const invalid = await install(world.plugin.manifestUrl);
  const unreachable = await install('http://127.0.0.1:1/manifest.json');
  const notHttp = await install('file:///etc/hostname');

  expect(invalid).toMatchObject({ code: 'MANIFEST_INVALID' });
  expect(invalid.message).toContain('pluginVersion');
  expect(unreachable.code).toBe('MANIFEST_UNREACHABLE');
  expect(notHttp.code).toBe('MANIFEST_UNREACHABLE');
  expect(world.plugin.events).toEqual([]);
});

function never(): never {
  throw new Error('No event came');
}
