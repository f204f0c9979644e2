/** Every route of the dashboard's API that changes something, called by an operator whose role does not allow it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signInAs } from '../testing/sign-in-as.ts';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** Everybody may sign in and out, choose a language, and set the password and end sessions of their own. */
const forEverybody = [
  'POST /session',
  'POST /session/password',
  'POST /session/language',
  'DELETE /session',
  'POST /sessions/:id/end',
  'POST /password-links/check',
  'POST /password-links/redeem',
  'POST /account/password',
];

const reason = 'asked by the tenant';

/** The body of each request; no route of an action is missing. */
const bodies: Record<string, object> = {
  'POST /accounts': { name: 'somebody', role: 'owner', reason },
  'POST /accounts/:name/password-link': { reason },
  'POST /accounts/:name/role': { role: 'owner', reason },
  'POST /accounts/:name/remove': { reason },
  'POST /users/erase': { userId: 'somebody', reason },
  'POST /installations/:id/actions/:name': { reason },
  'POST /alerts/channels/:channel/test': { reason },
  'POST /runs': { action: 'pause', reason, ids: ['some'] },
  'DELETE /runs/:id': {},
};

test('F21: each action that a viewer is refused has a row in the audit', async () => {
  const headers = { cookie: await signInAs(world, 'vic', 'viewer'), 'x-dowel-csrf': '1' };
  const actor = { who: 'ada', role: 'operator', way: 'page', from: null } as const;
  const ofNoAccount = { accountRevision: null, ids: ['some'] };
  await world.store.runs.begin({ id: 'run', action: 'ask', reason, actor, ...ofNoAccount });
  const actions = world.routes
    .filter(({ method, path }) => path.startsWith('/admin/api/') && !/GET|HEAD/.test(method))
    .map(({ method, path }) => `${method} ${path.slice('/admin/api'.length)}`)
    .filter((route) => !forEverybody.includes(route));
  expect(actions.toSorted()).toEqual(Object.keys(bodies).toSorted());

  for (const requested of actions) {
    const [method = '', path = ''] = requested.split(' ');
    const url = path.replace(/actions\/:name/, 'actions/pause').replace(/:channel/, 'mail');
    const answer = await fetch(`${world.url}/admin/api${url.replaceAll(/:(id|name)/g, 'run')}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(method === 'POST' && { body: JSON.stringify(bodies[requested]) }),
    });
    const { entries } = await world.store.audit.list({ who: 'vic', limit: 1 });
    expect([requested, answer.status, entries[0]?.result]).toEqual([requested, 403, 'refused']);
  }
  const { entries } = await world.store.audit.list({ who: 'vic', limit: 50 });
  expect(entries.filter(({ result }) => result === 'refused')).toHaveLength(actions.length);
});

test('F30: what a role forbids has one row a day for each action, which counts', async () => {
  const cookie = await signInAs(world, 'val', 'viewer');
  const headers = { cookie, 'x-dowel-csrf': '1' };
  const pause = (id: string, because: string) =>
    world.post(`/admin/api/installations/${id}/actions/pause`, { reason: because }, headers);

  for (let count = 0; count < 20; count += 1)
    await pause(`made-up-${count}`, 'x'.repeat(500 - count));
  await world.post('/admin/api/alerts/channels/mail/test', { reason }, headers);

  const { entries } = await world.store.audit.list({ who: 'val', limit: 50 });
  const refused = entries.filter(({ result }) => result === 'refused');
  expect(refused.map(({ action, count, reason: first }) => [action, count, first])).toEqual([
    ['test-alerts', 1, reason],
    ['pause', 20, 'x'.repeat(500)],
  ]);
  expect(refused[1]?.lastAt).toBeGreaterThanOrEqual(refused[1]?.at ?? Number.NaN);
  expect(entries).toHaveLength(3);
});

test('a refusal by the state of an installation has a row of its own each time', async () => {
  const cookie = await signInAs(world, 'ada', 'operator');
  const headers = { cookie, 'x-dowel-csrf': '1' };
  for (const id of ['one', 'two']) {
    await world.post(`/admin/api/installations/${id}/actions/pause`, { reason }, headers);
  }

  const { entries } = await world.store.audit.list({ who: 'ada', action: 'pause', limit: 50 });
  expect(entries.map(({ installationId, count }) => [installationId, count])).toEqual([
    ['two', 1],
    ['one', 1],
  ]);
});
