import { randomUUID } from 'node:crypto';
import { refusalsSchema } from '@dowel/admin-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashToken } from '../sessions/opaque-token.ts';
import { createInstallEvent, sendEvent } from '../testing/send-event.ts';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;
let cookie: string;

beforeEach(async () => {
  world = await startWorld({ app: { proxyHops: 1 } });
  cookie = await world.signIn();
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

async function get(query = '', headers: Record<string, string> = { cookie }) {
  const response = await fetch(`${world.url}/admin/api/refusals${query}`, { headers });
  return { status: response.status, body: (await response.json()) as { code?: string } };
}

async function read(query = '') {
  await world.writeRefusals();
  return refusalsSchema.parse((await get(query)).body);
}

const from = (address: string) => ({ 'x-forwarded-for': address });

async function forge(jwt: Promise<string>): Promise<string> {
  const [header, payload] = (await jwt).split('.');
  return `${header}.${payload}.${Buffer.alloc(256, 7).toString('base64url')}`;
}

test('without a session it answers SIGN_IN_REQUIRED', async () => {
  expect(await get('', {})).toMatchObject({ status: 401, body: { code: 'SIGN_IN_REQUIRED' } });
});

test('a viewer may read the refusals', async () => {
  const token = randomUUID();
  const ahead = Date.now() + 60_000;
  await world.store.sessions.createAdminSession(hashToken(token), {
    id: randomUUID(),
    name: 'visitor',
    role: 'viewer',
    method: 'code',
    identity: { method: 'code', issuer: null, subject: 'visitor' },
    accountRevision: null,
    createdAt: Date.now(),
    expiresAt: ahead,
    idleAt: ahead,
    address: null,
    browser: null,
    system: null,
  });

  expect(await get('', { cookie: `dowel_admin=${token}` })).toMatchObject({
    status: 200,
    body: { reasons: [], last: [] },
  });
});

test('forged events are counted and kept with the issuer that they name and their sender', async () => {
  const issuer = new URL(world.platform.tenants[0]?.baseUrl ?? '').host;
  const before = Date.now();
  for (let count = 0; count < 3; count += 1) {
    await sendEvent(world, await forge(createInstallEvent(world)), from('203.0.113.7'));
  }
  await sendEvent(world, 'no JWT at all', from('2001:db8::7'));

  const { reasons, last, now, from: begin } = await read();

  expect(last.map((each) => ({ ...each, at: 0 }))).toEqual(
    expect.arrayContaining([
      {
        at: 0,
        reason: 'signature_invalid',
        kind: 'event',
        issuer,
        sender: '203.0.113.7',
        plugin: '',
      },
      {
        at: 0,
        reason: 'bad_token_format',
        kind: 'event',
        issuer: '',
        sender: '2001:db8:0:0::/64',
        plugin: '',
      },
    ]),
  );
  expect(last).toHaveLength(4);
  expect(reasons).toMatchObject([
    { reason: 'signature_invalid', count: 3 },
    { reason: 'bad_token_format', count: 1 },
  ]);
  expect(reasons[0]?.firstAt).toBeGreaterThanOrEqual(before);
  expect(reasons[0]?.lastAt).toBeLessThanOrEqual(now);
  expect(begin).toBeLessThanOrEqual(now - 86_400_000);
});

test('a refused session is kept with the network of its sender only', async () => {
  const { instanceId } = await world.install();
  const initJwt = await world.createInitJwt(instanceId);
  const body = { initJwt, instanceId: 'another' };
  await world.openSession(instanceId);
  await world.post('/api/session', body, from('198.51.100.24'));
  await world.post('/api/session', { initJwt: 'a.b.c', instanceId }, from('198.51.100.24'));

  const { last } = await read();

  const issuer = new URL(world.platform.tenants[0]?.baseUrl ?? '').host;
  const sender = '198.51.100.0/24';
  expect(last.map(({ reason, kind, issuer: named, sender: at }) => [reason, kind, named, at]))
    // Both came within a second.
    .toEqual(
      expect.arrayContaining([
        ['instance_unknown', 'session', issuer, sender],
        ['bad_token_format', 'session', '', sender],
      ]),
    );
});

test('a refusal that an installation has in its history is not counted, nor is what was accepted', async () => {
  const { pluginId } = await world.install();
  const iat = Math.floor(Date.now() / 1000) - 30;
  const uninstall = { sub: 'uninstall', pluginId, iat: iat + 60, exp: iat + 120 };
  await sendEvent(world, await createInstallEvent(world, uninstall), {}, 'uninstall');
  const late = await createInstallEvent(world, { pluginId, iat, exp: iat + 120 });
  expect((await sendEvent(world, late)).status).toBe(400);

  expect(await read()).toMatchObject({ reasons: [], last: [] });
});

test('I13: what is stored of a stranger is a host, without path, query and user', async () => {
  const claims = { iss: 'https://evil.example/path-canary?query=canary' };
  await sendEvent(world, await forge(createInstallEvent(world, claims)));
  await sendEvent(
    world,
    await forge(createInstallEvent(world, { iss: 'https://Evil.Example/path-canary' })),
  );

  const { last } = await read();

  expect(last.map(({ issuer }) => issuer).toSorted()).toEqual(['', 'evil.example']);
  expect(JSON.stringify(last)).not.toContain('canary');
});

test('counts reach the database when the server stops', async () => {
  await sendEvent(world, 'no JWT at all');

  await world.drain();

  expect((await get()).body).toMatchObject({
    reasons: [{ reason: 'bad_token_format', count: 1 }],
  });
});

test.each(['?last=x', '?last=1', '?last=99999999999'])(
  'the query %s is BAD_REQUEST',
  async (query) => {
    expect(await get(query)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  },
);

test('the counts begin with a whole hour', async () => {
  const now = Date.now();
  const begin = (await read('?last=3600000')).from;

  expect(begin % 3_600_000).toBe(0);
  expect(begin).toBeLessThanOrEqual(now);
  expect(begin).toBeGreaterThan(now - 7_200_000);
});

test('I12: a database that hangs delays no answer to a refused event', async () => {
  const { add } = world.store.refusals;
  world.store.refusals.add = () => new Promise(() => undefined);
  await sendEvent(world, 'no JWT at all');
  void world.writeRefusals();

  const statuses = [];
  for (let count = 0; count < 20; count += 1) {
    statuses.push((await sendEvent(world, 'no JWT at all')).status);
    void world.writeRefusals();
  }

  expect(statuses).toEqual(Array<number>(20).fill(400));
  world.store.refusals.add = add;
});
