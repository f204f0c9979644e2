import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PlatformJwtError, type PlatformJwtReason } from './errors.ts';
import { parseTrustRules } from './trust-rules.ts';
import { createPlatformJwtVerifier } from './verifier.ts';

const keyPair = await generateKeyPair('RS512', { extractable: true });
const strangerKeyPair = await generateKeyPair('RS512');
const tenantId = 'd290f1ee-6c54-4b01-90e6-d701748f0851';
const pluginId = '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de';

let keyHost: Server;
let origin: string;
let keyRequests: string[];

beforeAll(async () => {
  const jwk = { ...(await exportJWK(keyPair.publicKey)), alg: 'RS512', use: 'sig' };
  const document = { alg: { name: 'RSASSA-PKCS1-v1_5', hash: { name: 'SHA-512' } }, key: jwk };
  keyRequests = [];
  keyHost = createServer((request, response) => {
    keyRequests.push(request.url ?? '');
    if (request.url === '/keys/redirect.json') {
      response.writeHead(302, { location: '/keys/good.json' }).end();
    } else if (request.url === '/keys/weak.json') {
      response.end(JSON.stringify({ ...document, key: { ...jwk, e: 'AQ' } }));
    } else if (request.url === '/keys/endless.json') {
      response.end('x'.repeat(70_000));
    } else if (request.url?.startsWith('/keys/good')) {
      response.end(JSON.stringify(document));
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => keyHost.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(keyHost.address() as AddressInfo).port}`;
});

afterAll(() => {
  keyHost.close();
});

function createVerifier() {
  keyRequests.length = 0;
  return createPlatformJwtVerifier({
    trustRules: parseTrustRules(`https://*.platform.example=${origin}/keys/`),
  });
}

function installClaims(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const iat = Math.floor(Date.now() / 1000);
  return {
    iss: 'https://acme.platform.example',
    sub: 'install',
    iat,
    exp: iat + 60,
    tenantId,
    pluginId,
    ...changes,
  };
}

function sign(
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
  key = keyPair.privateKey,
): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS512', typ: 'JWT', jku: `${origin}/keys/good.json`, ...header })
    .sign(key);
}

async function reasonOf(verification: Promise<unknown>): Promise<PlatformJwtReason | 'accepted'> {
  try {
    await verification;
    return 'accepted';
  } catch (error) {
    if (error instanceof PlatformJwtError) return error.reason;
    throw error;
  }
}

