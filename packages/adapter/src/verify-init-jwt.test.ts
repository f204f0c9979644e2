import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  createKeyPair,
  hostOrigin,
  type InitJwtOptions,
  type KeyServer,
  keyDocument,
  signInitJwt,
  startKeyServer,
} from './fake-platform.ts';
import { verifyInitJwt } from './verify-init-jwt.ts';

const keyPair = await createKeyPair();
const document = await keyDocument(keyPair);
const jti = '0123456789abcdef0123456789abcdef';
const seconds = Math.floor(Date.now() / 1000);

let server: KeyServer;

beforeAll(async () => {
  server = await startKeyServer((_request, response) => response.end(document));
});

afterAll(() => server[Symbol.asyncDispose]());

function verify(initJwt: string) {
  return verifyInitJwt(initJwt, {
    jti,
    origin: hostOrigin,
    keyOrigins: [server.origin],
    clockToleranceMs: 300_000,
    now: Date.now,
    fetch,
    signal: new AbortController().signal,
  });
}

function sign({ claims, header }: InitJwtOptions) {
  return signInitJwt(keyPair, `${server.origin}/key.json`, {
    claims: { jti, ...claims },
    ...(header && { header }),
  });
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

async function forge(header: object): Promise<string> {
  const [, payload, signature] = (await sign({})).split('.');
  return `${encode(header)}.${payload}.${signature}`;
}

describe('the signature', () => {
  test('makes a token believed when it fits', async () => {
    await expect(verify(await sign({}))).resolves.toMatchObject({ sub: 'init', jti });
  });

  test.each(['none', 'HS256', 'HS512', 'PS512', 'ES256', 'RS368', 'rs512', ['RS512'], null])(
    'with the algorithm %j is refused before a key is loaded',
    async (alg) => {
      const before = server.requests.length;
      const forged = await forge({ alg, jku: `${server.origin}/key.json` });
      await expect(verify(forged)).rejects.toMatchObject({ code: 'ERR2' });
      expect(server.requests).toHaveLength(before);
    },
  );

  test('is required: an unsecured token is refused', async () => {
    const unsecured = new UnsecuredJWT({ jti, sub: 'init', iss: hostOrigin }).encode();
    await expect(verify(unsecured)).rejects.toMatchObject({ code: 'ERR2' });
  });

  test('made with an HMAC over the public key is refused', async () => {
    const forged = await new SignJWT({ jti, sub: 'init', iss: hostOrigin })
      .setProtectedHeader({ alg: 'HS256', jku: `${server.origin}/key.json` })
      .sign(Uint8Array.from(Buffer.from(document)));
    await expect(verify(forged)).rejects.toMatchObject({ code: 'ERR2' });
  });

  test("made with an algorithm other than the key's is refused", async () => {
    const forged = await forge({ alg: 'RS256', jku: `${server.origin}/key.json` });
    await expect(verify(forged)).rejects.toMatchObject({ code: 'ERR2' });
  });

  test('of another key is refused', async () => {
    const foreign = await signInitJwt(await createKeyPair(), `${server.origin}/key.json`, {
      claims: { jti },
    });
    await expect(verify(foreign)).rejects.toMatchObject({ code: 'ERR2' });
  });

  test.each(['crit', 'b64', 'zip', 'jwk', 'x5c', 'x5u', 'x5t', 'x5t#S256'])(
    'with the header parameter %s is refused',
    async (name) => {
      const forged = await forge({ alg: 'RS512', jku: `${server.origin}/key.json`, [name]: null });
      await expect(verify(forged)).rejects.toMatchObject({ code: 'ERR2' });
    },
  );

  test('needs exactly three parts', async () => {
    const initJwt = await sign({});
    await expect(verify(`${initJwt}.`)).rejects.toMatchObject({ code: 'ERR2' });
    await expect(verify(initJwt.slice(0, initJwt.lastIndexOf('.')))).rejects.toMatchObject({
      code: 'ERR2',
    });
  });

  test('is read strictly: padding and blanks are not base64url', async () => {
    await expect(verify(`${await sign({})}==`)).rejects.toThrow(SyntaxError);
    await expect(verify(`${await sign({})} `)).rejects.toThrow(SyntaxError);
  });
});

describe('the claims', () => {
  const evil = 'https://evil.example';
  test.each([
    ['another subject', { sub: 'install' }, 'ERR3'],
    ['another nonce', { jti: 'another' }, 'ERR3'],
    ['another issuer', { iss: evil }, 'ERR3'],
    ['an issuer that only begins like the host', { iss: `${hostOrigin}.evil.example` }, 'ERR3'],
    ['an issuer that is no web address', { iss: 'blob:https://tenant.example/1' }, 'ERR3'],
    ['an expiry just past the tolerance', { exp: seconds - 301 }, 'ERR4'],
    ['an expiry in milliseconds of the past century', { exp: 1 }, 'ERR4'],
    ['a start just past the tolerance', { nbf: seconds + 330 }, 'ERR5'],
    ['an issue time just past the tolerance', { iat: seconds + 330 }, 'ERR5'],
    ['an expiry that is no number', { exp: '9999999999' }, 'ERR3'],
    ['a user id that is no text', { 'ctx.userId': 7 }, 'ERR3'],
  ])('with %s are refused', async (_what, claims, code) => {
    const initJwt = await sign({ claims: claims as NonNullable<InitJwtOptions['claims']> });
    await expect(verify(initJwt)).rejects.toMatchObject({ code });
  });

  test('may be off by what a wrong clock explains', async () => {
    const early = { nbf: seconds + 290, iat: seconds + 290, exp: seconds + 350 };
    const late = { iat: seconds - 350, exp: seconds - 290 };
    await expect(verify(await sign({ claims: early }))).resolves.toMatchObject(early);
    await expect(verify(await sign({ claims: late }))).resolves.toMatchObject(late);
  });

  test('fit an issuer with a path, for its origin is what counts', async () => {
    const iss = `${hostOrigin}/home`;
    await expect(verify(await sign({ claims: { iss } }))).resolves.toMatchObject({ iss });
  });

  test('leave prototypes alone', async () => {
    const initJwt = await sign({ claims: { 'ctx.__proto__.isAdmin': true } });
    await expect(verify(initJwt)).rejects.toMatchObject({ code: 'ERR3' });
    expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false);
  });
});

describe('a token that names an untrusted key', () => {
  const fetchSpy = vi.spyOn(globalThis, 'fetch');
  test.each([undefined, 7, '', 'https://evil.example/key.json'])(
    '%j fetches nothing',
    async (jku) => {
      fetchSpy.mockClear();
      const forged = await forge({ alg: 'RS512', jku });
      await expect(verify(forged)).rejects.toMatchObject({
        code: 'ERR8',
        message: 'Insecure plug-in communication',
      });
      expect(fetchSpy).not.toHaveBeenCalled();
    },
  );
});
