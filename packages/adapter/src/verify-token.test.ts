import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { signJwt } from './fake-host/index.ts';
import {
  corrupt,
  createAdapterFor,
  createVerifier,
  encodePart,
  nextTask,
  openHost,
  signingKey,
  startServer,
} from './testing/test-host.ts';
import { type Issuer, trustIssuers } from './trust-issuers.ts';

const issuer = 'https://tenant.example';
const { keyDocument } = signingKey;
const pinned: Issuer[] = [{ issuer, keys: [keyDocument] }];
const jku = 'https://keys.example/key.json';
const now = Math.floor(Date.now() / 1000);

const invalid = (code: string, diagnosis: string) => ({
  code,
  diagnosis,
});

afterEach(() => void vi.restoreAllMocks());

function sign(claims: object = {}, header: object = {}, { privateKey } = signingKey) {
  const all = { iss: issuer, sub: 'init', jti: 'one', ...claims };
  return signJwt(privateKey, all, { jku, ...header });
}

/** Keeps the payload and the signature of a good token. */
async function withHeader(header: object): Promise<string> {
  const [, payload, signature] = (await sign()).split('.');
  return `${encodePart(header)}.${payload}.${signature}`;
}

function createVerify(options: Parameters<typeof createVerifier>[0] = { issuers: pinned }) {
  const verify = createVerifier(options);
  const { signal } = new AbortController();
  return async (jwt: string | Promise<string>, origin = issuer) =>
    verify({ jwt: await jwt, origin, sub: 'init', signal });
}

