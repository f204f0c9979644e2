/** An owner changes accounts and erases users in the dashboard, and the audit records it. */
import { randomUUID } from 'node:crypto';
import { accountListSchema, auditListSchema } from '@dowel/admin-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { signInAs } from '../testing/sign-in-as.ts';
import { startWorld, type World } from '../testing/start-world.ts';

const csrf = { 'x-dowel-csrf': '1' };
const reason = 'moved to another team';
let world: World;
let owner: string;

beforeEach(async () => {
  world = await startWorld();
  owner = await world.signIn();
});
afterEach(() => world[Symbol.asyncDispose]());

const read = (path: string, cookie = owner) =>
  fetch(`${world.url}/admin/api${path}`, { headers: { cookie } });

const change = (path: string, body: object, cookie = owner) =>
  world.post(`/admin/api/accounts/${path}`, body, { ...csrf, cookie });

/** Without the sign-ins. */
async function readAudit() {
  const { entries } = auditListSchema.parse(await (await read('/audit')).json());
  return entries.filter(({ action }) => action !== 'sign-in');
}

test('an owner sees the accounts, without anything of their passwords', async () => {
  await signInAs(world, 'grace', 'viewer');

  const text = await (await read('/accounts')).text();

  expect(accountListSchema.parse(JSON.parse(text)).accounts).toEqual([
    { name: 'grace', role: 'viewer', createdAt: 1, hasPassword: true, linkExpiresAt: null },
  ]);
  expect(text).not.toContain('scrypt');
});

test('F05, F21: another role ends the sessions of the account, and is in the audit', async () => {
  const cookie = await signInAs(world, 'grace', 'viewer');

  expect((await change('grace/role', { role: 'operator', reason })).status).toBe(204);

  expect((await read('/session', cookie)).status).toBe(401);
  expect((await world.store.accounts.findAccount('grace'))?.role).toBe('operator');
  expect(await readAudit()).toMatchObject([
    {
      action: 'change-role',
      target: 'grace',
      reason,
      result: 'done',
      detail: 'The role is operator.',
      meaning: { kind: 'role_given', role: 'operator' },
    },
  ]);
});

test('F05, F21: a removed account is signed out, and the audit keeps who removed it', async () => {
  const cookie = await signInAs(world, 'grace', 'owner');

  expect((await change('grace/remove', { reason })).status).toBe(204);

  expect((await read('/session', cookie)).status).toBe(401);
  expect(await world.store.accounts.listAccounts()).toEqual([]);
  expect(await readAudit()).toMatchObject([
    { action: 'remove-account', target: 'grace', role: 'owner', way: 'page', result: 'done' },
  ]);
});

test('F12: only owners see and change accounts', async () => {
  const cookie = await signInAs(world, 'grace', 'operator');

  const answers = [
    await read('/accounts', cookie),
    await change('grace/role', { role: 'owner', reason }, cookie),
    await change('grace/remove', { reason }, cookie),
  ];

  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
  expect((await world.store.accounts.findAccount('grace'))?.role).toBe('operator');
  const detail = 'This needs the role owner; yours is operator';
  const meaning = { kind: 'role_missing', needed: 'owner', own: 'operator' };
  expect(await readAudit()).toMatchObject([
    { action: 'remove-account', who: 'grace', target: 'grace', result: 'refused', detail, meaning },
    { action: 'change-role', who: 'grace', target: 'grace', result: 'refused', detail, meaning },
  ]);
});

test('F12: only an owner erases a user, whose id is in no row of the audit', async () => {
  const { installationId, instanceId } = await world.install();
  const tenantId = (await world.store.installations.get(installationId))?.tenantId;
  const [userId, tokenHash] = [randomUUID(), randomUUID()];
  const session = { installationId, generation: 1, userId, instanceId };
  const expiresAt = Date.now() + 60_000;
  await world.store.sessions.createPluginSession(tokenHash, { ...session, expiresAt }, 'jti');
  const find = () => world.store.sessions.findPluginSession(tokenHash, Date.now());
  const erase = async (cookie: string, body: object) => {
    const path = '/admin/api/users/erase';
    const answer = await world.post(path, { userId, reason, ...body }, { ...csrf, cookie });
    return [answer.status, await answer.json()];
  };
  const refused = [403, expect.objectContaining({ code: 'ROLE_MISSING' })];

  for (const role of ['viewer', 'operator'] as const) {
    expect(await erase(await signInAs(world, `a-${role}`, role), {})).toEqual(refused);
  }
  expect(await find()).toBeDefined();
  expect(await erase(owner, { reason: `asked by ${userId}` })).toMatchObject([400, {}]);
  expect(await erase(owner, { tenantId })).toEqual([200, { rows: 1 }]);
  expect(await find()).toBeUndefined();
  expect(await erase(owner, {})).toEqual([200, { rows: 0 }]);

  const rows = await readAudit();
  const target = world.store.operators.fingerprintOf(userId);
  const meaning = { kind: 'role_missing', needed: 'owner' };
  expect(JSON.stringify(rows)).not.toContain(userId);
  expect(rows).toMatchObject([
    { action: 'erase-user', target, result: 'unchanged', meaning: { kind: 'erased', count: 0 } },
    { target: `${target} ${tenantId}`, result: 'done', meaning: { kind: 'erased', count: 1 } },
    { target, who: 'a-operator', result: 'refused', meaning },
    { target, who: 'a-viewer', result: 'refused', meaning },
  ]);
});

test('a name or an id that nothing can have is not found, and is not kept', async () => {
  for (const text of ['i'.repeat(7_000), 'a%0D%0Ab', 'a%1B%5B2Kb']) {
    expect((await change(`${text}/remove`, { reason })).status).toBe(404);
    const path = `/admin/api/installations/${text}/actions/pause`;
    expect((await world.post(path, { reason }, { ...csrf, cookie: owner })).status).toBe(404);
  }
  expect(await readAudit()).toEqual([]);
});

test('an unknown account is refused, and so is a change without a reason', async () => {
  expect((await change('nobody/remove', { reason })).status).toBe(404);
  expect((await change('nobody/remove', { reason: '12' })).status).toBe(400);
  expect(await readAudit()).toMatchObject([{ target: 'nobody', result: 'refused' }]);
});
