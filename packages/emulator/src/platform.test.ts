import { once } from 'node:events';
import { connect } from 'node:net';
import { keyDocumentSchema } from '@dowel/schema';
import { decodeProtectedHeader } from 'jose';
import { expect, test } from 'vitest';
import { createPlatform, type Platform } from './platform.ts';
import { keyDocumentPath } from './signing-key.ts';
import { startWorld } from './testing/start-world.ts';

async function keyUrl(platform: Platform): Promise<string> {
  return String(decodeProtectedHeader(await platform.sign({})).jku);
}

test('the key document may be read by pages of any origin', async () => {
  await using world = await startWorld();

  const response = await fetch(await keyUrl(world.platform));

  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  const { alg, key } = keyDocumentSchema.parse(await response.json());
  expect(alg).toEqual({ name: 'RSASSA-PKCS1-v1_5', hash: { name: 'SHA-512' } });
  expect(key).toMatchObject({ kty: 'RSA', e: 'AQAB', alg: 'RS512', use: 'sig' });
});

test('the key file is named after the host with characters that are safe in a path', () => {
  expect(keyDocumentPath('http://localhost:4300', 'n')).toBe(
    '/certificates/localhost_4300_1b16b1df538ba12d.jwk.json',
  );
  expect(keyDocumentPath('http://[::1]:4300', 'n')).toMatch(/^\/certificates\/___1__4300_\w+\./);
});

test('tenants have stable ids and a base URL with a path', () => {
  const { tenants } = createPlatform({ origin: 'http://localhost:4300', keyBits: 2048 });

  expect(tenants.map(({ baseUrl }) => baseUrl)).toEqual([
    'http://localhost:4300/t/acme',
    'http://localhost:4300/t/globex',
  ]);
  expect(tenants[0]?.tenantId).toBe('3f0c2a52-9d0b-4a57-8a3e-5d1b6c7e8f01');
});

test.each(['localhost:4300', 'http://localhost:4300/', 'ftp://localhost', ''])(
  'the origin %j is a TypeError',
  (origin) => {
    expect(() => createPlatform({ origin })).toThrow(TypeError);
  },
);

test.each([
  ['/t/nobody/api/oauth/token', 'POST', 404],
  ['/t/acme/api/oauth/token', 'GET', 405],
  ['/certificates/other.jwk.json', 'GET', 404],
  ['/', 'GET', 404],
])('%s by %s is %i and JSON', async (path, method, status) => {
  await using world = await startWorld();

  const response = await fetch(`${world.platform.origin}${path}`, { method });

  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ code: expect.any(String), message: expect.any(String) });
});

test('a defect of the emulator is 500 without its text, and reported', async () => {
  const errors: unknown[] = [];
  const fault = new Error('secret detail');
  await using world = await startWorld({ onError: (error) => errors.push(error) });
  Object.defineProperty(world.platform.tenants[0], 'users', {
    get: () => {
      throw fault;
    },
  });

  const response = await fetch(`${world.platform.origin}/control/tenants`);

  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('secret');
  expect(errors).toEqual([fault]);
});

test('a sender that leaves in the middle of its body is not a defect of the emulator', async () => {
  const errors: unknown[] = [];
  await using world = await startWorld({ onError: (error) => errors.push(error) });
  const { hostname, port } = new URL(world.platform.origin);
  const head =
    'POST /control/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{';
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(head, resolve));
  await fetch(world.platform.origin);

  socket.resetAndDestroy();
  for (let round = 0; round < 20; round += 1) await fetch(world.platform.origin);

  expect(errors).toEqual([]);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 2 ** 31])(
  'a time of %s ms is refused',
  (ms) => {
    const origin = 'http://localhost:4300';
    expect(() => createPlatform({ origin, timeoutMs: ms })).toThrow(/^timeoutMs must be/);
    expect(() => createPlatform({ origin, resendDelaysMs: [0, ms] })).toThrow(
      /^resendDelaysMs must/,
    );
  },
);

test.each([0, 256, 1024, 2048.5, Number.NaN])('a key of %s bits is refused', (keyBits) => {
  const create = () => createPlatform({ origin: 'http://localhost:4300', keyBits });

  expect(create).toThrow(
    new TypeError(`keyBits must be a whole number of at least 2048, not ${keyBits}`),
  );
});
