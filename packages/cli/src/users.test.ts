/** `dowel users` and `dowel sign-in` on a real database. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@dowel/installation-store';
import { Secret } from '@dowel/schema';
import { createServer } from '@dowel/server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { callCommand } from './testing/call-command.ts';
import { openNewStore } from './testing/open-new-store.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-cli-'));
  store = await openNewStore(folder);
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

function dowel(command: string, settings: Record<string, string> = {}) {
  return callCommand({ args: command.split(' '), folder, settings });
}

const linkPattern = /http:\/\/localhost:4310\/admin\/password#code=([\w-]{43})\n$/;
const codeIn = (out: string) => linkPattern.exec(out)?.[1] ?? '';

test('an account is added, listed, changed and removed', async () => {
  const { accounts } = store;
  const added = await dowel('users add Ada@example.com operator');
  expect(added).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Added ada@example\.com as operator\. Within 72 hours/),
  });
  expect((await dowel('users list')).out).toMatch(
    /^operator +since \d{4}-\d\d-\d\dT[\d:.]+Z +ada@example\.com {2}\(no password yet\)\n$/,
  );

  expect((await dowel('users role ada@example.com viewer')).code).toBe(0);
  expect(await accounts.findAccount('ada@example.com')).toMatchObject({ role: 'viewer' });

  expect((await dowel('users remove ada@example.com')).code).toBe(0);
  expect(await dowel('users list')).toMatchObject({ code: 0, out: 'There is no account.\n' });
});

test('F04: the link of an account sets its password once, within 72 hours', async () => {
  const { accounts } = store;
  const code = codeIn((await dowel('users add ada operator')).out);
  const late = Date.now() + 72 * 3_600_000;
  const set = (at: number) => accounts.redeemPasswordLink(code, new Secret('hash'), at);

  expect(await set(late)).toBeUndefined();
  expect(await set(late - 60_000)).toMatchObject({ name: 'ada', role: 'operator' });
  expect(await set(late - 60_000)).toBeUndefined();
  expect((await dowel('users list')).out).toMatch(/ada\n$/);
});

test('"users password" prints a link that replaces the one before it', async () => {
  const first = codeIn((await dowel('users add ada operator')).out);

  const second = codeIn((await dowel('users password ada')).out);

  const stateOf = (code: string) => store.accounts.findPasswordLink(code, Date.now());
  expect(await stateOf(first)).toEqual({ state: 'unknown' });
  expect(await stateOf(second)).toMatchObject({ state: 'open', name: 'ada' });
});

test('each change of an account and each link is in the audit', async () => {
  await dowel('users add ada operator');
  await dowel('users role ada viewer');
  await dowel('users password ada');
  await dowel('users remove ada');
  await dowel('users remove ada');
  await dowel('sign-in');

  const { entries } = await store.audit.list({ limit: 50 });
  expect(
    entries.map(({ action, target, result, detail }) => [action, target, result, detail]),
  ).toEqual([
    ['create-sign-in-link', null, 'done', null],
    ['remove-account', 'ada', 'refused', 'There is no such account.'],
    ['remove-account', 'ada', 'done', null],
    ['create-password-link', 'ada', 'done', null],
    ['change-role', 'ada', 'done', 'The role is viewer.'],
    ['add-account', 'ada', 'done', 'The role is operator.'],
  ]);
  expect(entries.map(({ meaning }) => meaning)).toEqual([
    null,
    { kind: 'no_account' },
    null,
    null,
    { kind: 'role_given', role: 'viewer' },
    { kind: 'role_given', role: 'operator' },
  ]);
  for (const { who, way } of entries) expect([who, way]).toEqual([userInfo().username, 'cli']);
});

test.each([
  ['users add ada king', 2, /^ROLE must be viewer \| operator \| owner/],
  ['users add a/b owner', 2, /^NAME must/],
  ['users role ada owner', 1, /^There is no account ada\./],
  ['users role ada king', 2, /^ROLE must be viewer \| operator \| owner/],
  ['users password ada', 1, /^There is no account ada\./],
  ['users password a/b', 2, /^NAME must/],
  ['users remove ada', 1, /^There is no account ada\./],
])('"%s" is refused, and changes nothing', async (command, code, message) => {
  const refused = await dowel(command);

  expect(refused).toMatchObject({ code, out: '' });
  expect(refused.err).toMatch(message);
  expect(await store.accounts.listAccounts()).toEqual([]);
  const { entries } = await store.audit.list({ limit: 50 });
  expect(entries.filter(({ result }) => result !== 'refused')).toEqual([]);
});

test('an account is not added when no link could lead to the dashboard', async () => {
  const refused = await dowel('users add ada viewer', { DOWEL_PUBLIC_URL: 'polls.example.com' });

  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(await store.accounts.listAccounts()).toEqual([]);
});

test('an account that exists is not added again', async () => {
  await dowel('users add ada viewer');

  const again = await dowel('users add ADA owner');

  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('ada already') });
  expect(await store.accounts.listAccounts()).toMatchObject([{ role: 'viewer' }]);
});

test('a password as an argument is misuse, and is not repeated', async () => {
  const misused = await dowel('users password ada my-secret-password');

  expect(misused.code).toBe(2);
  expect(misused.err).toContain('"users password" takes NAME.');
  expect(misused.err).not.toContain('my-secret-password');
});

test('F04: sign-in prints a link whose code a running process takes, once, within ten minutes', async () => {
  const printed = await dowel('sign-in', { DOWEL_PUBLIC_URL: 'https://polls.example.com/base/' });
  const [, code = ''] =
    /^https:\/\/polls\.example\.com\/base\/admin\/sign-in#code=([\w-]{43})\n$/.exec(printed.out) ??
    [];
  const late = Date.now() + 10 * 60_000;

  expect(await store.accounts.redeemSignInCode(code, late)).toBeUndefined();
  expect(await store.accounts.redeemSignInCode(code, late - 60_000)).toBeDefined();
  expect(await store.accounts.redeemSignInCode(code, late - 60_000)).toBeUndefined();
});

test('sign-in knows the address that only the code of the back end has', async () => {
  expect((await dowel('sign-in')).out).toContain('http://localhost:4310/admin/sign-in#code=');
  const server = createServer({
    manifest: new URL('../../../manifest.json', import.meta.url).pathname,
    publicUrl: 'https://polls.example.com/base/',
    database: { path: join(folder, 'dowel.sqlite') },
    keyFile: { path: join(folder, 'encryption.key'), production: false },
    trust: 'https://*.example.com=https://keys.example.com/',
    environment: {},
  });
  await server.open();
  await server.close();

  const { out } = await dowel('sign-in');
  expect(out).toContain('https://polls.example.com/base/admin/sign-in#code=');
  const elsewhere = await dowel('sign-in', { DOWEL_PORT: '4999' });
  expect(elsewhere.out).toContain('http://localhost:4999/admin/sign-in#code=');
  const own = await dowel('sign-in', { DOWEL_ADMIN_ORIGIN: 'https://admin.example.com' });
  expect(own.out).toContain('https://admin.example.com/base/admin/sign-in#code=');
});

test.each([
  [{ DOWEL_PUBLIC_URL: 'polls.example.com' }, /^DOWEL_PUBLIC_URL must be an http\(s\) URL/],
  [{ DOWEL_PORT: 'abc' }, /^DOWEL_PORT must be the port/],
  [{ DOWEL_PORT: '0' }, /^DOWEL_PORT must be the port of the back end.*set DOWEL_PUBLIC_URL/],
])('sign-in prints no link that leads nowhere: %o', async (settings, message) => {
  expect(await dowel('sign-in', settings)).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(message),
  });
});

test('sign-in needs a database', async () => {
  const refused = await dowel('sign-in', { DOWEL_DATA_DIR: join(folder, 'elsewhere') });

  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toMatch(/^There is no database/);
});
