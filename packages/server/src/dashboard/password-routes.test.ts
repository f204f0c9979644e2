/** People set their passwords: by an owner's link, and in their own session. */
import {
  accountListSchema,
  auditListSchema,
  type PasswordLink,
  passwordLinkSchema,
} from '@dowel/admin-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { signInAs } from '../testing/sign-in-as.ts';
import { cookieOf, startWorld, type World } from '../testing/start-world.ts';

const hourMs = 3_600_000;
const csrf = { 'x-dowel-csrf': '1' };
const reason = 'a new colleague';
/** That of {@link signInAs}. */
const password = 'four words will do';
const newPassword = 'another few words';

let world: World;
let clock: { offsetMs: number };
let owner: string;

beforeEach(async () => {
  clock = { offsetMs: 0 };
  world = await startWorld({ app: { now: () => Date.now() + clock.offsetMs } });
  owner = await world.signIn();
});
afterEach(() => world[Symbol.asyncDispose]());

const post = (path: string, body: object, cookie = '') =>
  world.post(`/admin/api${path}`, body, { ...csrf, cookie });

const read = (path: string, cookie = owner) =>
  fetch(`${world.url}/admin/api${path}`, { headers: { cookie } });

const codeOf = ({ url }: PasswordLink) => new URL(url).hash.replace('#code=', '');

async function readLink(answer: Response): Promise<string> {
  expect(answer.status).toBe(201);
  const link = passwordLinkSchema.parse(await answer.json());
  expect(link.url).toMatch(new RegExp(`^${world.url}/admin/password#code=[\\w-]{43}$`));
  return codeOf(link);
}

const invite = async (name = 'grace') =>
  readLink(await post('/accounts', { name, role: 'viewer', reason }, owner));

const check = async (code: string) => (await post('/password-links/check', { code })).json();

const redeem = (code: string, text = newPassword) =>
  post('/password-links/redeem', { code, password: text });

const signIn = (name: string, text: string) => post('/session/password', { name, password: text });

/** Without the sign-ins. */
async function readAudit() {
  const { entries } = auditListSchema.parse(await (await read('/audit')).json());
  return entries.filter(({ action }) => action !== 'sign-in');
}

test('F04: an owner adds an account, and the person sets the password by the link and is signed in', async () => {
  const code = await invite('Grace@Example.com');
  const name = 'grace@example.com';
  expect(await check(code)).toMatchObject({ state: 'open', name });

  const answer = await redeem(code);

  const cookie = cookieOf(answer);
  expect(await answer.json()).toMatchObject({ name, role: 'viewer', method: 'password' });
  expect((await read('/session', cookie)).status).toBe(200);
  expect((await signIn(name, newPassword)).status).toBe(201);
  expect(await readAudit()).toMatchObject([
    {
      action: 'change-password',
      who: name,
      identity: { method: 'password', issuer: null, subject: name },
      target: name,
      way: 'page',
      result: 'done',
      meaning: { kind: 'by_link' },
    },
    { action: 'add-account', who: 'ada', target: name, reason, meaning: { kind: 'role_given' } },
  ]);
});

test('F04: nobody signs in to an account whose person has set no password', async () => {
  await invite();

  expect((await signIn('grace', 'four words will do')).status).toBe(401);
  const { accounts } = accountListSchema.parse(await (await read('/accounts')).json());
  expect(accounts).toMatchObject([{ name: 'grace', hasPassword: false }]);
  expect(accounts[0]?.linkExpiresAt).toBeGreaterThan(Date.now() + 71 * hourMs);
});

test('F04: a link works once, and says so', async () => {
  const code = await invite();
  const answers = await Promise.all([redeem(code), redeem(code)]);

  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 401]);
  expect(await check(code)).toEqual({ state: 'used' });
  expect((await redeem(code, 'some other words')).status).toBe(401);
  expect((await signIn('grace', 'some other words')).status).toBe(401);
});

test('F04: a link ends after 72 hours, and says so', async () => {
  const code = await invite();

  clock.offsetMs += 72 * hourMs + 1;

  expect(await check(code)).toEqual({ state: 'expired' });
  expect((await redeem(code)).status).toBe(401);
});

test('F04: a wrong link and one that a newer one replaced set nothing', async () => {
  const first = await invite();
  const second = await readLink(await post('/accounts/grace/password-link', { reason }, owner));

  expect(await check('x'.repeat(43))).toEqual({ state: 'unknown' });
  expect(await check(first)).toEqual({ state: 'unknown' });
  expect((await redeem(first)).status).toBe(401);
  expect((await redeem(second)).status).toBe(201);
});

