import { afterEach, beforeEach, expect, test } from 'vitest';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;

beforeEach(async () => {
  world = await startWorld();
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

const csrf = { 'x-dowel-csrf': '1' };

function get(path: string, cookie = ''): Promise<Response> {
  return fetch(`${world.url}/admin/api${path}`, { headers: { cookie } });
}

test('F06: the one-time code signs in once, into an HttpOnly strict cookie', async () => {
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

  await world.signIn();
});

test('without a session every page of data answers SIGN_IN_REQUIRED', async () => {
  for (const path of ['/session', '/sessions', '/audit', '/changes']) {
    const response = await get(path);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 'SIGN_IN_REQUIRED' });
  }
});

test('F07, F29: a request from another page changes nothing', async () => {
  const attempts: Record<string, string>[] = [
    {},
    { ...csrf, 'sec-fetch-site': 'same-site' },
    { ...csrf, 'sec-fetch-site': 'cross-site' },
    { ...csrf, origin: 'https://evil.example' },
    { ...csrf, origin: 'null' },
  ];

  for (const headers of attempts) {
    const response = await world.post('/admin/api/session', { code: world.signInCode }, headers);
    expect(response.status).toBe(403);
  }
  await world.signIn();
});

test('F29: a request from another page reads nothing, whatever it asks for', async () => {
  const cookie = await world.signIn();
  const paths = world.routes
    .filter(({ method, path }) => method === 'GET' && path.startsWith('/admin/api/'))
    .map(({ path }) => path.replaceAll(/:\w+/g, 'x'))
    .filter((path) => path !== '/admin/api/session/oidc/callback');
  const statusOf = async (path: string, headers: Record<string, string>) => {
    const answer = await fetch(`${world.url}${path}`, { headers: { cookie, ...headers } });
    await answer.body?.cancel();
    return answer.status;
  };
  expect(paths.length).toBeGreaterThan(15);

  for (const path of paths) {
    for (const site of ['same-site', 'cross-site']) {
      expect([path, await statusOf(path, { 'sec-fetch-site': site })]).toEqual([path, 403]);
    }
    expect([path, await statusOf(path, { origin: 'null' })]).toEqual([path, 403]);
  }
  for (const site of ['same-origin', 'none']) {
    expect(await statusOf('/admin/api/session', { 'sec-fetch-site': site })).toBe(200);
  }
});

test('a dashboard that was opened at another address says where to open it', async () => {
  const origin = world.url.replace('127.0.0.1', 'localhost');
  const messages: string[] = [];
  for (const headers of [{ ...csrf, origin }, { origin }]) {
    const response = await world.post('/admin/api/session', { code: world.signInCode }, headers);
    const { code, message } = (await response.json()) as { code: string; message: string };
    expect(code).toBe('CSRF');
    messages.push(message);
  }

  const fix = `Open the dashboard at ${world.url}/admin/, or correct DOWEL_PUBLIC_URL or DOWEL_ADMIN_ORIGIN`;
  expect(messages[0]).toContain(fix);
  expect(messages[1]).not.toContain('Open');
});

test('signing out ends the session on the server', async () => {
  const cookie = await world.signIn();
  expect((await get('/session', cookie)).status).toBe(200);

  const headers = { cookie, ...csrf };
  const signedOut = await fetch(`${world.url}/admin/api/session`, { method: 'DELETE', headers });
  expect(signedOut.status).toBe(200);
  expect(await signedOut.json()).toEqual({ continueAt: null });

  expect((await get('/session', cookie)).status).toBe(401);
});

test('the stream names an installation that changed', async () => {
  const cookie = await world.signIn();
  const response = await get('/changes', cookie);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();

  const { installationId } = await world.install();

  let text = '';
  while (!text.includes(`"id":"${installationId}"`)) text += (await reader?.read())?.value ?? '';
  expect(text).toContain('event: changed');

  // The server ends the stream when it closes, so a dashboard does not delay the stop.
  world.announceStop();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read());
});

/** A code as a command writes it to the database. */
const codeOfCommand = () =>
  world.store.accounts.createSignInCode({ name: 'night.desk', expiresAt: Date.now() + 60_000 });

test('F33: a command acts as an owner by a one-time code, which counts for one request', async () => {
  const { installationId } = await world.install();
  const code = await codeOfCommand();
  const pause = (headers: Record<string, string>) =>
    world.post(
      `/admin/api/installations/${installationId}/actions/pause`,
      { reason: 'the tenant asked for it' },
      { authorization: `Bearer ${code}`, ...headers },
    );

  expect((await pause({})).status).toBe(403);
  expect((await pause(csrf)).status).toBe(200);
  const again = await pause(csrf);

  expect(again.status).toBe(401);
  expect(await again.json()).toMatchObject({ code: 'SIGN_IN_FAILED' });
  const { entries } = await world.store.audit.list({ limit: 9 });
  expect(entries).toMatchObject([
    { who: 'night.desk', role: 'owner', way: 'cli', identity: null, action: 'pause' },
  ]);
  expect(world.logs.join()).not.toContain(code);
});

test('F33: a stream that a command opens ends at once', async () => {
  for (const path of ['/changes', '/fleet/export?format=json']) {
    const headers = { authorization: `Bearer ${await codeOfCommand()}` };
    const response = await fetch(`${world.url}/admin/api${path}`, { headers });

    const whole = await response.text().catch(() => '');
    expect(whole).not.toContain(']}');
  }
});
