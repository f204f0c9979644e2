import { tokenResponseSchema } from '@dowel/schema';
import { expect, test } from 'vitest';
import { acme, basicOf, readTokenAnswer, startWorld } from './testing/start-world.ts';

test('a code in the query with Basic and no body becomes a token set', async () => {
  await using world = await startWorld();
  await world.install();

  const { status, headers, body } = await world.exchange();

  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(tokenResponseSchema.safeParse(body).success).toBe(true);
  expect(body).toMatchObject({
    token_type: 'bearer',
    expires_in: 3600,
    scope: 'plugin:notify',
    tenant: acme,
  });
});

test('a form body is accepted as well', async () => {
  await using world = await startWorld();
  await world.install();

  const response = await fetch(`${world.platform.origin}/t/acme/api/oauth/token`, {
    method: 'POST',
    headers: { authorization: basicOf(world.plugin) },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: world.plugin.client().authorization_code,
    }),
  });

  expect((await readTokenAnswer(response)).status).toBe(200);
});

test('a form that is too large is 413 with JSON', async () => {
  await using world = await startWorld();
  await world.install();

  const response = await fetch(`${world.platform.origin}/t/acme/api/oauth/token`, {
    method: 'POST',
    headers: { authorization: basicOf(world.plugin) },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x'.repeat(40_000) }),
  });

  expect([response.status, await response.json()]).toMatchObject([413, { code: 'BODY_TOO_LARGE' }]);
  expect(world.platform.exchanges({ tenantId: acme }).at(-1)).toMatchObject({
    status: 413,
    body: '',
    error: { code: 'BODY_TOO_LARGE' },
  });
});

test('a wrong or missing secret is invalid_client', async () => {
  await using world = await startWorld();
  await world.install();
  const { client_secret: secret, authorization_code: code } = world.plugin.client();
  const latin1 = `Basic ${Buffer.from(`${world.plugin.client().client_id}:${secret}`, 'latin1').toString('base64')}`;
  const request = { grant_type: 'authorization_code', code };

  for (const basic of [basicOf(world.plugin, `${secret}x`), latin1, 'Basic !', 'Bearer x', '']) {
    const { status, headers, body } = await world.requestTokens(request, basic);

    expect([status, body.error]).toEqual([401, 'invalid_client']);
    expect(headers.get('www-authenticate')).toMatch(/^Basic /);
  }
  expect((await world.exchange()).status).toBe(200);
});

const basicMistakes: [string, (id: string, secret: string) => string, RegExp][] = [
  [
    'a form',
    (id, secret) =>
      base64(`${encodeURIComponent(id)}:${encodeURIComponent(secret).replaceAll('%20', '+')}`),
    /^id and secret were form-encoded first/,
  ],
  ['Latin-1', (id, secret) => base64(`${id}:${secret}`, 'latin1'), /were encoded as Latin-1/],
  [
    'base64url',
    (id, secret) => Buffer.from(`${id}:${secret}`).toString('base64url'),
    /base64url, not base64/,
  ],
];

function base64(text: string, encoding: BufferEncoding = 'utf8'): string {
  return Buffer.from(text, encoding).toString('base64');
}

test.each(basicMistakes)('Basic in %s is refused with the reason', async (_, encode, reason) => {
  await using world = await startWorld();
  await world.install();
  const { client_id: id, client_secret: secret, authorization_code: code } = world.plugin.client();
  const request = { grant_type: 'authorization_code', code };

  const { status } = await world.requestTokens(request, `Basic ${encode(id, secret)}`);

  const [exchange] = world.platform.exchanges({ kind: 'code' });
  expect(status).toBe(401);
  expect(exchange?.error).toMatchObject({ code: 'invalid_client' });
  expect(exchange?.error?.message).toMatch(reason);
  expect(await world.requestTokens(request, basicOf(world.plugin, 'wrong'))).toMatchObject({
    body: { error_description: 'Unknown client, or wrong secret' },
  });
});

test.each(basicMistakes)('a platform that tolerates it accepts Basic in %s', async (_, encode) => {
  await using world = await startWorld({ tolerate: ['basic.encoding'] });
  await world.install();
  const { client_id: id, client_secret: secret, authorization_code: code } = world.plugin.client();
  const request = { grant_type: 'authorization_code', code };

  expect((await world.requestTokens(request, `Basic ${encode(id, secret)}`)).status).toBe(200);
  expect((await world.requestTokens(request, `Basic ${encode(id, `${secret}x`)}`)).status).toBe(
    401,
  );
});

test('a secret in a parameter is refused with the reason', async () => {
  await using world = await startWorld();
  await world.install();
  const { client_secret } = world.plugin.client();

  const { body } = await world.requestTokens(
    { grant_type: 'authorization_code', client_secret },
    '',
  );

  expect(body).toMatchObject({ error_description: expect.stringContaining('use Basic') });
});

