/** What one operator may do only so often, because each time leaves a row or sends a message. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { signInAs } from '../testing/sign-in-as.ts';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;
let now: number;
beforeEach(async () => {
  now = Date.now();
  world = await startWorld({ app: { now: () => now } });
});
afterEach(() => world[Symbol.asyncDispose]());

const csrf = { 'x-dowel-csrf': '1' };
const quarterMs = 15 * 60_000;

async function ask(cookie: string, path: string, body?: object): Promise<number> {
  const headers = { cookie, ...csrf };
  const answer = body
    ? await world.post(`/admin/api/${path}`, body, headers)
    : await fetch(`${world.url}/admin/api/${path}`, { headers });
  await answer.arrayBuffer();
  return answer.status;
}

test.each([
  ['exports', 20, (cookie: string) => ask(cookie, 'fleet/export?format=csv')],
  [
    'test messages',
    10,
    (cookie: string) => ask(cookie, 'alerts/channels/mail/test', { reason: 'a test' }),
  ],
] as const)('F30: %s: %i in a quarter of an hour', async (_, most, work) => {
  const ada = await signInAs(world, 'ada', 'operator');
  for (let count = 0; count < most; count += 1) {
    await expect.poll(() => work(ada), { interval: 5 }).not.toBe(409);
  }
  expect(await work(ada)).toBe(429);
  expect(await work(await signInAs(world, 'grace', 'operator'))).not.toBe(429);

  now += quarterMs;
  expect(await work(ada)).not.toBe(429);
});

test('F30: a name and password sign in 30 times in a quarter of an hour', async () => {
  await signInAs(world, 'ada', 'viewer');
  const body = { name: 'ada', password: 'four words will do' };
  const signIn = async () => (await world.post('/admin/api/session/password', body, csrf)).status;
  for (let count = 1; count < 30; count += 1) expect(await signIn()).toBe(201);

  expect(await signIn()).toBe(429);
  now += quarterMs;
  expect(await signIn()).toBe(201);
});
