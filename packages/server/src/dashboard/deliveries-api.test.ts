/** The dashboard's API about events: the list equals what was answered, and it holds no secret. */
import { randomUUID } from 'node:crypto';
import {
  type DeliveryDetail,
  deliveriesSchema,
  deliveryDetailSchema,
  listDeliveryLines,
  refusalsSchema,
} from '@dowel/admin-api';
import { type TestDatabaseKind, testDatabases } from '@dowel/installation-store/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { revealedSecrets } from '../testing/revealed-secrets.ts';
import { createInstallEvent, sendEvent } from '../testing/send-event.ts';
import { signInAs } from '../testing/sign-in-as.ts';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;

async function start(database?: TestDatabaseKind): Promise<string> {
  world = await startWorld({ ...(database && { database }), app: { proxyHops: 1 } });
  return world.signIn();
}

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

async function get(cookie: string, path: string) {
  const response = await fetch(`${world.url}/admin/api${path}`, { headers: { cookie } });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) as { code?: string } };
}

async function list(cookie: string, query = '') {
  await world.writeDeliveries();
  return deliveriesSchema.parse((await get(cookie, `/deliveries${query}`)).body).deliveries;
}

async function describeAll(cookie: string, query = ''): Promise<DeliveryDetail[]> {
  const rows = await list(cookie, query);
  const answers = await Promise.all(rows.map(({ id }) => get(cookie, `/deliveries/${id}`)));
  return answers.map(({ body }) => deliveryDetailSchema.parse(body));
}

const from = (address: string) => ({ 'x-forwarded-for': address });
const issuerOf = () => world.platform.tenants[0]?.baseUrl ?? '';

async function forge(jwt: Promise<string>): Promise<string> {
  const [header, payload] = (await jwt).split('.');
  return `${header}.${payload}.${Buffer.alloc(256, 7).toString('base64url')}`;
}

const secrets = {
  client_secret: 'canary client secret',
  authorization_code: 'canary-code',
  trigger: '{"token":"canary-trigger"}',
};

function createAccessEvent(claims: Record<string, unknown> = {}): Promise<string> {
  const { client_secret, authorization_code, trigger: body } = secrets;
  return createInstallEvent(world, {
    sub: 'access_token',
    base_url: issuerOf(),
    certificate: '-----BEGIN canary-certificate-----',
    client: {
      client_id: 'client',
      client_secret,
      authorization_code,
      token_endpoint_url: 'api/oauth/token?client_secret=canary-query',
      trigger_event: { url: 'api/trigger', method: 'POST', body },
    },
    ownerEmail: 'ada.canary@example.com',
    refreshHint: 'eyJhbGciOiJSUzI1NiJ9.canary.canary',
    ...claims,
  });
}