test.each([
  [{}, 'invalid_request'],
  [{ grant_type: 'authorization_code' }, 'invalid_request'],
  [{ grant_type: 'refresh_token', refresh_token: '' }, 'invalid_request'],
  [{ grant_type: 'password', code: 'x' }, 'unsupported_grant_type'],
  [{ grant_type: '__proto__', code: 'x' }, 'unsupported_grant_type'],
  [{ grant_type: 'authorization_code', code: 'x' }, 'invalid_grant'],
  [{ grant_type: 'refresh_token', refresh_token: 'x' }, 'invalid_grant'],
])('%j is 400 %s', async (parameters, error) => {
  await using world = await startWorld();
  await world.install();

  const { status, headers, body } = await world.requestTokens({ ...parameters });

  expect([status, body.error]).toEqual([400, error]);
  expect(headers.get('cache-control')).toBe('no-store');
});

test('a repeated parameter is invalid_request', async () => {
  await using world = await startWorld();
  await world.install();

  const response = await fetch(
    `${world.platform.origin}/t/acme/api/oauth/token?grant_type=authorization_code&code=a&code=b`,
    { method: 'POST', headers: { authorization: basicOf(world.plugin) } },
  );

  expect((await readTokenAnswer(response)).body.error).toBe('invalid_request');
});

test('a reused code is invalid_grant and revokes what it was exchanged for', async () => {
  await using world = await startWorld();
  const pluginId = await world.install();
  const { body } = await world.exchange();

  const second = await world.exchange();

  expect([second.status, second.body.error]).toEqual([400, 'invalid_grant']);
  expect((await world.notify(body.access_token, { pluginId, instanceId: 'x' })).status).toBe(401);
  expect((await world.refresh(body.refresh_token)).body.error).toBe('invalid_grant');
});

test('a code lives 60 seconds', async () => {
  await using world = await startWorld();
  await world.install();

  world.platform.changeLab(acme, { advanceSeconds: 60 });

  expect((await world.exchange()).body.error).toBe('invalid_grant');
});

test('a refresh issues an access token and voids the old one', async () => {
  await using world = await startWorld();
  const { path } = await world.place();
  const { body: first } = await world.exchange();

  const { status, body: second } = await world.refresh(first.refresh_token);

  expect(status).toBe(200);
  expect(second.access_token).not.toBe(first.access_token);
  const notify = async (accessToken: string) => (await world.notify(accessToken, path)).status;
  expect(await notify(first.access_token)).toBe(401);
  expect(await notify(second.access_token)).toBe(201);
});

test('one rule can be more lenient than the others', async () => {
  await using world = await startWorld({ rules: { reuseGraceMs: 60_000 } });
  await world.install();
  const { body: first } = await world.exchange();
  const { body: second } = await world.refresh(first.refresh_token);

  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect((await world.refresh(first.refresh_token)).status).toBe(200);

  world.platform.changeLab(acme, { givesRefreshToken: false });
  await world.install();
  expect((await world.exchange()).body).not.toHaveProperty('refresh_token');
});

test('a code is exchanged for the scopes and the lifetime that the lab sets', async () => {
  await using world = await startWorld();
  await world.install();

  world.platform.changeLab(acme, { grantedScopes: [], accessTokenLifetimeSeconds: 5 });

  expect((await world.exchange()).body).toMatchObject({ scope: '', expires_in: 5 });
});

test('the code of one installation is refused for another client', async () => {
  await using world = await startWorld();
  await world.install();
  const { authorization_code: code } = world.plugin.client();
  await world.install();

  const stolen = await world.requestTokens({ grant_type: 'authorization_code', code });

  expect(stolen.body.error).toBe('invalid_grant');
});

test('token requests are recorded in their order, without secrets', async () => {
  await using world = await startWorld();
  const pluginId = await world.install();
  const { body } = await world.exchange();
  await world.requestTokens({ grant_type: 'client_secret=1' });

  const { installations } = world.platform.plugins(acme);
  const exchanges = world.platform.exchanges({ kind: 'code' });

  expect(exchanges).toMatchObject([
    { pluginId, status: 200, error: null },
    { pluginId, status: 400, error: { code: 'unsupported_grant_type' } },
  ]);
  expect(installations[0]?.tokens).toEqual({ accessTokens: 1, refreshTokens: 1 });
  const shown = JSON.stringify([installations, exchanges]);
  const { client_secret, authorization_code } = world.plugin.client();
  for (const secret of [body.access_token, body.refresh_token, client_secret, authorization_code]) {
    expect(shown).not.toContain(secret);
  }
});