describe('the signature', () => {
  test('is accepted by a pinned key, with any jku', async () => {
    const fetchSpy = vi.spyOn(globalThis, 'fetch');
    const claims = await createVerify()(sign({ 'ctx.userId': 'u' }));
    expect(claims).toMatchObject({ iss: issuer, ctx: { userId: 'u' } });
    expect(fetchSpy).not.toHaveBeenCalled();
  });

  test('cannot be verified if no pinned key is usable, and each is named', async () => {
    const weak = { kty: 'RSA', alg: 'RS512', n: `w${'A'.repeat(170)}`, e: 'AQAB' };
    const verify = createVerify({ issuers: [{ issuer, keys: [{ kty: 'EC' }, weak] }] });
    await expect(verify(sign())).rejects.toMatchObject({
      code: 'ERR7',
      diagnosis: expect.stringMatching(
        /^No pinned key; issuers\[0\]\.keys\[0\] is unusable: .*; issuers\[0\]\.keys\[1\] is/,
      ),
    });
  });

  test('is accepted by one of two pinned keys if the other is unusable, which a refusal names', async () => {
    const verify = createVerify({ issuers: [{ issuer, keys: [{ kty: 'EC' }, keyDocument] }] });
    await expect(verify(sign())).resolves.toBeDefined();
    await expect(verify(corrupt(await sign()))).rejects.toMatchObject({
      code: 'ERR2',
      diagnosis: expect.stringMatching(/^Bad signature; issuers\[0\]\.keys\[0\] is unusable: /),
    });
  });

  test('without a usable pinned key is reported to the diagnostics of an adapter, once', async () => {
    using host = await openHost();
    const issuers = trustIssuers([{ issuer, keys: [{ kty: 'EC' }, keyDocument] }]);
    const adapter = createAdapterFor(host, { issuers });
    const told = vi.fn();
    adapter.onDiagnostic(told);

    await adapter.init();
    await adapter.getToken({ minValidityMs: Infinity });
    await nextTask();

    expect(told.mock.calls).toEqual([[expect.stringContaining('issuers[0].keys[0] is unusable')]]);
    adapter.destroy();
  });

  test('may be by any key of a pinned JWKS', async () => {
    const { publicKey } = await generateKeyPair('RS512', { extractable: true });
    const other = { ...(await exportJWK(publicKey)), alg: 'RS512' } as JsonWebKey;
    const keys = [{ keys: [other, keyDocument.key] }];
    await expect(createVerify({ issuers: [{ issuer, keys }] })(sign())).resolves.toBeDefined();
  });

  test.each(['RS256', 'RS384', 'RS512'])('may be made with %s', async (alg) => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), alg } as JsonWebKey;
    const jwt = await new SignJWT({ iss: issuer, sub: 'init', jti: 'one' })
      .setProtectedHeader({ alg })
      .setIssuedAt()
      .setExpirationTime('60s')
      .sign(privateKey);
    const verify = createVerify({ issuers: [{ issuer, keys: [keyDocument, jwk] }] });
    await expect(verify(jwt)).resolves.toMatchObject({ iss: issuer });
  });

  test.each([
    'none',
    'HS256',
    'HS512',
    'PS512',
    'ES256',
    'RS368',
    'rs512',
    'RS5120',
    ['RS51'],
    null,
  ])('with the algorithm %j is refused before a key is loaded', async (alg) => {
    const fetchSpy = vi.spyOn(globalThis, 'fetch');
    const verify = createVerify({ jkuOrigins: ['https://keys.example'] });
    await expect(verify(withHeader({ alg, jku }))).rejects.toMatchObject(
      invalid('ERR2', 'Token has wrong alg or header'),
    );
    expect(fetchSpy).not.toHaveBeenCalled();
  });

  test('made with an HMAC over the public key is refused', async () => {
    const secret = Uint8Array.from(Buffer.from(JSON.stringify(keyDocument)));
    const forged = await new SignJWT({ iss: issuer, sub: 'init', jti: 'one' })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(secret);
    await expect(createVerify()(forged)).rejects.toMatchObject({ code: 'ERR2' });
  });

  test("with an algorithm other than the key's is refused", async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
    const keys = [{ ...(await exportJWK(publicKey)), alg: 'RS256' } as JsonWebKey];
    const mislabelled = await sign({}, { alg: 'RS256' });
    await expect(createVerify()(mislabelled)).rejects.toMatchObject({ code: 'ERR2' });
    const jwt = await new SignJWT({ iss: issuer, sub: 'init', jti: 'one', exp: now + 60, iat: now })
      .setProtectedHeader({ alg: 'RS256' })
      .sign(privateKey);
    const [, payload, signature] = jwt.split('.');
    const relabelled = `${encodePart({ alg: 'RS512' })}.${payload}.${signature}`;
    const verify = createVerify({ issuers: [{ issuer, keys }] });
    await expect(verify(relabelled)).rejects.toMatchObject({ code: 'ERR2' });
    await expect(verify(jwt)).resolves.toMatchObject({ iss: issuer });
  });

  test('of another key, or changed by one letter, is refused', async () => {
    const { privateKey } = await generateKeyPair('RS512');
    const foreign = sign({}, {}, { privateKey, keyDocument });
    const bad = invalid('ERR2', 'Bad signature');
    await expect(createVerify()(foreign)).rejects.toMatchObject(bad);
    await expect(createVerify()(corrupt(await sign()))).rejects.toMatchObject(bad);
  });

  test('covers the claims', async () => {
    const [header, , signature] = (await sign()).split('.');
    const claims = encodePart({ iss: issuer, sub: 'init', iat: now, exp: now + 60 });
    const changed = `${header}.${claims.replace(/..$/, '')}.${signature}`;
    await expect(createVerify()(changed)).rejects.toThrow();
    await expect(createVerify()(`${header}.${claims}.${signature}`)).rejects.toMatchObject({
      code: 'ERR2',
    });
  });

  test('is verified before the claims are read', async () => {
    const jwt = sign({ 'ctx.__proto__.isAdmin': true });
    await expect(createVerify()(jwt)).rejects.toMatchObject({ code: 'ERR3' });
    await expect(createVerify()(corrupt(await jwt))).rejects.toMatchObject(
      invalid('ERR2', 'Bad signature'),
    );
  });

  test.each(['crit', 'b64', 'zip', 'jwk', 'x5c', 'x5u', 'enc', 'x5t#S512', 'nonce'])(
    'with the header parameter %s is refused although it is correct',
    async (name) => {
      const jwt = sign({}, { [name]: null });
      await expect(createVerify()(jwt)).rejects.toMatchObject(
        invalid('ERR2', 'Token has wrong alg or header'),
      );
    },
  );

  test.each([
    { typ: 'jwt' },
    { typ: 'Jwt' },
    { typ: undefined },
    { cty: 'json' },
    { x5t: 'dGh1bWI' },
    { 'x5t#S256': 'dGh1bWI' },
    { kid: 'one' },
  ])('may have the header %j', async (header) => {
    await expect(createVerify()(sign({}, header))).resolves.toBeDefined();
  });

  test.each(['JWE', 'at+jwt', '', null, 7, ['JWT'], {}])(
    'of the type %j is refused',
    async (typ) => {
      const jwt = sign({}, { typ });
      await expect(createVerify()(jwt)).rejects.toMatchObject(
        invalid('ERR2', 'Token has wrong alg or header'),
      );
    },
  );

  test('needs exactly three parts', async () => {
    const jwt = await sign();
    const [header, payload] = jwt.split('.');
    const unsecured = new UnsecuredJWT({ iss: issuer, sub: 'init' }).encode();
    for (const other of [`${jwt}.`, `${jwt}.e30`, `${header}.${payload}`, unsecured, 'e30']) {
      await expect(createVerify()(other)).rejects.toMatchObject(
        invalid('ERR2', 'Token has no signature'),
      );
    }
  });

  test.each(['==', ' ', '\n', '+'])('followed by %j is not read', async (end) => {
    await expect(createVerify()(`${await sign()}${end}`)).rejects.toMatchObject({
      name: 'InvalidCharacterError',
    });
  });
});

