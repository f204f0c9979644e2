import { afterAll, beforeAll, expect, test } from 'vitest';
import { signInitJwt } from '../testing/sign-init-jwt.ts';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;
let instanceId: string;

beforeAll(async () => {
  world = await startWorld();
  ({ instanceId } = await world.install());
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const refused = {
  code: 'SESSION_REFUSED',
  message: 'The platform page did not vouch for this user here',
};

test('an init JWT opens one session only', async () => {
  const initJwt = await world.createInitJwt(instanceId);

  expect((await world.post('/api/session', { initJwt, instanceId })).status).toBe(201);
  const second = await world.post('/api/session', { initJwt, instanceId });

  expect(second.status).toBe(403);
  expect(await second.json()).toEqual(refused);
});

test('G04: an init JWT that names another plug-in opens no session', async () => {
  const initJwt = await signInitJwt(world, { pluginId: crypto.randomUUID() });

  const response = await world.post('/api/session', { initJwt, instanceId });

  expect(response.status).toBe(403);
  expect(await response.json()).toEqual(refused);
  expect(world.logs.join('')).toContain('plugin_mismatch');
});

test('an init JWT that has expired is refused with a log line that says by how much', async () => {
  const iat = Math.floor(Date.now() / 1_000) - 1_000;
  const initJwt = await signInitJwt(world, { iat, exp: iat + 100 });

  const response = await world.post('/api/session', { initJwt, instanceId });

  expect(await response.json()).toEqual(refused);
  const line = world.logs.find((each) => each.includes('"expired"')) ?? '{}';
  expect(JSON.parse(line)).toMatchObject({
    event: 'session',
    why: expect.stringMatching(/no longer valid/),
    offBySeconds: expect.closeTo(900, -2),
    allowedSeconds: 300,
    fix: expect.stringMatching(/^Compare the clock/),
  });
});

test('the scheme of a bearer is read in any case', async () => {
  const token = await world.openSession(instanceId);

  const body = { recipientEmail: world.colleague.email, message: 'Lunch?' };
  const authorization = `bearer ${token}`;

  expect(
    (await world.post('/api/createNotification', body, { authorization })).status,
  ).toBeLessThan(300);
});

test('a user without name, e-mail address and language has a session', async () => {
  const initJwt = await signInitJwt(world, {
    'ctx.userName': null,
    'ctx.userEmail': null,
    'ctx.userLanguage': null,
  });

  expect((await world.post('/api/session', { initJwt, instanceId })).status).toBe(201);
});

test('G17: an init JWT from before an uninstall opens no session after the next install', async () => {
  await using world = await startWorld();
  const { pluginId, instanceId: earlier } = await world.install();
  const iat = Math.floor(Date.now() / 1000) - 1;
  const collected = await signInitJwt(world, { iat, exp: iat + 60, pluginId });
  await world.platform.uninstall({ tenantId: world.tenantId, pluginId });
  const { instanceId } = await world.install();

  for (const each of [earlier, instanceId]) {
    const response = await world.post('/api/session', { initJwt: collected, instanceId: each });
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual(refused);
  }
  expect(world.logs.join('')).toContain('session_of_earlier_life');
  expect(await world.openSession(instanceId)).toBeTruthy();
});

test('G04: a lifecycle event, a tenant without the plug-in and a broken token are refused alike', async () => {
  const iat = Math.floor(Date.now() / 1000);
  const tenant = world.platform.tenants[0];
  const claims = { iss: tenant?.baseUrl ?? '', iat, exp: iat + 60, jti: 'j', 'ctx.userId': 'u' };
  const tokens = [
    await world.platform.sign({ ...claims, sub: 'install', tenantId: world.tenantId }),
    await world.platform.sign({ ...claims, sub: 'init', 'ctx.tenantId': crypto.randomUUID() }),
    `${await world.createInitJwt(instanceId)}x`,
  ];

  for (const initJwt of tokens) {
    const response = await world.post('/api/session', { initJwt, instanceId });
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual(refused);
  }
});

test('a call without a bearer, with an unknown bearer or with a cookie has no session', async () => {
  const attempts: Record<string, string>[] = [
    {},
    { authorization: 'Bearer unknown' },
    { authorization: 'Basic dXNlcjpwYXNz' },
    { cookie: `session=${await world.openSession(instanceId)}` },
  ];

  for (const headers of attempts) {
    const response = await world.post('/api/createNotification', {}, headers);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  }
});

test('G06: the iframe’s opaque origin may call, without credentials', async () => {
  const response = await fetch(`${world.url}/api/createNotification`, {
    method: 'OPTIONS',
    headers: { origin: 'null', 'access-control-request-method': 'POST' },
  });

  expect(response.status).toBe(204);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  expect(response.headers.get('access-control-allow-headers')).toContain('Authorization');
});

test('H15: every answer to a call has a mark that a page may read', async () => {
  const authorization = `Bearer ${await world.openSession(instanceId)}`;
  const answers = [
    await world.post('/api/session/nonce', {}),
    await world.post('/api/session', {}),
    await world.post('/api/createNotification', {}),
    await world.post('/api/createNotification', {}, { authorization }),
    await world.post('/api/unknown', {}),
    await fetch(`${world.url}/api/createNotification`),
  ];

  expect(answers.map(({ status }) => status)).toEqual([200, 400, 401, 400, 404, 405]);
  for (const { headers } of answers) {
    expect(headers.get('dowel-answer')).toBe('1');
    expect(headers.get('access-control-expose-headers')).toMatch(/\bDowel-Answer\b/);
  }
});

test.each([
  [{ recipientEmail: 'a@b.example' }, 'message: Give exactly one of message and messages'],
  [{ message: 'x' }, 'recipientEmail: Give exactly one of recipientEmail and recipientId'],
  [{ recipientEmail: 'nobody', message: 'x' }, 'recipientEmail: This is not an e-mail address'],
])('the notification %j is refused with the field that is wrong', async (body, message) => {
  const authorization = `Bearer ${await world.openSession(instanceId)}`;

  const response = await world.post('/api/createNotification', body, { authorization });

  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ code: 'BAD_REQUEST', message });
});