for (const database of testDatabases) {
  describe.skipIf(!database.isAvailable)(`the deliveries on ${database.name}`, () => {
    test('are what was answered, byte for byte, with the verdict and the claims', async () => {
      const cookie = await start(database);
      const { pluginId, installationId } = await world.install();
      const iat = Math.floor(Date.now() / 1_000);
      const install = await createInstallEvent(world, { pluginId });
      const posts: [string, string, Record<string, string>][] = [
        [install, 'install', {}],
        [install, 'install', {}],
        [await createAccessEvent({ pluginId }), 'access_token', {}],
        [await forge(createInstallEvent(world, { pluginId })), 'install', from('203.0.113.7')],
        [
          await createInstallEvent(world, { pluginId, iat: iat - 900, exp: iat - 800 }),
          'install',
          {},
        ],
        [
          await createInstallEvent(world, { sub: 'instance_add', instanceId: 'i' }),
          'instance_add',
          {},
        ],
        ['no form', 'install', { 'content-type': 'text/plain' }],
      ];
      const answers: { status: number; body: string; requestId: string | null }[] = [];
      const since = Date.now();
      for (const [jwt, name, headers] of posts) {
        const answer = await sendEvent(world, jwt, headers, name);
        const requestId = answer.headers.get('x-request-id');
        answers.push({ status: answer.status, body: await answer.text(), requestId });
      }

      const found = await describeAll(cookie, `?since=${since}&order=oldest`);

      expect(found.map(({ status, body, requestId }) => ({ status, body, requestId }))).toEqual(
        answers,
      );
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 400, 400, 400, 503, 415]);
      const { host, pathname } = new URL(issuerOf());
      const known = { installationId, isVerified: true, host: `${host}${pathname}` };
      const own = { ...known, isRepeat: false };
      const unknown = { installationId: null, isRepeat: false };
      expect(found).toMatchObject([
        { ...own, event: 'install', reason: null, sender: '', offBySeconds: null },
        { ...known, event: 'install', reason: null, isRepeat: true },
        { ...own, event: 'access_token', reason: 'relative_url_not_allowed' },
        { ...unknown, host, reason: 'signature_invalid', isVerified: false, sender: '203.0.113.7' },
        { ...own, reason: 'expired' },
        { ...unknown, host, reason: 'not_installed', isVerified: true, event: 'instance_add' },
        { ...unknown, host: '', reason: 'bad_media_type', isVerified: false, claims: null },
      ]);
      expect(found[4]?.offBySeconds).toBeGreaterThanOrEqual(800);
      expect(found[0]?.claims).toEqual(
        expect.arrayContaining([
          { name: 'sub', value: 'install' },
          { name: 'pluginId', value: pluginId },
        ]),
      );
      expect(found[2]?.claims).toEqual(
        expect.arrayContaining([
          { name: 'client.client_id', value: 'client' },
          { name: 'client.client_secret', value: null, masked: 'secret' },
          { name: 'client.token_endpoint_url', value: 'api/oauth/token' },
          { name: 'ownerEmail', value: null, masked: 'personal' },
        ]),
      );
    });

    test('a flood of a thousand forged events keeps ten rows, and pushes no other out', async () => {
      const cookie = await start(database);
      const { installationId } = await world.install();
      await sendEvent(world, await forge(createInstallEvent(world)));
      const before = await list(cookie);

      for (let round = 0; round < 10; round += 1) {
        await Promise.all(Array.from({ length: 100 }, () => sendEvent(world, 'a.b.c')));
        await world.writeDeliveries();
      }

      const after = await list(cookie, '?limit=200');
      const kept = after.filter(({ reason }) => reason === null || reason === 'signature_invalid');
      expect(kept).toEqual(before);
      expect(before.map((each) => each.installationId)).toContain(installationId);
      const ofReason = new Map<string | null, number>();
      for (const { reason } of after) ofReason.set(reason, (ofReason.get(reason) ?? 0) + 1);
      expect(ofReason.get('bad_token_format')).toBe(10);
      expect(after.length).toBeLessThanOrEqual(before.length + 20);
    }, 120_000);
  });
}

test('F35: no secret and no e-mail address is in an answer, the database, a file or the log', async () => {
  const cookie = await start();
  const { installationId } = await world.install();
  const revealed = await revealedSecrets(world.store, installationId);
  const event = await createAccessEvent();
  await sendEvent(world, event, {}, 'access_token');
  await sendEvent(world, await forge(Promise.resolve(event)), {}, 'access_token');
  await sendEvent(world, event, {}, 'install');

  const rows = await list(cookie);
  const details = await describeAll(cookie);

  const shown = [JSON.stringify([rows, details]), ...listDeliveryLines(rows, 'en'), ...world.logs];
  expect(details.flatMap(({ claims }) => claims ?? []).length).toBeGreaterThan(30);
  for (const secret of [...revealed, event, event.split('.')[1] ?? '']) {
    expect(shown.filter((text) => text.includes(secret))).toEqual([]);
  }
  expect(shown.filter((text) => text.includes('canary'))).toEqual([]);
});

test('F35: a viewer sees what was answered, without claims and senders', async () => {
  const owner = await start();
  const viewer = await signInAs(world, 'vic', 'viewer');
  await sendEvent(world, await forge(createInstallEvent(world)), from('203.0.113.7'));

  const [ofViewer] = await describeAll(viewer);
  const [ofOwner] = await describeAll(owner);

  expect(ofOwner).toMatchObject({ sender: '203.0.113.7' });
  expect(ofOwner?.claims?.length).toBeGreaterThan(3);
  expect(ofViewer).toEqual({ ...ofOwner, sender: '', claims: null });
});

