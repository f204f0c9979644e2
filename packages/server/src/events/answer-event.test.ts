/** Events from strangers and from platforms: rows A14–A20, D01 and D15 of docs/threats.md. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Observation } from '../observation.ts';
import {
  createInstallEvent,
  exchangeRaw,
  expectRefusal,
  sendEvent,
} from '../testing/send-event.ts';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const json = { 'content-type': 'application/json; charset=utf-8' };

describe('an event is read', () => {
  test('from a form, from JSON and as a bare JWT', async () => {
    const asForm = new URLSearchParams({ token: await createInstallEvent(world) }).toString();
    const asJson = JSON.stringify({ token: await createInstallEvent(world) });

    for (const response of [
      await sendEvent(world, asForm, form),
      await sendEvent(world, asJson, json),
      await sendEvent(world, await createInstallEvent(world)),
    ]) {
      expect(response.status).toBe(201);
      expect(await response.json()).toEqual({});
    }
  });

  test('from JSON with further members beside the token (Spec §4.4)', async () => {
    const token = await createInstallEvent(world);
    const body = JSON.stringify({ event: 'install', token, data: { token: 'another' } });

    expect((await sendEvent(world, body, json)).status).toBe(201);
  });

  test('A14: from exactly one token, in the body', async () => {
    const token = await createInstallEvent(world);
    for (const response of [
      await sendEvent(world, `token=${token}&token=${token}`, form),
      await sendEvent(world, JSON.stringify([token]), json),
      await sendEvent(world, JSON.stringify({ token: [token] }), json),
      await sendEvent(world, '', form),
      await sendEvent(world, `${token}\n`),
    ]) {
      await expectRefusal(response, 400);
    }
    const inUrl = await fetch(`${world.url}/lifecycle/install?token=${token}`, {
      method: 'POST',
      headers: form,
    });
    await expectRefusal(inUrl, 400);
  });
});

describe('a JSON body that is ambiguous is refused', () => {
  const isRefused = async (response: Response) => {
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('a member with this name');
  };

  test('A14: an event with two token members, however they are spelled', async () => {
    const token = await createInstallEvent(world);
    await isRefused(await sendEvent(world, `{"token":"x","token":"${token}"}`, json));
    await isRefused(await sendEvent(world, `{"token":"${token}","token":"x"}`, json));
    await isRefused(await sendEvent(world, `{"token":"x","t\\u006fken":"${token}"}`, json));
  });

  test('A14: a session, a notification and a sign-in alike', async () => {
    const { instanceId } = await world.install();
    const initJwt = await world.createInitJwt(instanceId);
    const bearer = `Bearer ${await world.openSession(instanceId)}`;
    const post = (path: string, body: string, headers = {}) =>
      fetch(`${world.url}${path}`, { method: 'POST', headers: { ...json, ...headers }, body });

    const session = `{"initJwt":"x","initJwt":"${initJwt}","instanceId":"${instanceId}"}`;
    await isRefused(await post('/api/session', session));
    const notification = `{"recipientEmail":"a@b.example","recipientEmail":"${world.colleague.email}","message":"m"}`;
    await isRefused(await post('/api/createNotification', notification, { authorization: bearer }));
    const signIn = `{"code":"x","code":"${world.signInCode}"}`;
    await isRefused(await post('/admin/api/session', signIn, { 'x-dowel-csrf': '1' }));
  });
});

describe('every answer is JSON', () => {
  test('an install event is answered 201 with the JSON object {} and its content type', async () => {
    const token = await createInstallEvent(world);

    const response = await sendEvent(world, JSON.stringify({ token }), json);

    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toMatch(/^application\/json(?:;|$)/);
    expect(await response.text()).toBe('{}');
  });

  test('A15: for another media type, an encoded body, odd bytes and a body that is too large', async () => {
    const token = await createInstallEvent(world);
    await expectRefusal(await sendEvent(world, token, { 'content-type': 'text/plain' }), 415);
    await expectRefusal(
      await sendEvent(world, token, { 'content-type': 'multipart/form-data; boundary=x' }),
      415,
    );
    await expectRefusal(await sendEvent(world, token, { 'content-encoding': 'gzip' }), 415);
    expect((await sendEvent(world, token, { 'content-encoding': 'Identity' })).status).toBe(201);
    await expectRefusal(await sendEvent(world, '{"token":', json), 400);
    await expectRefusal(await sendEvent(world, 'x'.repeat(40_000)), 413);
  });

  test('A16: for another method, with Allow, and for an unknown event', async () => {
    const response = await fetch(`${world.url}/lifecycle/install`);
    expect(response.headers.get('allow')).toContain('POST');
    await expectRefusal(response, 405);
    await expectRefusal(await sendEvent(world, '', {}, 'unknown'), 404);
    for (const method of ['OPTIONS', 'PUT', 'DELETE', 'PATCH']) {
      await expectRefusal(await fetch(`${world.url}/lifecycle/install`, { method }), 405);
    }
  });

  test.each([
    [
      'a header that is too large',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    ['a request that is not HTTP', 'HELLO\r\n\r\n', 400],
    ['a request without Host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['an unsupported expectation', 'POST / HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n', 417],
    [
      'a chunk with a bag of extensions',
      `POST /lifecycle/install HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;${'x'.repeat(20_000)}`,
      413,
    ],
    [
      'two lengths of one body',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
  ])('A16: for %s, where no route ever comes', async (_, request, status) => {
    const answer = await exchangeRaw(world, request);

    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/Content-Type: application\/json/i);
    expect(answer).toContain(`{"code":${status},"message":"`);
  });
});

describe('a refusal', () => {
  test('A17: is the same whether the tenant exists or not', async () => {
    await world.install();
    const broken = (token: string) => {
      const middle = token.length - 100;
      const other = token[middle] === 'A' ? 'B' : 'A';
      return token.slice(0, middle) + other + token.slice(middle + 1);
    };
    const events = [
      (tenantId: string) => createInstallEvent(world, { tenantId, sub: 'uninstall' }),
      (tenantId: string) => createInstallEvent(world, { tenantId, exp: 1 }),
      (tenantId: string) => createInstallEvent(world, { tenantId, iat: 'now' }),
      async (tenantId: string) => broken(await createInstallEvent(world, { tenantId })),
    ];

    const bodies = [];
    for (const create of events) {
      for (const tenantId of [world.tenantId, crypto.randomUUID()]) {
        const response = await sendEvent(world, await create(tenantId));
        bodies.push(`${response.status} ${await response.text()}`);
      }
    }
    expect([...new Set(bodies)]).toEqual([
      '400 {"code":401,"message":"The event was not accepted"}',
    ]);
  });

  test('A18: is one log line, for any characters in the request', async () => {
    world.logs.length = 0;
    const jku = 'https://x.example/\r\n{"level":60,"msg":"forged"}';
    const header = Buffer.from(JSON.stringify({ alg: 'RS512', kid: 'x\r\nforged', jku }));

    await sendEvent(world, `${header.toString('base64url')}.e30.AAAA`, {
      'user-agent': 'x level=info forged',
    });

    const refused = world.logs.filter((line) => line.includes('event.refused'));
    expect(refused).toHaveLength(1);
    expect(refused[0]?.trimEnd()).not.toContain('\n');
    expect(world.logs.join('')).not.toContain('forged');
    expect(JSON.parse(refused[0] ?? '')).toMatchObject({ event: 'install', status: 400 });
  });

  test('D01: names the setting that would allow the API of the event, and the issuer that http and https mix up', async () => {
    world.logs.length = 0;
    const issuer = world.platform.tenants[0]?.baseUrl ?? '';
    const client = {
      client_id: 'c',
      client_secret: 's',
      authorization_code: 'a',
      token_endpoint_url: '/t',
    };
    const base_url = 'https://api.example.com/ctx';
    const event = await createInstallEvent(world, { sub: 'access_token', base_url, client });
    expect((await sendEvent(world, event, {}, 'access_token')).status).toBe(400);
    const https = issuer.replace('http:', 'https:');
    expect((await sendEvent(world, await createInstallEvent(world, { iss: https }))).status).toBe(
      400,
    );

    const refused = world.logs.filter((line) => line.includes('event.refused'));
    const { origin } = new URL(issuer);
    expect(refused.map((line) => JSON.parse(line) as object)).toMatchObject([
      {
        reason: 'base_url_not_allowed',
        issuer,
        apiOrigin: 'https://api.example.com',
        set: `DOWEL_API_ORIGINS=${origin}=https://api.example.com`,
        fix: expect.stringMatching(/^Set what this line has as set/),
      },
      {
        reason: 'issuer_key_mismatch',
        why: expect.stringMatching(/^No rule of DOWEL_TRUST names this issuer/),
        claimedIssuer: new URL(https).origin,
        trustedIssuer: origin,
        fix: expect.stringMatching(/^Only http and https differ/),
      },
    ]);
  });
});

test('A20: an event without jti and with unknown claims is accepted, and the unknown reported once', async () => {
  world.logs.length = 0;
  const claims = { jti: undefined, 'canary-name': 'canary', nested: { name: 'canary' } };

  for (const _ of [1, 2]) {
    const event = await createInstallEvent(world, claims);
    expect((await sendEvent(world, event)).status).toBe(201);
  }

  const drift = world.logs.filter((line) => line.includes('event.drift'));
  expect(drift.map((line) => JSON.parse(line) as object)).toMatchObject([
    { event: 'install', pointer: '/?', nameLength: 11, type: 'string' },
    { event: 'install', pointer: '/?', nameLength: 6, type: 'object' },
  ]);
  expect(world.logs.join('')).not.toContain('canary');
});

test('A20: a spelling that is understood is in the log and in the history, like an unknown member', async () => {
  await using world = await startWorld();
  const event = await createInstallEvent(world, { jti: 7 });

  expect((await sendEvent(world, event)).status).toBe(201);

  const drift = world.logs.filter((line) => line.includes('event.drift'));
  expect(drift.map((line) => JSON.parse(line) as object)).toMatchObject([
    { event: 'install', pointer: '/jti', type: 'unusable' },
  ]);
  const [installation] = await world.store.installations.listAfter('', 1);
  const facts = await world.store.reports.describe(installation?.id ?? '');
  expect(facts?.drift).toMatchObject([{ event: 'install', pointer: '/jti', type: 'unusable' }]);
});

test.each([
  ['the public URL', (url: string) => url, 201],
  ['the public URL with a slash', (url: string) => `${url}/`, 201],
  ['a list with it', (url: string) => ['x', url], 201],
  ['a path below it', (url: string) => `${url}/x`, 400],
  ['another host', () => 'https://other.example', 400],
])('A19: an event for %s is answered as it must be', async (_, audienceOf, status) => {
  const event = await createInstallEvent(world, { aud: audienceOf(world.url) });

  expect((await sendEvent(world, event)).status).toBe(status);
});

test('the history has the id of the request, and the drift without names and values', async () => {
  const event = await createInstallEvent(world, { nested: { canary: 'canary' } });

  const answer = await sendEvent(world, event);

  const { rows } = await world.store.reports.listFleet({ limit: 1, sort: 'began', now: 0 });
  const id = rows[0]?.id ?? '';
  const { entries } = await world.store.reports.listTimeline(id, { limit: 1, kinds: ['event'] });
  const facts = await world.store.reports.describe(id);
  const requestId = answer.headers.get('x-request-id');
  expect(entries).toMatchObject([{ entry: { detail: { requestId } } }]);
  expect(requestId).toMatch(/^[\da-f-]{36}$/);
  expect(facts?.drift).toMatchObject([{ event: 'install', pointer: '/?', type: 'object' }]);
  expect(JSON.stringify([entries, facts])).not.toContain('canary');
});

test('an observer hears of each event, also of one whose body cannot be read', async () => {
  const heard: Observation[] = [];
  await using world = await startWorld({ app: { observe: (each) => heard.push(each) } });

  await sendEvent(world, 'x', { 'content-type': 'text/plain' });
  await sendEvent(world, 'x'.repeat(40_000));
  await sendEvent(world, '{"token":', json);
  await sendEvent(world, 'no JWT at all');
  await sendEvent(world, await createInstallEvent(world));

  const common = { event: 'install', plugin: '', durationMs: expect.any(Number) };
  expect(heard.filter(({ type }) => type.startsWith('event.'))).toEqual([
    { ...common, type: 'event.refused', status: 415, reason: 'bad_media_type' },
    { ...common, type: 'event.refused', status: 413, reason: 'body_too_large' },
    { ...common, type: 'event.refused', status: 400, reason: 'bad_request' },
    { ...common, type: 'event.refused', status: 400, reason: 'bad_token_format' },
    { ...common, type: 'event.answered', status: 201, reason: null },
  ]);
});

test('D15: no address is made from the Host header', async () => {
  for (const path of ['/', '/admin', '/manifest.json']) {
    const answer = await exchangeRaw(
      world,
      `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).not.toContain('evil.example');
  }
});
