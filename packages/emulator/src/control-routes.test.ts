import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { strictRules } from './authorization-server/index.ts';
import {
  activeFaultSchema,
  activeFaultsSchema,
  exchangeSchema,
  exchangesSchema,
  failureSchema,
  installationSchema,
  pluginsSchema,
  sessionSchema,
} from './control-api.ts';
import { openPage, type Page } from './testing/open-page.ts';
import { entryPointId, sendJson } from './testing/start-plugin.ts';
import { acme, helen, mara, priya, startWorld } from './testing/start-world.ts';

test('signing in sets a cookie that scripts cannot read and shows the colleagues', async () => {
  await using world = await startWorld();
  const page = await openPage(world);

  const { status, headers, body } = await page.request('POST', '/session', { userId: priya });

  expect(status).toBe(201);
  expect(headers.get('set-cookie')).toMatch(
    /^dowel_emulator_\d+=[\w-]{43}; path=\/; samesite=lax; httponly$/i,
  );
  const session = sessionSchema.parse(body);
  expect(session.user.name).toBe('Priya Nair');
  expect(session.colleagues).toHaveLength(4);
});

test('a wrong request is answered in our own words', async () => {
  await using world = await startWorld();
  const page = await openPage(world, mara);

  const answers = await Promise.all([
    page.request('POST', '/session', { userId: 1 }),
    page.request('POST', '/plugins', { manifestUrl: 'nowhere' }),
    page.request('PATCH', '/lab', { advanceSeconds: 0, colour: 'red' }),
  ]);

  expect(answers.map(({ body }) => (body as { message: string }).message)).toEqual([
    'userId: Expected a string, found a number',
    'manifestUrl: This is not a URL',
    'advanceSeconds: This is less than or equal to 0; There is no field "colour"',
  ]);
});

test('without a session only tenants and sign-in answer', async () => {
  await using world = await startWorld();
  const page = await openPage(world);

  expect((await page.request('GET', '/tenants')).status).toBe(200);
  expect((await page.request('GET', '/session')).status).toBe(204);
  for (const path of ['/plugins', '/lab', '/notifications', '/changes']) {
    const { status, body } = await page.request('GET', path);
    expect([path, status, body]).toMatchObject([path, 401, { code: 'UNAUTHENTICATED' }]);
  }
});

test('a session that is in use outlives a thousand sign-ins', async () => {
  await using world = await startWorld();
  const page = await openPage(world, mara);

  for (let round = 0; round < 4; round += 1) {
    expect((await page.request('GET', '/lab')).status).toBe(200);
    await Promise.all(Array.from({ length: 300 }, () => openPage(world, priya)));
  }

  expect((await page.request('GET', '/lab')).status).toBe(200);
});

test('signing out ends the session', async () => {
  await using world = await startWorld();
  const page = await openPage(world, mara);

  expect((await page.request('DELETE', '/session')).status).toBe(204);
  expect((await page.request('GET', '/session')).status).toBe(204);
});

test.each(['null', 'http://localhost:4000', 'https://evil.example'])(
  'a request of origin %s is refused',
  async (origin) => {
    await using world = await startWorld();
    const page = await openPage(world, mara);

    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, body } = await page.request(method, '/session', undefined, { origin });
      expect([status, body]).toMatchObject([403, { code: 'FOREIGN_ORIGIN' }]);
    }
  },
);

test.each([
  ['rebound.example', 403],
  ['localhost.example:4300', 403],
  ['127.0.0.1.rebound.example:4300', 403],
  ['localhost', 200],
  ['emulator:4300', 200],
  ['[::1]:4300', 200],
  ['192.0.2.1:4300', 200],
])('a request without an origin at the host %s is answered with %i', async (host, status) => {
  await using world = await startWorld();

  const request = get(`${world.platform.origin}/control/tenants`, { headers: { host } });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];

  expect(answer.statusCode).toBe(status);
  answer.resume();
});

