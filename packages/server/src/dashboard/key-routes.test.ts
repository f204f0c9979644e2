/** Keys and trust in the dashboard's API. */
import { keysSchema } from '@dowel/admin-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { revealedSecrets } from '../testing/revealed-secrets.ts';
import { sendEvent } from '../testing/send-event.ts';
import { signInAs } from '../testing/sign-in-as.ts';
import { cookieOf, startWorld, type World } from '../testing/start-world.ts';

let world: World;

beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const read = (cookie: string) => fetch(`${world.url}/admin/api/keys`, { headers: { cookie } });

async function readKeys(cookie: string) {
  return keysSchema.parse(await (await read(cookie)).json());
}

test('without a session nothing is answered', async () => {
  expect((await read('')).status).toBe(401);
});

test('an operator reads which keys there are, what they protect, and whom Dowel trusts', async () => {
  const { installationId } = await world.install();
  const cookie = await signInAs(world, 'grace', 'operator');
  await expect.poll(async () => (await readKeys(cookie)).encryption.countedAt).not.toBeNull();

  const { encryption, rules, locations, process: own } = await readKeys(cookie);

  const grant = await world.store.grants.load(installationId);
  expect(encryption).toMatchObject({
    step: 'none',
    keys: [{ state: 'active', mayBeRemoved: false, id: expect.stringMatching(/^[\da-f]{8}$/) }],
  });
  expect(encryption.keys[0]?.values).toBeGreaterThan(2);
  const host = new URL(grant?.baseUrl ?? '').origin;
  expect(rules).toMatchObject([
    { issuer: host, location: `${host}/certificates/`, failure: null, pinned: null },
  ]);
  expect(locations).toMatchObject([
    { isProven: true, failure: null, keys: [{ algorithm: 'RS512', bits: 2048 }] },
  ]);
  expect(own.pid).toBe(process.pid);
});

test('F25: no stored secret is in the answer', async () => {
  const { installationId } = await world.install();
  const cookie = await world.signIn();
  const secrets = await revealedSecrets(world.store, installationId);

  const answer = await read(cookie);

  expect(answer.status).toBe(200);
  const text = await answer.text();
  expect(keysSchema.parse(JSON.parse(text)).encryption.keys).toHaveLength(1);
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/private|"d":|[\da-f]{8}\.[\w-]{20}/i);
});

test('F25: a viewer learns no host of keys, and no address of operators or senders', async () => {
  await using behindProxy = await startWorld({ app: { proxyHops: 1 } });
  const from = { 'x-forwarded-for': '203.0.113.7' };
  const viewer = await signInAs(behindProxy, 'vic', 'viewer');
  await sendEvent(behindProxy, 'no JWT at all', from);
  await behindProxy.writeDeliveries();
  const code = { code: behindProxy.signInCode };
  const owner = cookieOf(
    await behindProxy.post('/admin/api/session', code, { 'x-dowel-csrf': '1', ...from }),
  );
  const ask = async (path: string, cookie: string) => {
    const answer = await fetch(`${behindProxy.url}${path}`, { headers: { cookie } });
    return { status: answer.status, text: await answer.text() };
  };
  const paths = behindProxy.routes
    .filter(({ method, path }) => method === 'GET' && path.startsWith('/admin/api/'))
    .map(({ path }) => path)
    .filter((path) => !/:|changes|openapi|session\/oidc|export/.test(path));
  const addresses = /203\.0\.113\.|\/certificates\//;

  const told = [];
  for (const path of paths) {
    if (addresses.test((await ask(path, owner)).text)) told.push(path);
    const { text } = await ask(path, viewer);
    expect([path, addresses.exec(text)?.[0]]).toEqual([path, undefined]);
  }
  expect(told.toSorted()).toEqual(
    ['audit', 'deliveries', 'keys', 'sessions'].map((name) => `/admin/api/${name}`),
  );
  expect((await ask('/admin/api/keys', viewer)).status).toBe(403);
});