test('a refused session is listed with the network of its sender only', async () => {
  const cookie = await start();
  const { instanceId } = await world.install();
  const initJwt = await world.createInitJwt(instanceId);
  await world.openSession(instanceId);
  await world.post('/api/session', { initJwt, instanceId: 'another' }, from('198.51.100.24'));

  const found = await describeAll(cookie, '?event=session');

  const host = new URL(issuerOf()).host;
  const sender = '198.51.100.0/24';
  const session = { event: 'session', host, sender, body: null, claims: null };
  expect(found).toMatchObject([{ ...session, reason: 'instance_unknown', status: 403 }]);
});

test('the page of a tenant names a clock that differs, until an event is accepted', async () => {
  const cookie = await start();
  const { pluginId, installationId } = await world.install();
  const iat = Math.floor(Date.now() / 1_000);
  const late = { pluginId, iat: iat + 700, exp: iat + 760 };
  const readSkew = async () => {
    await world.writeDeliveries();
    const { body } = await get(cookie, `/fleet/installations/${installationId}`);
    return (body as { clockSkew?: { offBySeconds: number } }).clockSkew;
  };
  expect(await readSkew()).toBeNull();

  await sendEvent(world, await createInstallEvent(world, late));
  const skew = await readSkew();
  expect(skew).toMatchObject({ event: 'install', reason: 'not_yet_valid' });
  expect(skew?.offBySeconds).toBeGreaterThan(600);

  await sendEvent(world, await createInstallEvent(world, { pluginId }));
  expect(await readSkew()).toBeNull();
});

test('each refusal is counted by reason, those of an installation too', async () => {
  const cookie = await start();
  await world.install();
  await sendEvent(world, await createAccessEvent(), {}, 'access_token');
  for (let count = 0; count < 3; count += 1) await sendEvent(world, 'no JWT at all');
  await world.writeDeliveries();

  const read = async (query = '') =>
    refusalsSchema.parse((await get(cookie, `/refusals${query}`)).body);
  const { reasons, now, from: begin } = await read();

  expect(reasons).toMatchObject([
    { reason: 'bad_token_format', count: 3 },
    { reason: 'relative_url_not_allowed', count: 1 },
  ]);
  expect(begin).toBeLessThanOrEqual(now - 86_400_000);
  expect((await read('?last=3600000')).from % 3_600_000).toBe(0);
});

test('I13: what is stored of a stranger’s issuer is a host, without path, query and user', async () => {
  const cookie = await start();
  for (const iss of [
    'https://evil.example/path-canary?query=canary',
    'https://Evil.Example/path-canary',
  ]) {
    await sendEvent(world, await forge(createInstallEvent(world, { iss })));
  }

  const rows = await list(cookie);

  expect(rows.map(({ host }) => host).toSorted()).toEqual(['', 'evil.example']);
  expect(JSON.stringify(rows)).not.toContain('canary');
});

test('deliveries reach the database when the server stops', async () => {
  const cookie = await start();
  await sendEvent(world, 'no JWT at all');
  await sendEvent(world, await createInstallEvent(world));

  await world.drain();

  const { body } = await get(cookie, '/deliveries');
  expect(deliveriesSchema.parse(body).deliveries.map(({ status }) => status)).toEqual([201, 400]);
});

test('I12: a database that hangs delays no answer', async () => {
  await start();
  const { add } = world.store.deliveries;
  world.store.deliveries.add = () => new Promise(() => undefined);
  await sendEvent(world, 'no JWT at all');
  void world.writeDeliveries();

  const statuses = [];
  for (let count = 0; count < 20; count += 1) {
    statuses.push((await sendEvent(world, 'no JWT at all')).status);
    statuses.push((await sendEvent(world, await createInstallEvent(world))).status);
    void world.writeDeliveries();
  }

  expect(new Set(statuses)).toEqual(new Set([400, 201]));
  world.store.deliveries.add = add;
});

test('wrong queries, unknown ids and a missing session are refused', async () => {
  const cookie = await start();
  for (const path of [
    '/refusals?last=x',
    '/refusals?last=1',
    '/refusals?last=99999999999',
    '/deliveries?since=x',
    '/deliveries?event=sign-in',
    '/deliveries?outcome=lost',
    '/deliveries?after=x',
    '/deliveries?installationId=a%00',
  ]) {
    const answer = { status: 400, body: { code: 'BAD_REQUEST' } };
    expect(await get(cookie, path), path).toMatchObject(answer);
  }
  expect((await get(cookie, `/deliveries/${randomUUID()}`)).status).toBe(404);
  expect((await get('', '/deliveries')).body.code).toBe('SIGN_IN_REQUIRED');
});