test('a plug-in is installed, placed, updated and removed', async () => {
  await using world = await startWorld();
  const page = await openPage(world, mara);
  const { manifestUrl } = world.plugin;

  const installed = await page.request('POST', '/plugins', { manifestUrl });
  const { pluginId } = installationSchema.parse(installed.body);
  const path = `/plugins/${pluginId}`;
  const placed = await page.request('POST', `${path}/instances`, { entryPointId });
  const { instanceId } = placed.body as { instanceId: string };
  const init = await page.request('POST', '/init', { instanceId, jti: 'n1' });
  const listed = pluginsSchema.parse((await page.request('GET', '/plugins')).body);

  expect([installed.status, placed.status, init.status]).toEqual([201, 201, 201]);
  expect(init.body).toEqual({ initJwt: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) });
  expect(listed.installations[0]).toMatchObject({ name: 'Anstupser', instances: [{ instanceId }] });
  const events = await page.request('GET', '/exchanges?kind=event');
  expect(exchangesSchema.parse(events.body).exchanges.map(({ event }) => event)).toEqual([
    'install',
    'access_token',
    'instance_add',
  ]);
  expect((await page.request('POST', `${path}/update`)).status).toBe(200);
  const event = { event: 'access_token' };
  expect((await page.request('POST', `${path}/events`, event)).status).toBe(201);
  expect((await page.request('POST', `${path}/revoke`, { what: 'accessTokens' })).status).toBe(204);
  expect((await page.request('DELETE', `${path}/instances/${instanceId}`)).status).toBe(204);
  expect((await page.request('DELETE', path)).status).toBe(204);
  expect((await page.request('DELETE', path)).status).toBe(404);
});

test('an installation that has ended begins again with its id', async () => {
  await using world = await startWorld();
  const page = await openPage(world, mara);
  const { manifestUrl } = world.plugin;
  const first = await page.request('POST', '/plugins', { manifestUrl });
  const { pluginId } = installationSchema.parse(first.body);
  await page.request('DELETE', `/plugins/${pluginId}`);

  const again = await page.request('POST', '/plugins', { manifestUrl, pluginId });

  expect(again).toMatchObject({ status: 201, body: { pluginId } });
  const taken = await page.request('POST', '/plugins', { manifestUrl, pluginId });
  expect(taken).toMatchObject({ status: 409, body: { code: 'ALREADY_INSTALLED' } });
  const wrong = await page.request('POST', '/plugins', { manifestUrl, pluginId: 'mine' });
  expect(wrong.status).toBe(400);
});

test('a configuration is requested from a widget, and the next init JWT contains it', async () => {
  await using world = await startWorld();
  const page = await openPage(world, mara);
  const pluginId = await world.install();
  const placed = await page.request('POST', `/plugins/${pluginId}/instances`, { entryPointId });
  const { instanceId } = placed.body as { instanceId: string };
  const path = `/plugins/${pluginId}/instances/${instanceId}/config`;

  const asked = await page.request('POST', '/save', { instanceId });
  const saved = await page.request('PUT', path, { text: 'x'.repeat(60_000) });
  const refused = await page.request('PUT', path, { 'a.b': 1 });

  const saveJwt = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  expect(asked).toMatchObject({ status: 201, body: { saveJwt, jti: expect.any(String) } });
  expect(saved).toMatchObject({ status: 204, body: '' });
  expect(refused.status).toBe(400);
  expect(refused.body).toEqual({
    code: 'INVALID_REQUEST',
    message: 'a.b: A name may not contain a dot: it becomes the claim cfg.<name>',
  });
  const { body } = await page.request('POST', '/init', { instanceId, jti: 'n1' });
  expect(decodeJwt((body as { initJwt: string }).initJwt)['cfg.text']).toHaveLength(60_000);
});

test('saving a configuration notifies the open pages', async () => {
  await using world = await startWorld();
  const page = await openPage(world, mara);
  const pluginId = await world.install();
  const placed = await page.request('POST', `/plugins/${pluginId}/instances`, { entryPointId });
  const { instanceId } = placed.body as { instanceId: string };
  const { cookie } = page;
  const stream = await fetch(`${world.platform.origin}/control/changes`, { headers: { cookie } });
  const text = stream.text();

  await page.request('PUT', `/plugins/${pluginId}/instances/${instanceId}/config`, {});
  world.platform.close();

  expect(await text).toBe(': connected\n\nevent: plugins\ndata: {}\n\n');
});

