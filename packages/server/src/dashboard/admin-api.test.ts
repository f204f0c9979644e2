import { installationDetailSchema, installationListSchema } from '@dowel/schema';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;

beforeEach(async () => {
  world = await startWorld();
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

const other = {
  issuer: 'https://other.example.com',
  tenantId: 'd290f1ee-6c54-4b01-90e6-d701748f0851',
  pluginId: '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de',
};

const csrf = { 'x-dowel-csrf': '1' };

async function signIn(): Promise<string> {
  const response = await world.post('/admin/api/session', { code: world.signInCode }, csrf);
  expect(response.status).toBe(201);
  return response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

function get(path: string, cookie = ''): Promise<Response> {
  return fetch(`${world.url}/admin/api${path}`, { headers: { cookie } });
}

test('the one-time code signs in once, into an HttpOnly strict cookie', async () => {
  const response = await world.post('/admin/api/session', { code: world.signInCode }, csrf);

  expect(response.headers.get('set-cookie')).toMatch(
    /^dowel_admin=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
  );
  const second = await world.post('/admin/api/session', { code: world.signInCode }, csrf);
  expect(second.status).toBe(401);
  expect(await second.json()).toMatchObject({ code: 'SIGN_IN_FAILED' });
});

test('a stranger who guesses does not lock the operator out', async () => {
  for (let count = 0; count < 20; count += 1) {
    const guess = await world.post('/admin/api/session', { code: `guess-${count}` }, csrf);
    expect(guess.status).toBe(401);
  }

  await signIn();
});

test('without a session every page of data answers SIGN_IN_REQUIRED', async () => {
  for (const path of ['/session', '/installations', '/installations/x', '/changes']) {
    const response = await get(path);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 'SIGN_IN_REQUIRED' });
  }
});

test('a request from another page changes nothing', async () => {
  const attempts: Record<string, string>[] = [
    {},
    { ...csrf, origin: 'https://evil.example' },
    { ...csrf, origin: 'null' },
  ];

  for (const headers of attempts) {
    const response = await world.post('/admin/api/session', { code: world.signInCode }, headers);
    expect(response.status).toBe(403);
  }
  await signIn();
});

test('signing out ends the session on the server', async () => {
  const cookie = await signIn();
  expect((await get('/session', cookie)).status).toBe(200);

  const headers = { cookie, ...csrf };
  const signedOut = await fetch(`${world.url}/admin/api/session`, { method: 'DELETE', headers });
  expect(signedOut.status).toBe(204);

  expect((await get('/session', cookie)).status).toBe(401);
});

test('the list and the detail of an installation hold what happened and no secret', async () => {
  const { installationId } = await world.install();
  const cookie = await signIn();

  const listText = await (await get('/installations', cookie)).text();
  const detailText = await (await get(`/installations/${installationId}`, cookie)).text();

  const list = installationListSchema.parse(JSON.parse(listText));
  expect(list.installations).toMatchObject([
    { status: 'active', grantedScopes: ['plugin:notify'], instanceCount: 1, hasRefreshToken: true },
  ]);
  const detail = installationDetailSchema.parse(JSON.parse(detailText));
  expect(detail.events.map(({ event, status }) => [event, status])).toEqual([
    ['instance_add', 201],
    ['access_token', 201],
    ['install', 201],
  ]);
  const grant = await world.store.grants.load(installationId);
  for (const secret of [grant?.accessToken, grant?.refreshToken, grant?.clientSecret]) {
    expect(listText + detailText).not.toContain(secret?.reveal());
  }
});

test('the list comes in pages, each with counts of all', async () => {
  await world.install();
  await world.store.installations.begin(other, 1, 1);
  const cookie = await signIn();

  const first = installationListSchema.parse(
    await (await get('/installations?limit=1', cookie)).json(),
  );
  const second = installationListSchema.parse(
    await (await get(`/installations?limit=1&after=${first.next}`, cookie)).json(),
  );

  expect(first.installations).toMatchObject([{ status: 'active' }]);
  expect(second).toMatchObject({ installations: [{ ...other, status: 'pending' }], next: null });
  const counts = { pending: 1, active: 1, awaiting_event: 0, uninstalled: 0, attention: 1 };
  expect(first.counts).toEqual({ ...counts, recentlyFailed: 0 });
  expect(second.counts).toEqual(first.counts);
});

test('the list is filtered and searched by its query', async () => {
  await world.install();
  await world.store.installations.begin(other, 1, 1);
  const cookie = await signIn();

  for (const query of [
    'status=pending',
    'status=attention',
    'search=other',
    `search=${other.tenantId}`,
  ]) {
    const response = await get(`/installations?${query}`, cookie);
    expect(await response.json()).toMatchObject({ installations: [other], next: null });
  }
});

test.each([
  ['limit=0', /^limit: /],
  ['limit=201', /^limit: /],
  ['limit=ten', /^limit: /],
  ['limit=1&limit=2', /^limit: /],
  ['status=gone', /^status: /],
  [`search=${'x'.repeat(2_049)}`, /^search: /],
  ['search=%00', /^search: must not hold a NUL/],
  ['after=nonsense', /^after /],
  [`after=${Buffer.from('[1]').toString('base64url')}`, /^after /],
])('a list asked for with %s is a BAD_REQUEST that names it', async (query, message) => {
  const response = await get(`/installations?${query}`, await signIn());

  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    code: 'BAD_REQUEST',
    message: expect.stringMatching(message),
  });
});

test('the stream names an installation that changed', async () => {
  const cookie = await signIn();
  const response = await get('/changes', cookie);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();

  const { installationId } = await world.install();

  let text = '';
  while (!text.includes('event: changed')) text += (await reader?.read())?.value ?? '';
  expect(text).toContain(`data: {"installationId":"${installationId}"}`);

  // The server ends the stream when it closes, so that a dashboard does not hold it up.
  world.announceStop();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read());
});
