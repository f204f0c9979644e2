/** Each fault by name: what a plug-in's back end sees, and what the platform has done. */
import { readFile } from 'node:fs/promises';
import { decodeProtectedHeader } from 'jose';
import { describe, expect, test } from 'vitest';
import { faultDescriptions, faultSchema } from './fault-schema.ts';
import { basicOf, startWorld, type World } from './testing/start-world.ts';

const globex = '7b9d4e16-2f63-4c8d-b1a7-9e0f3a2c5d02';

/** An installed plug-in with a widget and tokens. */
async function startUser(world: World) {
  const { key, path } = await world.place();
  const { body: tokens } = await world.exchange();
  const call = (accessToken = tokens.access_token) => world.notify(accessToken, path);
  return { key, tokens, call };
}

const refreshRaw = (world: World, refreshToken = '', signal?: AbortSignal) => {
  const query = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
  return fetch(`${world.platform.origin}/t/acme/api/oauth/token?${query.toString()}`, {
    method: 'POST',
    headers: { authorization: basicOf(world.plugin) },
    ...(signal && { signal }),
  });
};

/** Without those of {@link startUser}. */
const laterEvents = ({ plugin }: World) => plugin.events.slice(3);
const names = (world: World) => laterEvents(world).map(({ event }) => event);