test('a failed installation is 422 with its deliveries', async () => {
  await using world = await startWorld();
  const page = await openPage(world, mara);
  world.plugin.answers.access_token = (response) => sendJson(response, 201, undefined);

  const { status, body } = await page.request('POST', '/plugins', {
    manifestUrl: world.plugin.manifestUrl,
  });

  expect(status).toBe(422);
  const { deliveries, ...failure } = failureSchema.parse(body);
  expect(failure).toEqual({
    code: 'INVALID_RESPONSE',
    message: expect.stringMatching(
      /^Expected JSON\. POST .*\/access_token was answered with status 201/,
    ),
  });
  expect(deliveries.map(({ event }) => event)).toEqual(['install', 'access_token', 'uninstall']);
});

test('requests are listed without bodies, and one is shown with them', async () => {
  await using world = await startWorld();
  const page = await openPage(world, mara);
  const pluginId = await world.install();
  const { client_secret: secret } = world.plugin.client();

  const listed = await page.request('GET', `/exchanges?kind=event&pluginId=${pluginId}`);
  const { exchanges } = exchangesSchema.strict().parse(listed.body);
  const path = `/exchanges/${exchanges[1]?.id}`;
  const masked = exchangeSchema.parse((await page.request('GET', path)).body);
  const revealed = exchangeSchema.parse((await page.request('GET', `${path}?reveal=true`)).body);

  expect(exchanges.map(({ event }) => event)).toEqual(['install', 'access_token']);
  expect(JSON.stringify(listed.body)).not.toContain('"body"');
  expect(masked.body).toBe('token=[token]');
  expect(JSON.stringify(masked)).not.toContain(secret);
  expect(JSON.stringify(revealed)).toContain(secret);
  expect((await page.request('GET', '/exchanges?kind=nothing')).status).toBe(400);
  expect((await page.request('GET', '/exchanges/999')).body).toMatchObject({
    code: 'EXCHANGE_NOT_FOUND',
  });
});

test('requests for keys, which belong to no tenant, are listed and shown', async () => {
  await using world = await startWorld();
  const page = await openPage(world, mara);
  await world.install();

  const listed = await page.request('GET', '/exchanges?kind=key');
  const [key] = exchangesSchema.parse(listed.body).exchanges;
  const shown = await page.request('GET', `/exchanges/${key?.id}`);

  expect(shown).toMatchObject({ status: 200, body: { kind: 'key', tenantId: null } });
});

test('a tenant sees no request of another one', async () => {
  await using world = await startWorld();
  await world.install();
  const [{ id } = { id: 0 }] = world.platform.exchanges({ kind: 'event' });
  const page = await openPage(world, helen);

  const { exchanges } = exchangesSchema.parse((await page.request('GET', '/exchanges')).body);
  expect(exchanges.map(({ kind }) => kind)).toEqual(['key', 'key']);
  expect((await page.request('GET', `/exchanges/${id}`)).status).toBe(404);
});

test('an event is sent as the platform does, with its fault, or changed', async () => {
  await using world = await startWorld();
  const page = await openPage(world, mara);
  const pluginId = await world.install();
  const send = async (body: object) => {
    const answer = await page.request('POST', `/plugins/${pluginId}/events`, body);
    return exchangeSchema.parse(answer.body);
  };
  world.platform.fault('event.repeated');

  const sent = await send({ event: 'access_token' });
  const forged = await send({ event: 'uninstall', key: 'stranger', claims: { iat: 1 } });

  expect(sent).toMatchObject({ status: 201, event: 'access_token', fault: 'event.repeated' });
  expect(forged).toMatchObject({ status: 401, jwt: { claims: { iat: 1 } } });
  expect(world.plugin.events).toHaveLength(4);

  const again = await page.request('POST', `/exchanges/${sent.id}/resend`, { signedAgain: true });

  expect(again).toMatchObject({ status: 201, body: { event: 'access_token', fault: null } });
  expect(world.plugin.events).toHaveLength(5);
});

