/** Threats A01 to A08: a JWT that the platform did not sign is not believed. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  installClaims,
  startTestPlatform,
  type TestPlatform,
  verdictOf,
} from './testing/platform.ts';
import { createSigningKey, encodePart, signText } from './testing/signing-key.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(async () => {
  await platform[Symbol.asyncDispose]();
});

beforeEach(() => {
  platform.host.requests.length = 0;
});

function verdict(jwt: string) {
  return verdictOf(platform.createVerifier().verifyEvent(jwt, 'install'));
}

function forge(header: object, signature: string): string {
  const parts = [{ ...platform.header, ...header }, installClaims()].map(encodePart);
  return [...parts, signature].join('.');
}

const arbitrarySignature = Buffer.alloc(256, 7).toString('base64url');

describe('algorithms', () => {
  test.each(['none', 'NONE', 'nOnE', 'None'])(
    'A01: alg %s is refused before any fetch, with and without a signature',
    async (alg) => {
      expect(await verdict(forge({ alg }, arbitrarySignature))).toBe('alg_not_allowed');
      expect(await verdict(forge({ alg }, ''))).toBe('bad_token_format');
      expect(platform.host.requests).toEqual([]);
    },
  );

  test.each(['HS256', 'HS384', 'HS512'])(
    'A02: %s with the public key as secret is refused before any fetch',
    async (alg) => {
      const { publicKey, jwk } = platform.key;
      const secrets = [
        publicKey.export({ type: 'spki', format: 'pem' }),
        publicKey.export({ type: 'spki', format: 'der' }),
        Buffer.from(jwk.n, 'base64url'),
        jwk.n,
      ];

      for (const secret of secrets) {
        const input = [{ ...platform.header, alg }, installClaims()].map(encodePart).join('.');
        const mac = createHmac(`sha${alg.slice(2)}`, secret)
          .update(input)
          .digest('base64url');
        expect(await verdict(`${input}.${mac}`)).toBe('alg_not_allowed');
      }
      expect(platform.host.requests).toEqual([]);
    },
  );

  test.each([
    ['RS256', 'RS512'],
    ['RS384', 'RS256'],
    ['RS512', 'RS384'],
  ])(
    'A03: a key of %s verifies with the hash of that algorithm, and not of %s',
    async (alg, other) => {
      const key = createSigningKey(alg);
      const jku = platform.host.serve(`/keys/${alg}.jwk.json`, key.document);

      expect(await verdict(platform.signInstall({}, { header: { alg, jku }, key }))).toBe(
        'accepted',
      );
      const misused = { ...key, alg: other };
      const forged = platform.signInstall({}, { header: { alg, jku }, key: misused });
      expect(await verdict(forged)).toBe('signature_invalid');
    },
  );

  test.each(['RS256', 'RS384'])(
    'A03: a correct %s signature by the RS512 key is refused',
    async (alg) => {
      const jwt = platform.sign(installClaims(), {
        header: { alg },
        key: { ...platform.key, alg },
      });

      expect(await verdict(jwt)).toBe('alg_not_allowed');
    },
  );

  test.each([
    'rs512',
    'RS512 ',
    'RS368',
    'PS256',
    'PS384',
    'PS512',
    'EdDSA',
    'RSA1_5',
    '',
    5,
    null,
    ['RS512'],
    undefined,
  ])('A03: alg %j is refused before any fetch', async (alg) => {
    expect(await verdict(forge({ alg }, arbitrarySignature))).toBe('alg_not_allowed');
    expect(platform.host.requests).toEqual([]);
  });

  test('A04: ES256 with r = s = 0 is refused before any fetch', async () => {
    const zeros = Buffer.alloc(64).toString('base64url');

    expect(await verdict(forge({ alg: 'ES256' }, zeros))).toBe('alg_not_allowed');
    expect(platform.host.requests).toEqual([]);
  });
});

describe('headers', () => {
  const stranger = createSigningKey();
  const spki = stranger.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

  test.each([{ jwk: stranger.jwk }, { x5u: 'https://evil.test/certificate' }, { x5c: [spki] }])(
    'A05: the key in %j is refused before any fetch',
    async (header) => {
      const jwt = platform.sign(installClaims(), { header, key: stranger });

      expect(await verdict(jwt)).toBe('header_not_allowed');
      expect(platform.host.requests).toEqual([]);
    },
  );

  test.each([
    { crit: ['x'], x: 1 },
    { crit: [] },
    { b64: false, crit: ['b64'] },
    { b64: true },
    { zip: 'DEF' },
    { enc: 'A256GCM' },
    { typ: 'JWE' },
    { typ: 'at+jwt' },
    { typ: null },
    { typ: ['JWT'] },
    { jku: ['https://keys.test/'] },
    { jku: null },
    { jku: 'x'.repeat(2049) },
    { kid: 1 },
    { kid: 'x'.repeat(257) },
  ])('A06: %j is refused, although the signature is correct', async (header) => {
    expect(await verdict(platform.sign(installClaims(), { header }))).toBe('header_not_allowed');
    expect(platform.host.requests).toEqual([]);
  });

  test.each([
    { typ: 'jwt' },
    { typ: 'Jwt' },
    { typ: undefined },
    { kid: 'x'.repeat(256) },
    { cty: 'JWT' },
    { x5t: 'AAAA' },
    { 'x5t#S256': 'AAAA' },
    { x5t: null, cty: 1 },
    { 'x5t#S512': 'AAAA' },
    { ALG: 'none', region: 'eu' },
  ])('A20: %j changes nothing', async (header) => {
    expect(await verdict(platform.sign(installClaims(), { header }))).toBe('accepted');
    const forged = platform.sign(installClaims(), { header, key: stranger });
    expect(await verdict(forged)).toBe('signature_invalid');
  });

  test.each([
    ['an array', '[{"alg":"RS512"}]', 'header_not_allowed'],
    ['null', 'null', 'header_not_allowed'],
    ['a string', '"RS512"', 'header_not_allowed'],
    ['two algs', '{"alg":"RS512","alg":"RS512"}', 'header_not_allowed'],
    ['two algs, one escaped', '{"alg":"RS512","\\u0061lg":"RS512"}', 'header_not_allowed'],
    ['__proto__', '{"__proto__":{"alg":"RS512"}}', 'header_not_allowed'],
    ['no JSON', 'RS512', 'bad_token_format'],
    ['a comment', '{"alg":"RS512"/**/}', 'bad_token_format'],
    ['a byte order mark', '\ufeff{"alg":"RS512"}', 'bad_token_format'],
    ['broken UTF-8', Buffer.from('{"alg":"RS512","kid":"\xff"}', 'latin1'), 'bad_token_format'],
  ])('A12: a header that is %s is refused', async (_, header, reason) => {
    const input = `${encodePart(header)}.${encodePart(installClaims())}`;

    expect(await verdict(`${input}.${signText(input, platform.key)}`)).toBe(reason);
    expect(platform.host.requests).toEqual([]);
  });
});