describe('the issuer', () => {
  const insecure = { code: 'ERR1' };

  test.each<[string | RegExp, string]>([
    [issuer, issuer],
    [/https:\/\/\w+\.example/, issuer],
    [/https:\/\/a\.example|https:\/\/tenant\.example/g, issuer],
    [/HTTPS:\/\/TENANT\.EXAMPLE/i, issuer],
    [issuer, `${issuer}/`],
    [`${issuer}/`, issuer],
    [issuer, 'HTTPS://Tenant.EXAMPLE:443/'],
    ['HTTPS://Tenant.EXAMPLE:443/', issuer],
    [/https:\/\/tenant\.example/, `${issuer}/`],
    [/https:\/\/tenant\.example\//, issuer],
  ])('%s is %s', async (pattern, iss) => {
    const verify = createVerify({ issuers: [{ issuer: pattern, keys: [keyDocument] }] });
    await expect(verify(sign({ iss }))).resolves.toMatchObject({ iss: issuer });
    await expect(verify(sign({ iss }))).resolves.toMatchObject({ iss: issuer });
  });

  test.each([
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://xn--bcher-kva.example', 'https://BÜCHER.example/'],
    ['https://tenant.example/home/', 'https://tenant.example/home'],
  ])('%s is %s, and reported in one spelling', async (listed, iss) => {
    const issuers = [{ issuer: listed, keys: [keyDocument] }];
    const verify = createVerify({ issuers, parentOrigin: issuer });
    const { iss: told } = await verify(sign({ iss }));
    expect(told).toBe((await verify(sign({ iss: listed }))).iss);
    expect(told).toMatch(/^https:\/\/(xn--bcher-kva|tenant)\.example(\/home)?$/);
  });

  test.each<[string | RegExp, string | undefined]>([
    [issuer, `${issuer}/home`],
    [issuer, `${issuer}/?a`],
    [issuer, `${issuer}/#a`],
    [issuer, 'https://user@tenant.example'],
    [issuer, 'http://tenant.example'],
    [issuer, 'https://tenant.example:8443'],
    [issuer, 'https://tenantXexample'],
    [issuer, 'undefined'],
    [issuer, undefined],
    [/https:\/\/tenant\.example/, `${issuer}.evil.example`],
    [/https:\/\/tenant\.example/, `https://evil.example/?${issuer}`],
    [/https:\/\/tenant\.example|b/, `${issuer}.evil.example`],
    [/a|https:\/\/tenant\.example/, `https://evil.example/?${issuer}`],
  ])('%s is not %s, although the key signed it', async (pattern, iss) => {
    const issuers = [{ issuer: pattern, keys: [keyDocument] }];
    const verify = createVerify({ issuers, parentOrigin: () => true });
    await expect(verify(sign({ iss }))).rejects.toMatchObject({
      ...insecure,
      diagnosis: `Not in issuers: ${iss}`,
    });
  });

  test('is accepted by its own keys only', async () => {
    const other = await generateKeyPair('RS512', { extractable: true });
    const otherKey = { ...(await exportJWK(other.publicKey)), alg: 'RS512' } as JsonWebKey;
    const issuers = [...pinned, { issuer: 'https://other.example', keys: [otherKey] }];
    const verify = createVerify({ issuers, parentOrigin: issuer });
    await expect(verify(sign({ iss: 'https://other.example' }))).rejects.toMatchObject({
      code: 'ERR2',
    });
  });

  test('with pinned keys cannot put one of them behind the address of another issuer', async () => {
    await using server = await startServer((_request, response) => response.writeHead(404).end());
    const issuers = [...pinned, { issuer: 'https://other.example' }];
    const verify = createVerify({ issuers, jkuOrigins: [server.origin], parentOrigin: issuer });
    const header = { jku: `${server.origin}/key.json` };

    await verify(sign({}, header));

    await expect(verify(sign({ iss: 'https://other.example' }, header))).rejects.toMatchObject({
      code: 'ERR7',
    });
  });

  test('without pinned keys and a token without jku share no key, which says so', async () => {
    const jwt = sign({}, { jku: undefined });
    const code = { code: 'ERR1', diagnosis: 'Token has no jku' };
    await expect(createVerify({ jkuOrigins: [new URL(jku).origin] })(jwt)).rejects.toMatchObject(
      code,
    );
    await expect(createVerify({ issuers: [{ issuer }] })(jwt)).rejects.toMatchObject(code);
    await expect(createVerify()(jwt)).resolves.toBeDefined();
  });

  test.each<[string, Parameters<typeof createVerifier>[0], object, object]>([
    ['ERR1', { issuers: pinned }, { iss: `https://${'a'.repeat(750_000)}` }, {}],
    ['ERR8', {}, {}, { jku: `https://${'a'.repeat(750_000)}` }],
    ['ERR3', { issuers: pinned }, { [`ctx.__proto__.${'a'.repeat(750_000)}`]: 1 }, {}],
  ])('is quoted by %s up to 200 characters', async (code, options, claims, header) => {
    const refused = await createVerify(options)(sign(claims, header)).catch((error) => error);
    expect(refused).toMatchObject({ code });
    expect(refused.diagnosis.length).toBe(200);
  });

  test('is never accepted without issuers and key origins', async () => {
    await expect(createVerify({})(sign())).rejects.toMatchObject({ code: 'ERR8' });
    await expect(createVerify({ issuers: [] })(sign())).rejects.toMatchObject(insecure);
  });
});
