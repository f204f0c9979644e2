import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from './testing/start-world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

async function installEvent(pluginId = crypto.randomUUID()): Promise<string> {
  const iat = Math.floor(Date.now() / 1000);
  const iss = world.platform.tenants[0]?.baseUrl ?? '';
  const claims = { iss, sub: 'install', iat, exp: iat + 60, tenantId: world.tenantId, pluginId };
  return world.platform.sign(claims);
}

function send(body: string, contentType: string, headers: Record<string, string> = {}) {
  return fetch(`${world.url}/lifecycle/install`, {
    method: 'POST',
    headers: { 'content-type': contentType, ...headers },
    body,
  });
}

async function expectRefusal(response: Response, status: number): Promise<void> {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toContain('application/json');
  const { code, message } = (await response.json()) as { code: number; message: string };
  expect(code).toBeGreaterThanOrEqual(100);
  expect(code).toBeLessThan(600);
  expect(message.length).toBeLessThanOrEqual(200);
}

describe('an event is read', () => {
  test('from a form, from JSON and as a bare JWT', async () => {
    const form = new URLSearchParams({ token: await installEvent() }).toString();
    const json = JSON.stringify({ token: await installEvent() });

    for (const response of [
      await send(form, 'application/x-www-form-urlencoded'),
      await send(json, 'application/json; charset=utf-8'),
      await send(await installEvent(), 'application/jwt'),
    ]) {
      expect(response.status).toBe(201);
      expect(await response.json()).toEqual({});
    }
  });

  test('from one token only', async () => {
    const token = await installEvent();
    for (const response of [
      await send(`token=${token}&token=${token}`, 'application/x-www-form-urlencoded'),
      await send(JSON.stringify([token]), 'application/json'),
      await send(JSON.stringify({ token: [token] }), 'application/json'),
      await send('', 'application/x-www-form-urlencoded'),
    ]) {
      await expectRefusal(response, 400);
    }
  });

  test('never from the URL', async () => {
    const token = await installEvent();
    const response = await fetch(`${world.url}/lifecycle/install?token=${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });

    await expectRefusal(response, 400);
  });
});

describe('every answer is JSON', () => {
  test('for another media type, an encoded body and one that is too large', async () => {
    await expectRefusal(await send('token=x', 'text/plain'), 415);
    const gzip = { 'content-encoding': 'gzip' };
    await expectRefusal(await send('x', 'application/x-www-form-urlencoded', gzip), 415);
    await expectRefusal(await send('x'.repeat(40_000), 'application/jwt'), 413);
  });

  test('for another method, with Allow, and for an unknown event', async () => {
    const response = await fetch(`${world.url}/lifecycle/install`);
    expect(response.headers.get('allow')).toContain('POST');
    await expectRefusal(response, 405);
    await expectRefusal(await fetch(`${world.url}/lifecycle/unknown`, { method: 'POST' }), 404);
  });

  test.each([
    [
      'a header that is too large',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    ['a request that is no HTTP', 'HELLO\r\n\r\n', 400],
  ])('for %s', async (_, request, status) => {
    const answer = await exchangeRaw(request);

    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain('Content-Type: application/json');
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: status });
  });
});

test('the refusal tells nothing, the log tells why', async () => {
  world.logs.length = 0;

  const response = await send(`${await installEvent()}x`, 'application/jwt');

  expect(await response.json()).toEqual({ code: 401, message: 'The event was not accepted' });
  expect(world.logs.join('')).toContain('"msg":"event.refused"');
  expect(world.logs.join('')).toMatch(/"reason":"(signature_invalid|bad_token_format)"/);
});

function exchangeRaw(request: string): Promise<string> {
  const { hostname, port } = new URL(world.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request));
    let answer = '';
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text;
    });
    socket.on('end', () => resolve(answer)).on('error', reject);
  });
}