test('F05: a link for another password ends the sessions of the account when it is used, not before', async () => {
  const cookie = await signInAs(world, 'grace', 'operator');
  const code = await readLink(await post('/accounts/grace/password-link', { reason }, owner));
  expect((await read('/session', cookie)).status).toBe(200);
  expect((await signIn('grace', password)).status).toBe(201);

  await redeem(code);

  expect((await read('/session', cookie)).status).toBe(401);
  expect((await signIn('grace', password)).status).toBe(401);
  expect(await readAudit()).toMatchObject([
    { action: 'change-password', who: 'grace' },
    { action: 'create-password-link', who: 'ada', target: 'grace', reason, result: 'done' },
  ]);
});

test('a short password is refused, and the link still works', async () => {
  const code = await invite();

  const refused = await redeem(code, 'canary');

  expect(refused.status).toBe(400);
  expect(await refused.text()).not.toContain('canary');
  expect((await redeem(code)).status).toBe(201);
});

test('F12: only an owner adds accounts and makes links', async () => {
  const cookie = await signInAs(world, 'grace', 'operator');

  const added = await post('/accounts', { name: 'eve', role: 'owner', reason }, cookie);
  const linked = await post('/accounts/grace/password-link', { reason }, cookie);

  expect([added.status, linked.status]).toEqual([403, 403]);
  expect(await world.store.accounts.findAccount('eve')).toBeUndefined();
  expect(await readAudit()).toMatchObject([
    { action: 'create-password-link', result: 'refused', meaning: { kind: 'role_missing' } },
    { action: 'add-account', result: 'refused', meaning: { kind: 'role_missing' } },
  ]);
});

test('an account that exists is not added again, and an unknown one gets no link', async () => {
  await invite();

  const again = await post('/accounts', { name: 'grace', role: 'owner', reason }, owner);
  const unknown = await post('/accounts/nobody/password-link', { reason }, owner);

  expect(again.status).toBe(409);
  expect(await again.json()).toMatchObject({ code: 'ACCOUNT_EXISTS' });
  expect(unknown.status).toBe(404);
  expect((await world.store.accounts.findAccount('grace'))?.role).toBe('viewer');
  expect(await readAudit()).toMatchObject([
    { action: 'create-password-link', result: 'refused', meaning: { kind: 'no_account' } },
    { action: 'add-account', result: 'refused', meaning: { kind: 'account_exists' } },
    { action: 'add-account', result: 'done' },
  ]);
});

test('no log line has a link or a password', async () => {
  const code = await invite();
  await redeem(code);
  await redeem(code);

  const log = world.logs.join('');
  expect(log).toContain('operator.sign_in_refused');
  expect(log).not.toContain(code);
  expect(log).not.toContain(newPassword);
});

test('F05: who changes the own password stays signed in, and the other sessions of the account end', async () => {
  const cookie = await signInAs(world, 'grace', 'viewer');
  const other = cookieOf(await signIn('grace', password));

  const answer = await post('/account/password', { password, newPassword }, cookie);

  expect(answer.status).toBe(204);
  expect((await read('/session', cookie)).status).toBe(200);
  expect((await read('/session', other)).status).toBe(401);
  expect((await read('/session', owner)).status).toBe(200);
  expect((await signIn('grace', password)).status).toBe(401);
  expect((await signIn('grace', newPassword)).status).toBe(201);
  expect(await readAudit()).toMatchObject([
    { action: 'change-password', who: 'grace', target: 'grace', result: 'done', meaning: null },
  ]);
});

test('F01: a wrong present password changes nothing, and counts as a failed sign-in', async () => {
  const cookie = await signInAs(world, 'grace', 'viewer');
  const change = (text: string) =>
    post('/account/password', { password: text, newPassword }, cookie);

  const refused = await change('not the present one');
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ code: 'PASSWORD_WRONG' });
  for (let count = 0; count < 9; count += 1) expect((await change('a guess')).status).toBe(403);

  expect((await change(password)).status).toBe(429);
  expect((await signIn('grace', password)).status).toBe(429);
  expect((await read('/session', cookie)).status).toBe(200);
  expect(await readAudit()).toEqual([]);
});

test('who signed in without a password has none to change', async () => {
  expect((await post('/account/password', { password, newPassword }, owner)).status).toBe(404);
});

test('F07: another page cannot use a link or change a password', async () => {
  for (const path of ['password-links/check', 'password-links/redeem', 'account/password']) {
    expect((await world.post(`/admin/api/${path}`, {}, { cookie: owner })).status).toBe(403);
  }
});