test('a link signs in once, and leads to a page of the emulator', async () => {
  await using world = await startWorld();
  const { origin } = world.platform;
  const open = (url: string, method = 'GET') => fetch(url, { method, redirect: 'manual' });
  const url = world.platform.signInUrl(priya, '/?from=link#/plugins');

  expect((await open(url, 'HEAD')).headers.getSetCookie()).toEqual([]);
  const first = await open(url);
  const second = await open(url);
  const elsewhere = await open(world.platform.signInUrl(priya, '//evil.example/'));

  expect([first.status, first.headers.get('location')]).toEqual([
    303,
    `${origin}/?from=link#/plugins`,
  ]);
  const [cookie = ''] = first.headers.getSetCookie()[0]?.split(';') ?? [];
  const session = await fetch(`${origin}/control/session`, { headers: { cookie } });
  expect(sessionSchema.parse(await session.json()).user.userId).toBe(priya);
  expect(second.headers.getSetCookie()).toEqual([]);
  expect(new URL(elsewhere.headers.get('location') ?? '').origin).toBe(origin);
  expect(() => world.platform.signInUrl('nobody')).toThrow(
    expect.objectContaining({ code: 'USER_NOT_FOUND' }),
  );
});

test('the OpenAPI document describes every route', async () => {
  await using world = await startWorld();
  const page = await openPage(world);

  const { status, body } = await page.request('GET', '/openapi.json');

  expect(status).toBe(200);
  const { paths, servers } = body as {
    servers: { url: string }[];
    paths: Record<string, Record<string, { summary: string; security: unknown[] }>>;
  };
  expect(servers).toEqual([{ url: `${world.platform.origin}/control` }]);
  expect(Object.keys(paths)).toContain('/exchanges/{id}/resend');
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { summary, security }] of Object.entries(methods)) {
      expect(summary).toMatch(/^[A-Z].*\.$/);
      const answer = await page.request(
        method.toUpperCase(),
        path.replaceAll(/\{\w+\}/g, 'x'),
        method === 'get' ? undefined : {},
      );
      expect([path, method, answer.status === 401]).toEqual([path, method, security.length > 0]);
    }
  }
  const events = paths['/plugins/{pluginId}/events']?.post;
  expect(events).toMatchObject({
    requestBody: { content: { 'application/json': { schema: { required: ['event'] } } } },
    parameters: [{ name: 'pluginId', in: 'path' }],
  });
});

test('a fault is switched on for the tenant, listed, and switched off', async () => {
  await using world = await startWorld();
  const page = await openPage(world, mara);
  const other = await openPage(world, helen);

  const started = await page.request('POST', '/faults', { name: 'api.limited', retryAfter: 2 });
  const { id, fault } = activeFaultSchema.parse(started.body);
  expect(started.status).toBe(201);
  expect(fault).toEqual({ name: 'api.limited', tenantId: acme, times: 1, skip: 0, retryAfter: 2 });
  await page.request('POST', '/faults', { name: 'key.notFound', times: 'always' });

  const names = async ({ request }: Page) =>
    activeFaultsSchema
      .parse((await request('GET', '/faults')).body)
      .faults.map((each) => each.fault.name);
  expect(await names(page)).toEqual(['api.limited', 'key.notFound']);
  expect(await names(other)).toEqual(['key.notFound']);
  expect((await other.request('DELETE', `/faults/${id}`)).status).toBe(404);
  expect((await page.request('DELETE', `/faults/${id}`)).status).toBe(204);
  expect(await names(page)).toEqual(['key.notFound']);
  expect((await page.request('DELETE', '/faults')).status).toBe(204);
  expect(world.platform.faults()).toEqual([]);
});

