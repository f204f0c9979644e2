/** How operators sign in, and which sessions they see and end. */
import { auditListSchema, type OperatorRole, sessionListSchema } from '@dowel/admin-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashCheaply } from '../testing/hash-cheaply.ts';
import { cookieOf, startWorld, type World } from '../testing/start-world.ts';

const csrf = { 'x-dowel-csrf': '1' };
const password = 'four words will do';
const passwordHash = hashCheaply(password);
let world: World;

beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

function send(path: string, cookie = '', method = 'GET'): Promise<Response> {
  return fetch(`${world.url}/admin/api${path}`, { method, headers: { cookie, ...csrf } });
}

const tryPassword = (name: string, text: string) =>
  world.post('/admin/api/session/password', { name, password: text }, csrf);

async function signInAs(name: string, role: OperatorRole): Promise<string> {
  await world.store.accounts.addAccount({ name, role, createdAt: 1 });
  await world.store.accounts.changePassword(name, passwordHash);
  const answer = await tryPassword(name, password);
  expect(await answer.json()).toMatchObject({ name, role, method: 'password' });
  return cookieOf(answer);
}

const reason = 'a lost laptop';

const end = (id: string | undefined, cookie: string, body: object = { reason }) =>
  world.post(`/admin/api/sessions/${id}/end`, body, { cookie, ...csrf });

async function listSessions(cookie: string) {
  const { sessions } = sessionListSchema.parse(await (await send('/sessions', cookie)).json());
  return sessions;
}

test('a password signs in under the name and role of its account, and a page learns them', async () => {
  const cookie = await signInAs('ada', 'viewer');

  expect(await (await send('/session', cookie)).json()).toMatchObject({
    name: 'ada',
    role: 'viewer',
    method: 'password',
  });
});

test('the language that an operator chose is that of the next session, and of no other operator', async () => {
  const cookie = await signInAs('ada', 'viewer');
  const ofGrace = await signInAs('grace', 'viewer');
  expect(await (await send('/session', cookie)).json()).toMatchObject({ language: null });
  const choose = (language: string) =>
    world.post('/admin/api/session/language', { language }, { cookie, ...csrf });

  expect((await choose('de')).status).toBe(204);
  expect((await choose('fr')).status).toBe(400);

  expect(await (await tryPassword('ada', password)).json()).toMatchObject({ language: 'de' });
  expect(await (await send('/session', cookie)).json()).toMatchObject({ language: 'de' });
  expect(await (await send('/session', ofGrace)).json()).toMatchObject({ language: null });
});

test('F02: a wrong password and an unknown name get one answer, and the log has neither', async () => {
  await signInAs('ada', 'viewer');

  const answers = await Promise.all([
    tryPassword('ada', 'wrong canary text'),
    tryPassword('canary-name', password),
  ]);

  expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  const [one, other] = await Promise.all(answers.map((answer) => answer.text()));
  expect(one).toBe(other);
  const log = world.logs.join('');
  expect(log).toContain('operator.sign_in_refused');
  expect(log).not.toContain('canary');
});

test('a second one-time code signs a second operator in, without a restart', async () => {
  const first = await world.signIn();
  const code = await world.store.accounts.createSignInCode({
    name: 'grace',
    expiresAt: Date.now() + 60_000,
  });

  const second = cookieOf(await world.post('/admin/api/session', { code }, csrf));

  expect((await send('/session', first)).status).toBe(200);
  expect(await (await send('/session', second)).json()).toMatchObject({ name: 'grace' });
  expect(world.logs.join('')).not.toContain(code);
});

test('F05: a session ends at once when its account gets another role or password, or is removed', async () => {
  const { accounts } = world.store;
  const changes = {
    ada: () => accounts.changeRole('ada', 'owner'),
    grace: () => accounts.changePassword('grace', passwordHash),
    joan: () => accounts.removeAccount('joan'),
  };
  for (const [name, change] of Object.entries(changes)) {
    const cookie = await signInAs(name, 'operator');
    const stream = await send('/changes', cookie);

    await change();

    expect((await send('/session', cookie)).status).toBe(401);
    // The server ends the open stream, too.
    await stream.text();
  }
});