function unsigned(header: object, claims: object, signature = ''): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${encode(header)}.${encode(claims)}.${signature}`;
}

describe('verifyEvent', () => {
  test('returns the claims of a signed event, unknown ones included', async () => {
    const event = await createVerifier().verifyEvent(
      await sign(installClaims({ tenantId: tenantId.toUpperCase(), flavour: 'new' })),
      'install',
    );

    expect(event).toMatchObject({ sub: 'install', tenantId, pluginId, flavour: 'new' });
  });

  test('three hundred events at a cold start load their key once', async () => {
    const verifier = createVerifier();
    const jwt = await sign(installClaims());

    await Promise.all(Array.from({ length: 300 }, () => verifier.verifyEvent(jwt, 'install')));

    expect(keyRequests).toEqual(['/keys/good.json']);
  });

  test('a changed payload is refused', async () => {
    const [header, , signature] = (await sign(installClaims())).split('.');
    const payload = Buffer.from(JSON.stringify(installClaims({ pluginId: tenantId })));
    const forged = `${header}.${payload.toString('base64url')}.${signature}`;

    expect(await reasonOf(createVerifier().verifyEvent(forged, 'install'))).toBe(
      'signature_invalid',
    );
  });

  test("a stranger's key is refused", async () => {
    const jwt = await sign(installClaims(), {}, strangerKeyPair.privateKey);

    expect(await reasonOf(createVerifier().verifyEvent(jwt, 'install'))).toBe('signature_invalid');
  });

  test.each(['none', 'NONE', 'nOnE', 'HS256', 'HS512', 'ES256', 'PS512'])(
    'alg %s is refused before any key is fetched',
    async (alg) => {
      const verifier = createVerifier();
      const jwt = unsigned({ alg, jku: `${origin}/keys/good.json` }, installClaims(), 'AAAA');

      expect(await reasonOf(verifier.verifyEvent(jwt, 'install'))).toBe('alg_not_allowed');
      expect(keyRequests).toEqual([]);
    },
  );

  test.each([
    { jwk: {} },
    { x5u: 'https://evil.example/' },
    { x5c: [] },
    { crit: ['x'], x: 1 },
    { b64: false },
  ])('the header %j is refused before any key is fetched', async (header) => {
    const verifier = createVerifier();
    const jku = `${origin}/keys/good.json`;
    const jwt = unsigned({ alg: 'RS512', jku, ...header }, installClaims(), 'AAAA');

    expect(await reasonOf(verifier.verifyEvent(jwt, 'install'))).toBe('header_not_allowed');
    expect(keyRequests).toEqual([]);
  });

  test.each([
    (jwt: string) => `${jwt}\n`,
    (jwt: string) => ` ${jwt}`,
    (jwt: string) => `${jwt}=`,
    (jwt: string) => `${jwt}.`,
    (jwt: string) => jwt.slice(0, jwt.lastIndexOf('.')),
    (jwt: string) => jwt.padEnd(16_385, 'A'),
    () => '',
  ])('another spelling of a good token is refused (%#)', async (respell) => {
    const jwt = respell(await sign(installClaims()));

    expect(await reasonOf(createVerifier().verifyEvent(jwt, 'install'))).toBe('bad_token_format');
  });

  test('key locations outside the rule are refused and never fetched', async () => {
    const verifier = createVerifier();
    const locations = [
      `https://evil.example/?${origin}/keys/good.json`,
      `${origin}.evil.example/keys/good.json`,
      `${origin.replace('http://', 'http://user@')}/keys/good.json`,
      `${origin}/uploads/good.json`,
      `${origin}/keys/../uploads/good.json`,
      `${origin}/keys/%2e%2e/uploads/good.json`,
      `${origin}/keys/good.json?x=1`,
      `${origin}/keys/good.json#x`,
      `${origin.toUpperCase()}/keys/good.json`,
      'file:///etc/passwd',
      'data:application/json,{}',
      undefined,
    ];

    for (const jku of locations) {
      const jwt = unsigned({ alg: 'RS512', jku }, installClaims(), 'AAAA');
      expect(await reasonOf(verifier.verifyEvent(jwt, 'install')), jku).toBe('jku_not_allowed');
    }
    expect(keyRequests).toEqual([]);
  });

  test.each([
    ['missing.json', 'key_fetch_failed'],
    ['redirect.json', 'key_fetch_failed'],
    ['endless.json', 'key_fetch_failed'],
    ['weak.json', 'key_not_acceptable'],
  ])('the key document %s ends in %s', async (name, reason) => {
    const jwt = await sign(installClaims(), { jku: `${origin}/keys/${name}` });

    expect(await reasonOf(createVerifier().verifyEvent(jwt, 'install'))).toBe(reason);
  });

  test('the key of one issuer does not speak for another', async () => {
    const jwt = await sign(installClaims({ iss: 'https://acme.other.example' }));

    expect(await reasonOf(createVerifier().verifyEvent(jwt, 'install'))).toBe(
      'issuer_key_mismatch',
    );
  });

  test("a user's init token is no event, whatever claims it carries", async () => {
    const jwt = await sign(installClaims({ sub: 'init' }));

    expect(await reasonOf(createVerifier().verifyEvent(jwt, 'install'))).toBe('sub_mismatch');
  });

  test.each([
    [{ exp: undefined }, 'claims_invalid'],
    [{ exp: 1e308 }, 'claims_invalid'],
    [{ iat: '1' }, 'claims_invalid'],
    [{ tenantId: [tenantId] }, 'claims_invalid'],
    [
      { iat: Math.floor(Date.now() / 1000) + 400, exp: Math.floor(Date.now() / 1000) + 460 },
      'not_yet_valid',
    ],
    [
      { iat: Math.floor(Date.now() / 1000) - 460, exp: Math.floor(Date.now() / 1000) - 400 },
      'expired',
    ],
  ])('claims %j are refused', async (changes, reason) => {
    const jwt = await sign(installClaims(changes));

    expect(await reasonOf(createVerifier().verifyEvent(jwt, 'install'))).toBe(reason);
  });
});

describe('verifyInit', () => {
  test('returns the claims of the signed-in user', async () => {
    const user = { 'ctx.tenantId': tenantId, 'ctx.userId': 'u-1', 'ctx.userName': 'Ada' };
    const jwt = await sign(installClaims({ sub: 'init', jti: 'nonce', ...user }));

    expect(await createVerifier().verifyInit(jwt)).toMatchObject(user);
  });

  test('an event is no init token', async () => {
    expect(await reasonOf(createVerifier().verifyInit(await sign(installClaims())))).toBe(
      'sub_mismatch',
    );
  });
});