test('the lab moves the clock both ways, and keeps the rest', async () => {
  await using world = await startWorld();
  const page = await openPage(world, mara);

  await page.request('PATCH', '/lab', { advanceSeconds: 60, forms: { src: 'opaque' } });
  await page.request('PATCH', '/lab', { advanceSeconds: 30, refreshTokens: 'omit' });

  expect((await page.request('GET', '/lab')).body).toEqual({
    clockOffsetSeconds: 90,
    ...strictRules,
    refreshTokens: 'omit',
    forms: { src: 'opaque', baseUrl: 'issuer', trigger: 'path', extraClaims: false },
  });
  const setBack = await page.request('PATCH', '/lab', { clockOffsetSeconds: -5 });
  expect(setBack.body).toMatchObject({ clockOffsetSeconds: -5 });
});

test.each([
  ['POST', '/session', { userId: 1 }, 400],
  ['POST', '/session', { userId: 'nobody' }, 404],
  ['POST', '/plugins', { manifestUrl: 'manifest.json' }, 400],
  ['POST', '/plugins', { manifestUrl: 'localhost:4310/manifest.json' }, 400],
  ['POST', '/plugins', { manifestUrl: 'file:///manifest.json' }, 400],
  ['POST', '/plugins', { manifestUrl: 'http://localhost:1/', more: 1 }, 400],
  ['POST', '/plugins', undefined, 400],
  ['POST', '/plugins/x/update', undefined, 404],
  ['POST', '/plugins/x/revoke', { what: 'everything' }, 400],
  ['POST', '/plugins/x/instances', { entryPointId }, 404],
  ['POST', '/plugins/x/events', { event: 'access_token' }, 404],
  ['POST', '/plugins/x/events', { event: 'update' }, 400],
  ['POST', '/exchanges/1/resend', {}, 404],
  ['POST', '/init', { instanceId: 'x', jti: '' }, 400],
  ['POST', '/save', {}, 400],
  ['POST', '/save', { instanceId: 'x' }, 404],
  ['PUT', '/plugins/x/instances/y/config', {}, 404],
  ['PUT', '/plugins/x/instances/y/config', ['city'], 400],
  ['PUT', '/plugins/x/instances/y/config', null, 400],
  ['PUT', '/plugins/x/instances/y/config', true, 400],
  ['PUT', '/plugins/x/instances/y/config', { text: 'x'.repeat(65_536) }, 413],
  ['POST', '/faults', { name: 'token.lost' }, 400],
  ['PATCH', '/lab', { advanceSeconds: -1 }, 400],
  ['PATCH', '/lab', { advanceSeconds: 1e300 }, 400],
  ['PUT', '/lab', {}, 405],
  ['GET', '/nothing', undefined, 404],
])('%s %s with %.60j is %i and JSON', async (method, path, body, status) => {
  await using world = await startWorld();
  const page = await openPage(world, mara);

  const answer = await page.request(method, path, body);

  expect(answer.status).toBe(status);
  expect(answer.body).toEqual({ code: expect.any(String), message: expect.any(String) });
});

test('a body that is not declared as JSON is 415', async () => {
  await using world = await startWorld();
  const page = await openPage(world);

  const headers = { 'content-type': 'text/plain' };
  const { status } = await page.request('POST', '/session', { userId: mara }, headers);

  expect(status).toBe(415);
});

test('the stream names what changed, and ends when the platform closes', async () => {
  await using world = await startWorld();
  const { cookie } = await openPage(world, mara);
  const stream = await fetch(`${world.platform.origin}/control/changes`, { headers: { cookie } });
  const text = stream.text();

  await world.install();
  world.platform.close();

  expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(stream.headers.get('x-accel-buffering')).toBe('no');
  const events = (await text).replace(/^: connected\n\n/, '').split('data: {}\n\n');
  expect(new Set(events)).toEqual(new Set(['event: exchanges\n', 'event: plugins\n', '']));
});

test('a page that goes away leaves no error and no subscription', async () => {
  const errors: unknown[] = [];
  await using world = await startWorld({ onError: (error) => errors.push(error) });
  const { cookie } = await openPage(world, mara);
  const leaving = new AbortController();
  const stream = await fetch(`${world.platform.origin}/control/changes`, {
    headers: { cookie },
    signal: leaving.signal,
  });
  expect(stream.status).toBe(200);

  leaving.abort();
  await world.install();

  expect(errors).toEqual([]);
});