describe('at the token endpoint', () => {
  test('token.lostAnswer spends the refresh token, and the connection ends', async () => {
    await using world = await startWorld();
    const { tokens } = await startUser(world);
    const off = world.platform.fault('token.lostAnswer', { on: 'refresh' });

    await expect(refreshRaw(world, tokens.refresh_token)).rejects.toThrow('fetch failed');

    expect(off.hits).toBe(1);
    expect((await world.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect(world.platform.exchanges({ kind: 'refresh' })).toMatchObject([
      { fault: 'token.lostAnswer', status: null, answeredAt: null },
      { fault: null, status: 400 },
    ]);
  });

  test('token.hang never answers, and spends nothing', async () => {
    await using world = await startWorld();
    const { tokens } = await startUser(world);
    const off = world.platform.fault('token.hang');
    const leaving = new AbortController();
    const request = refreshRaw(world, tokens.refresh_token, leaving.signal);
    await expect.poll(() => off.hits).toBe(1);

    leaving.abort();

    await expect(request).rejects.toThrow('aborted');
    expect((await world.refresh(tokens.refresh_token)).status).toBe(200);
  });

  test('token.slow answers later', async () => {
    await using world = await startWorld();
    const { tokens } = await startUser(world);
    world.platform.fault('token.slow', { ms: 60 });

    expect((await world.refresh(tokens.refresh_token)).status).toBe(200);

    const [{ at, answeredAt } = { at: 0, answeredAt: 0 }] = world.platform.exchanges({
      kind: 'refresh',
    });
    expect(Number(answeredAt) - at).toBeGreaterThanOrEqual(59);
  });

  test.each([
    [{ name: 'token.unavailable', retryAfter: 7 }, 503, '7'],
    [{ name: 'token.unavailable', status: 502 }, 502, null],
    [{ name: 'token.limited' }, 429, '1'],
    [{ name: 'token.refused' }, 400, null],
  ] as const)('%j spends nothing', async ({ name, ...options }, status, retryAfter) => {
    await using world = await startWorld();
    const { tokens } = await startUser(world);
    world.platform.fault(name, options);

    const refused = await world.refresh(tokens.refresh_token);

    expect([refused.status, refused.headers.get('retry-after')]).toEqual([status, retryAfter]);
    expect((await world.refresh(tokens.refresh_token)).status).toBe(200);
  });

  test('token.notJson answers with a page, and spends nothing', async () => {
    await using world = await startWorld();
    const { tokens } = await startUser(world);
    world.platform.fault('token.notJson');

    const response = await refreshRaw(world, tokens.refresh_token);

    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
    expect((await world.refresh(tokens.refresh_token)).status).toBe(200);
  });

  test('token.cutOff sends half of the answer', async () => {
    await using world = await startWorld();
    const { tokens } = await startUser(world);
    world.platform.fault('token.cutOff');

    const response = await refreshRaw(world, tokens.refresh_token);

    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
    expect((await world.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('token.oversized answers with 10 MB', async () => {
    await using world = await startWorld();
    const { tokens } = await startUser(world);
    world.platform.fault('token.oversized');

    const response = await refreshRaw(world, tokens.refresh_token);

    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(10_000_000);
    expect((await world.refresh(tokens.refresh_token)).status).toBe(200);
  });

  test('token.answer replaces and leaves out members', async () => {
    await using world = await startWorld();
    const { tokens } = await startUser(world);
    world.platform.fault('token.answer', { set: { expires_in: 1, more: [] }, unset: ['jti'] });

    const { body } = await world.refresh(tokens.refresh_token);

    expect(body).toMatchObject({ expires_in: 1, more: [], token_type: 'bearer' });
    expect(body).not.toHaveProperty('jti');
  });
});

describe('at the trigger', () => {
  test.each([
    ['trigger.refused', 403],
    ['trigger.silent', 202],
  ] as const)('%s answers %i once and sends no event', async (name, status) => {
    await using world = await startWorld();
    await startUser(world);
    const off = world.platform.fault(name);

    expect((await world.trigger()).status).toBe(status);

    expect(off.hits).toBe(1);
    expect((await world.trigger()).status).toBe(202);
    await expect.poll(() => names(world)).toEqual(['access_token']);
  });

  test('trigger.late answers at once and sends the event later', async () => {
    await using world = await startWorld();
    await startUser(world);
    world.platform.fault('trigger.late', { ms: 60 });

    expect((await world.trigger()).status).toBe(202);

    expect(names(world)).toEqual([]);
    await expect.poll(() => names(world)).toEqual(['access_token']);
  });
});

describe('of events', () => {
  test.each([
    [{ copies: 2 }, 1],
    [{ copies: 2, atOnce: true }, 1],
    [{ copies: 1, signedAgain: true }, 2],
  ])('event.repeated with %j sends copies', async (options, jtis) => {
    await using world = await startWorld();
    const { key } = await startUser(world);
    world.platform.fault('event.repeated', options);

    await world.platform.sendAccessTokenEvent(key);

    const claims = laterEvents(world).map((each) => each.claims);
    expect(claims).toHaveLength(options.copies + 1);
    expect(new Set(claims.map(({ jti }) => jti)).size).toBe(jtis);
    expect(new Set(claims.map(({ client }) => client.authorization_code)).size).toBe(1);
  });

  test('event.late lets an uninstall come after the next install', async () => {
    await using world = await startWorld();
    const { key } = await startUser(world);
    world.platform.fault('event.late', { on: 'uninstall', until: 'access_token' });

    const gone = world.platform.uninstall(key);
    await world.platform.install({ ...key, manifestUrl: world.plugin.manifestUrl });
    await gone;

    expect(names(world)).toEqual(['install', 'access_token', 'uninstall']);
  });

  test('event.late sends an event later that is signed in time', async () => {
    await using world = await startWorld();
    const { key } = await startUser(world);
    world.platform.fault('event.late', { ms: 60 });

    const { at, jwt } = await world.platform.sendAccessTokenEvent(key);

    expect(at - Number(jwt?.claims.iat) * 1000).toBeGreaterThanOrEqual(59);
  });

  test('event.claims changes claims, also inside of objects', async () => {
    await using world = await startWorld();
    const { key } = await startUser(world);
    world.platform.fault('event.claims', {
      set: { edition: 'next', client: { region: 'eu' } },
      unset: ['jti', 'client.trigger_event'],
    });

    await world.platform.sendAccessTokenEvent(key);

    const claims = laterEvents(world)[0]?.claims;
    expect(claims).toMatchObject({
      edition: 'next',
      client: { region: 'eu', client_id: expect.any(String) },
    });
    expect(claims).not.toHaveProperty('jti');
    expect(claims?.client).not.toHaveProperty('trigger_event');
  });

  test('event.clock moves the times of an event', async () => {
    await using world = await startWorld({ now: () => 1_900_000_000_000 });
    const { key } = await startUser(world);
    world.platform.fault('event.clock', { seconds: -90 });

    await world.platform.sendAccessTokenEvent(key);

    expect(laterEvents(world)[0]?.claims).toMatchObject({ iat: 1_899_999_910, exp: 1_899_999_970 });
  });

  test('event.keyRotated signs with a new key from then on', async () => {
    await using world = await startWorld();
    const { key } = await startUser(world);
    await world.platform.sendAccessTokenEvent(key);
    world.platform.fault('event.keyRotated');

    await world.platform.sendAccessTokenEvent(key);
    await world.platform.sendAccessTokenEvent(key);

    const [before, first, second] = laterEvents(world).map(({ header }) => header.jku);
    expect(first).not.toBe(before);
    expect(second).toBe(first);
  });

  test('event.reordered sends access_token before install', async () => {
    await using world = await startWorld();
    world.platform.fault('event.reordered');

    await world.install();

    expect(world.plugin.events.map(({ event }) => event)).toEqual(['access_token', 'install']);
  });

  test('event.afterUninstall sends an older access_token event after uninstall', async () => {
    await using world = await startWorld();
    const { key } = await startUser(world);
    world.platform.fault('event.afterUninstall');

    await world.platform.uninstall(key);

    expect(names(world)).toEqual(['uninstall', 'access_token']);
    const [uninstalled, late] = laterEvents(world).map(({ claims }) => claims);
    expect(Number(late?.iat)).toBeLessThanOrEqual(Number(uninstalled?.iat));
    expect((await world.exchange()).body.error).toBe('invalid_client');
  });
});

describe('of the key host', () => {
  test.each([
    ['key.down', {}, 'fetch failed'],
    ['key.notFound', {}, 404],
    ['key.redirect', {}, 302],
    ['key.slow', { ms: 20 }, 200],
  ] as const)('%s', async (name, options, result) => {
    await using world = await startWorld();
    const { jku = '' } = decodeProtectedHeader(await world.platform.sign({}));
    world.platform.fault(name, options);

    const load = () => fetch(jku, { redirect: 'manual' });
    if (typeof result === 'string') await expect(load()).rejects.toThrow(result);
    else expect((await load()).status).toBe(result);

    expect((await load()).status).toBe(200);
    expect(world.platform.exchanges({ kind: 'key' })[0]?.fault).toBe(name);
  });

  test('key.redirect leads to the same document, or to another place', async () => {
    await using world = await startWorld();
    const { jku = '' } = decodeProtectedHeader(await world.platform.sign({}));
    world.platform.fault('key.redirect');

    const followed = await fetch(jku);
    expect(followed.url).toBe(`${jku}?moved`);
    expect(followed.status).toBe(200);

    const location = 'https://elsewhere.example/key.json';
    world.platform.fault('key.redirect', { location });
    const response = await fetch(jku, { redirect: 'manual' });
    expect(response.headers.get('location')).toBe(location);
  });
});

describe('of the API', () => {
  test('api.unauthorized holds its answers until the last call has come', async () => {
    await using world = await startWorld();
    const { call } = await startUser(world);
    const off = world.platform.fault('api.unauthorized', { hold: 3 });
    const answered: number[] = [];
    const calls = [1, 2].map(async () => answered.push((await call()).status));
    await expect.poll(() => off.hits).toBe(2);
    expect(answered).toEqual([]);

    expect((await call()).status).toBe(401);

    await Promise.all(calls);
    expect(answered).toEqual([401, 401]);
    expect((await call()).status).toBe(201);
  });

  test('the answers that api.unauthorized holds are sent when it ends', async () => {
    await using world = await startWorld();
    const { call } = await startUser(world);
    const off = world.platform.fault('api.unauthorized', { hold: 3 });
    const held = call();
    await expect.poll(() => off.hits).toBe(1);

    off();

    expect((await held).status).toBe(401);
    expect((await call()).status).toBe(201);
  });

  test('api.unauthorized can be for one access token only', async () => {
    await using world = await startWorld();
    const { call, tokens } = await startUser(world);
    const options = { times: 'always', sameToken: true } as const;
    const off = world.platform.fault('api.unauthorized', options);
    expect((await call()).status).toBe(401);

    const { body: refreshed } = await world.refresh(tokens.refresh_token);

    expect((await call(refreshed.access_token)).status).toBe(201);

    expect(off.hits).toBe(1);
  });

  test('api.unauthorized can come after a refresh', async () => {
    await using world = await startWorld();
    const { call, tokens } = await startUser(world);
    const off = world.platform.fault('api.unauthorized', { until: 'refresh' });
    let status = 0;
    const refused = call().then((response) => (status = response.status));
    await expect.poll(() => off.hits).toBe(1);
    expect(status).toBe(0);

    expect((await world.refresh(tokens.refresh_token)).status).toBe(200);

    expect(await refused).toBe(401);
  });

  test.each([
    ['api.scopeWithdrawn', {}, 403, null],
    ['api.limited', { retryAfter: 3 }, 429, '3'],
    ['api.status', { status: 500 }, 500, null],
    ['api.off', {}, 404, null],
  ] as const)('%s does nothing of the call', async (name, options, status, retryAfter) => {
    await using world = await startWorld();
    const { call } = await startUser(world);
    world.platform.fault(name, options);

    const response = await call();

    expect([response.status, response.headers.get('retry-after')]).toEqual([status, retryAfter]);
    expect(await response.json()).toEqual({
      code: expect.any(String),
      message: expect.any(String),
    });
    expect((await call()).status).toBe(201);
    expect(world.platform.exchanges({ kind: 'api' })).toHaveLength(2);
  });

  test('api.hang never answers', async () => {
    await using world = await startWorld();
    const { call } = await startUser(world);
    const off = world.platform.fault('api.hang');
    const hanging = call().catch(() => 'ended');
    await expect.poll(() => off.hits).toBe(1);

    expect((await call()).status).toBe(201);

    expect(world.platform.exchanges({ kind: 'api' })[0]).toMatchObject({ error: null });
    await world[Symbol.asyncDispose]();
    expect(await hanging).toBe('ended');
    await expect
      .poll(() => world.platform.exchanges({ kind: 'api' })[0])
      .toMatchObject({ status: null, answeredAt: null, error: { code: 'GAVE_UP' } });
  });
});

describe('which requests meet a fault', () => {
  test('skip lets some pass, times counts those that meet it', async () => {
    await using world = await startWorld();
    const { call } = await startUser(world);
    const off = world.platform.fault('api.status', { times: 2, skip: 1 });

    const statuses = [];
    for (let index = 0; index < 5; index += 1) statuses.push((await call()).status);

    expect(statuses).toEqual([201, 503, 503, 201, 201]);
    expect(off.hits).toBe(2);
    expect(world.platform.faults()).toEqual([]);
  });

  test('a fault that is always on ends when it is switched off', async () => {
    await using world = await startWorld();
    const { call } = await startUser(world);
    const off = world.platform.fault('api.status', { times: 'always', status: 500 });
    expect([(await call()).status, (await call()).status]).toEqual([500, 500]);
    expect(world.platform.faults()).toMatchObject([
      { id: off.id, hits: 2, fault: { name: 'api.status', status: 500, times: 'always' } },
    ]);

    off();

    expect((await call()).status).toBe(201);
  });

  test('a fault is for one tenant, plug-in or kind of request, if it says so', async () => {
    await using world = await startWorld();
    const { call, key, tokens } = await startUser(world);
    world.platform.fault('api.status', { tenantId: globex });
    world.platform.fault('api.status', { pluginId: globex });
    world.platform.fault('token.refused', { on: 'code' });
    world.platform.fault('event.claims', { on: 'install', unset: ['jti'] });

    expect((await call()).status).toBe(201);
    expect((await world.refresh(tokens.refresh_token)).status).toBe(200);
    await world.platform.sendAccessTokenEvent(key);
    expect(laterEvents(world)[0]?.claims).toHaveProperty('jti');
    expect(world.platform.faults()).toHaveLength(4);

    world.platform.fault('api.status', { ...key, status: 418 });
    expect((await call()).status).toBe(418);
    expect((await world.exchange()).body.error).toBe('invalid_grant');
  });

  test('one request meets one fault, the oldest', async () => {
    await using world = await startWorld();
    const { call } = await startUser(world);
    world.platform.fault('api.status', { status: 500 });
    world.platform.fault('api.off');

    expect([(await call()).status, (await call()).status]).toEqual([500, 404]);
  });

  test('a wrong name, option or tenant is refused in words', async () => {
    await using world = await startWorld();
    const { platform } = world;

    expect(() => platform.fault('token.lost' as 'token.hang')).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        message: expect.stringContaining('name'),
      }),
    );
    expect(() => platform.fault('api.status', { status: 200 })).toThrow(/^status: /);
    expect(() => platform.fault('api.hang', { tenantId: 'x' })).toThrow(
      expect.objectContaining({ code: 'TENANT_NOT_FOUND' }),
    );
  });
});

test('the README has a row for every fault', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');

  const rows = faultDescriptions.map(
    ({ name, does, good }) => `| \`${name}\` | ${does} | ${good} |`,
  );

  expect(readme).toContain(rows.join('\n'));
});

test('every fault has a sentence for what it does, and for a good back end', () => {
  expect(faultDescriptions).toHaveLength(faultSchema.options.length);
  for (const { does, good } of faultDescriptions) {
    expect(does).toMatch(/^[A-Z`].*\.$/);
    expect(good).toMatch(/^[A-Z].*\.$/);
  }
});