test('F12: operators see and end their own sessions; those of others do not exist for them', async () => {
  const cookie = await signInAs('ada', 'operator');
  const again = cookieOf(await tryPassword('ada', password));
  const ofGrace = await signInAs('grace', 'viewer');
  const [stranger] = await listSessions(ofGrace);

  const sessions = await listSessions(cookie);
  expect(sessions.map(({ name }) => name)).toEqual(['ada', 'ada']);
  const other = sessions.find(({ isCurrent }) => !isCurrent);

  expect((await end(stranger?.id, cookie)).status).toBe(404);
  expect((await end(other?.id, cookie)).status).toBe(204);
  expect((await send('/session', again)).status).toBe(401);
  expect((await send('/session', ofGrace)).status).toBe(200);
});

test('an owner sees and ends the sessions of all', async () => {
  const ofGrace = await signInAs('grace', 'viewer');
  const cookie = await world.signIn();

  const sessions = await listSessions(cookie);
  expect(sessions.map(({ name }) => name)).toEqual(['ada', 'grace']);

  const { id } = sessions[1] ?? {};
  expect((await end(id, cookie, {})).status).toBe(400);
  expect((await send('/session', ofGrace)).status).toBe(200);
  expect((await end(id, cookie)).status).toBe(204);
  expect((await send('/session', ofGrace)).status).toBe(401);
});

test('F07: another page cannot try passwords', async () => {
  const answer = await world.post('/admin/api/session/password', { name: 'ada', password }, {});

  expect(answer.status).toBe(403);
});

test('F21: the audit has each sign-in, sign-out and ended session, and no refused sign-in', async () => {
  const owner = await world.signIn();
  const cookie = await signInAs('grace', 'viewer');
  expect((await tryPassword('grace', 'not this one')).status).toBe(401);
  await send('/session', cookie, 'DELETE');
  await tryPassword('grace', password);
  const [session] = (await listSessions(owner)).filter(({ name }) => name === 'grace');
  await end(session?.id, owner);

  const { entries } = auditListSchema.parse(await (await send('/audit', owner)).json());

  expect(entries.map(({ who, action, target, result }) => [who, action, target, result])).toEqual([
    ['ada', 'end-session', 'grace', 'done'],
    ['grace', 'sign-in', 'password', 'done'],
    ['grace', 'sign-out', 'password', 'done'],
    ['grace', 'sign-in', 'password', 'done'],
    ['ada', 'sign-in', 'code', 'done'],
  ]);
  expect(entries[0]?.reason).toBe(reason);
});

test('F21: an attempt to end the session of somebody else is in the audit, with what was missing', async () => {
  const owner = await world.signIn();
  const cookie = await signInAs('grace', 'operator');
  const [session] = (await listSessions(owner)).filter(({ name }) => name === 'ada');

  expect((await end(session?.id, cookie)).status).toBe(404);

  expect((await send('/session', owner)).status).toBe(200);
  const { entries } = auditListSchema.parse(await (await send('/audit?who=grace', owner)).json());
  expect(entries[0]).toMatchObject({
    action: 'end-session',
    target: 'ada',
    result: 'refused',
    reason,
    meaning: { kind: 'role_missing', needed: 'owner', own: 'operator' },
  });
});

test('F25: the list shows each session’s device and address; to a viewer, the network', async () => {
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
  const cookie = await signInAs('grace', 'viewer');
  const credentials = { name: 'grace', password };
  const headers = { ...csrf, 'user-agent': userAgent };
  cookieOf(await world.post('/admin/api/session/password', credentials, headers));
  const owner = await world.signIn();

  const ofFirefox = { browser: 'Firefox', system: 'Linux' };
  const unknown = { browser: null, system: null };
  const network = '127.0.0.0/24';
  expect(await listSessions(cookie)).toMatchObject([
    { ...ofFirefox, address: network, isOwn: true, isCurrent: false },
    { ...unknown, address: network, isOwn: true, isCurrent: true },
  ]);
  const address = expect.stringMatching(/127\.0\.0\.1$/);
  expect(await listSessions(owner)).toMatchObject([
    { name: 'ada', address, isOwn: true, isCurrent: true },
    { name: 'grace', ...ofFirefox, address, isOwn: false, isCurrent: false },
    { name: 'grace', ...unknown, address, isOwn: false, isCurrent: false },
  ]);
});