describe('spelling', () => {
  const respellings: [string, (jwt: string) => string][] = [
    ['a line end', (jwt) => `${jwt}\n`],
    ['a line end inside', (jwt) => jwt.replace('.', '.\n')],
    ['a leading space', (jwt) => ` ${jwt}`],
    ['padding', (jwt) => `${jwt}=`],
    ['padding in the payload', (jwt) => jwt.replace(/\.([^.]+)\./, '.$1=.')],
    ['no dot', (jwt) => jwt.replaceAll('.', '')],
    ['one dot', (jwt) => jwt.slice(0, jwt.lastIndexOf('.'))],
    ['three dots', (jwt) => `${jwt}.`],
    ['five parts, as JWE has', (jwt) => `${jwt}.AAAA.AAAA`],
    ['an empty signature', (jwt) => jwt.slice(0, jwt.lastIndexOf('.') + 1)],
    ['an empty payload', (jwt) => jwt.replace(/\..*\./, '..')],
    ['an empty header', (jwt) => jwt.slice(jwt.indexOf('.'))],
    ['the alphabet of base64', (jwt) => `${jwt.slice(0, -4)}++//`],
    ['a percent escape', (jwt) => jwt.replace('.', '%2E')],
    ['a Bearer prefix', (jwt) => `Bearer ${jwt}`],
    ['a NUL', (jwt) => `${jwt}\0`],
    ['more than 16 KiB', (jwt) => jwt.padEnd(16_385, 'A')],
    ['nothing', () => ''],
    ['JSON serialization', (jwt) => toJsonSerialization(jwt)],
    ['unused bits in the signature', (jwt) => setUnusedBits(jwt)],
  ];

  test.each(respellings)('A07: a good token with %s is refused', async (_, respell) => {
    expect(await verdict(respell(platform.signInstall()))).toBe('bad_token_format');
  });

  test('A07: a token of 16 KiB is read, and one character more is not', async () => {
    const withClaim = (length: number) => platform.signInstall({ x: 'x'.repeat(length) });
    const base = withClaim(0).length;
    const fitting = withClaim(Math.floor(((16_384 - base) * 3) / 4) - 3);

    expect(fitting.length).toBeGreaterThan(16_370);
    expect(fitting.length).toBeLessThanOrEqual(16_384);
    expect(await verdict(fitting)).toBe('accepted');
    expect(await verdict(withClaim(Math.ceil(((16_384 - base) * 3) / 4) + 3))).toBe(
      'bad_token_format',
    );
  });

  test.each([undefined, null, 5, {}, ['a.b.c'], Buffer.from('a.b.c')])(
    'A14: %j instead of a string is refused',
    async (jwt) => {
      expect(await verdict(jwt as unknown as string)).toBe('bad_token_format');
    },
  );

  function toJsonSerialization(jwt: string): string {
    const [header, payload, signature] = jwt.split('.');
    return JSON.stringify({ payload, protected: header, signature });
  }

  /** 256 bytes leave four unused bits in the last character; Node's decoder ignores them. */
  function setUnusedBits(jwt: string): string {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    return jwt.slice(0, -1) + alphabet[alphabet.indexOf(jwt.at(-1) ?? '') + 1];
  }
});

describe('signatures', () => {
  test("a stranger's signature is refused", async () => {
    const jwt = platform.sign(installClaims(), { key: createSigningKey() });

    expect(await verdict(jwt)).toBe('signature_invalid');
  });

  test.each([0, 1])('a changed part %i is refused', async (index) => {
    const parts = platform.signInstall().split('.');
    const changed = [
      { ...platform.header, typ: 'jwt' },
      { ...installClaims(), jti: 'x' },
    ];

    expect(await verdict(parts.with(index, encodePart(changed[index] ?? '')).join('.'))).toBe(
      'signature_invalid',
    );
  });
});
