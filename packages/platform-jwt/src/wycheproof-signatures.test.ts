/**
 * Own cases for every class of the public Wycheproof vectors of signatures (C2SP/wycheproof,
 * testvectors_v1/json_web_signature_test.json):
 *
 * - modified, missing, empty and extra components → "JWS components"
 * - JsonSerialization → "JWS components"; AlgIsNone, key confusion, embedded JWK → "JWS algorithms"
 * - ModifiedPadding: 213 spellings of the DigestInfo → "PKCS #1 blocks"
 * - ModifiedSignature: 0, 1, n - 1, n, not reduced, longer, shorter → "signature integers"
 * - WrongPrimitive, PS256 to PS512, ES256 special cases → "JWS algorithms"
 * - empty, zero and one-byte payloads → "payloads"
 * - wrong use, wrong key_ops, key_ops of RFC 7520 → wycheproof-keys.test.ts
 * - base64: spaces, characters, padding, unused bits, white space in the header → "base64url"
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  encodeDigestInfo,
  mutateDigestInfo,
  padBlock,
  signBlock,
} from './testing/der-mutations.ts';
import {
  installClaims,
  startTestPlatform,
  type TestPlatform,
  verdictOf,
} from './testing/platform.ts';
import { encodePart, signParts, signText } from './testing/signing-key.ts';
import type { PlatformJwtVerifier } from './verifier.ts';

let platform: TestPlatform;
let verifier: PlatformJwtVerifier;
/** Header and payload of a good token. */
let input: string;

beforeAll(async () => {
  platform = await startTestPlatform();
  verifier = platform.createVerifier();
  input = [platform.header, installClaims()].map(encodePart).join('.');
});

afterAll(async () => {
  await platform[Symbol.asyncDispose]();
});

const verdict = (jwt: string) => verdictOf(verifier.verifyEvent(jwt, 'install'));

function verdictOnSignature(signature: Buffer) {
  return verdict(`${input}.${signature.toString('base64url')}`);
}

describe('JWS components', () => {
  type Change = (parts: [string, string, string]) => string;
  const changes: [string, Change, string][] = [
    ['nothing changed', ([h, p, s]) => `${h}.${p}.${s}`, 'accepted'],
    [
      'a modified signature',
      ([h, p, s]) => `${h}.${p}.${s.startsWith('A') ? 'B' : 'A'}${s.slice(1)}`,
      'signature_invalid',
    ],
    ['no signature', ([h, p]) => `${h}.${p}.`, 'bad_token_format'],
    ['no signature and no separator', ([h, p]) => `${h}.${p}`, 'bad_token_format'],
    [
      'a modified payload',
      ([h, , s]) => `${h}.${encodePart({ ...installClaims(), jti: 'x' })}.${s}`,
      'signature_invalid',
    ],
    ['no payload', ([h, , s]) => `${h}..${s}`, 'bad_token_format'],
    ['no payload and no separator', ([h, , s]) => `${h}.${s}`, 'bad_token_format'],
    [
      'a modified header',
      ([, p, s]) => `${encodePart({ ...platform.header, kid: '' })}.${p}.${s}`,
      'signature_invalid',
    ],
    ['no header', ([, p, s]) => `.${p}.${s}`, 'bad_token_format'],
    ['no header and no separator', ([, p, s]) => `${p}.${s}`, 'bad_token_format'],
    ['no header and no signature', ([, p]) => `.${p}.`, 'bad_token_format'],
    ['the payload alone', ([, p]) => p, 'bad_token_format'],
    ['separators alone', () => '..', 'bad_token_format'],
    ['nothing', () => '', 'bad_token_format'],
    ['an extra empty component', ([h, p, s]) => `${h}.${p}.${s}.`, 'bad_token_format'],
    ['an extra component', ([h, p, s]) => `${h}.${p}.${s}.${s}`, 'bad_token_format'],
    [
      'the flattened JSON serialization',
      ([h, p, s]) => JSON.stringify({ protected: h, payload: p, signature: s }),
      'bad_token_format',
    ],
    [
      'the general JSON serialization',
      ([h, p, s]) => JSON.stringify({ payload: p, signatures: [{ protected: h, signature: s }] }),
      'bad_token_format',
    ],
  ];

  test.each(changes)('%s', async (_, change, expected) => {
    const parts = platform.sign(installClaims()).split('.') as [string, string, string];

    expect(await verdict(change(parts))).toBe(expected);
  });
});

describe('JWS algorithms', () => {
  test.each(['none', 'None', 'NONE', 'nOne'])('alg %s without a signature', async (alg) => {
    const unsigned = [{ ...platform.header, alg }, installClaims()].map(encodePart).join('.');

    expect(await verdict(`${unsigned}.`)).toBe('bad_token_format');
    expect(await verdict(`${unsigned}.AA`)).toBe('alg_not_allowed');
  });

  const foreign =
    'HS256 HS384 HS512 PS256 PS384 PS512 ES256 ES384 ES512 ES521 A128GCM A128KW RSA1_5';

  test.each(foreign.split(' '))('%s, with any signature', async (alg) => {
    for (const length of [1, 32, 64, 256]) {
      for (const fill of [0, 1, 255]) {
        const signature = Buffer.alloc(length, fill).toString('base64url');
        const parts = [{ ...platform.header, alg }, installClaims()].map(encodePart);
        expect(await verdict([...parts, signature].join('.'))).toBe('alg_not_allowed');
      }
    }
  });

  test.each([
    ['RS256', 'RS384'],
    ['RS256', 'RS512'],
    ['RS384', 'RS512'],
    ['RS384', 'RS256'],
    ['RS512', 'RS256'],
    ['RS512', 'RS384'],
  ])('a signature made with %s under the name of %s', async (made, named) => {
    const key = { ...platform.key, alg: made };
    const jwt = signParts({ ...platform.header, alg: named }, installClaims(), key);

    expect(await verdict(jwt)).not.toBe('accepted');
  });

  test('a key in the header', async () => {
    const jwt = platform.sign(installClaims(), { header: { jwk: platform.key.jwk } });

    expect(await verdict(jwt)).toBe('header_not_allowed');
  });
});

describe('PKCS #1 blocks', () => {
  test('the right block is accepted', async () => {
    const block = padBlock(encodeDigestInfo(input));

    expect(await verdictOnSignature(signBlock(block, platform.key))).toBe('accepted');
  });

  test('every wrong DigestInfo is refused', async () => {
    const mutations = mutateDigestInfo(input);

    expect(mutations.length).toBeGreaterThan(200);
    for (const [name, digestInfo] of mutations) {
      const signature = signBlock(padBlock(digestInfo), platform.key);
      expect(await verdictOnSignature(signature), name).toBe('signature_invalid');
    }
  });

  test('every wrong padding is refused', async () => {
    const content = encodeDigestInfo(input);
    const good = padBlock(content);
    const short = Buffer.concat([padBlock(content, 128), Buffer.alloc(128)]);
    const garbage = Buffer.concat([padBlock(content, 200), Buffer.alloc(56, 0x5a)]);
    const changed = [1, 2, 10, good.length - content.length - 1].map((index) => {
      const block = Buffer.from(good);
      block[index] = (block[index] ?? 0) ^ 1;
      return block;
    });
    const ofType2 = Buffer.from(good).fill(2, 1, 2);
    const onlyDigest = padBlock(content.subarray(-64));

    for (const block of [short, garbage, ofType2, onlyDigest, ...changed]) {
      expect(await verdictOnSignature(signBlock(block, platform.key))).toBe('signature_invalid');
    }
  });
});

describe('signature integers', () => {
  test('0, 1, n - 1, n, not reduced, longer and shorter are refused', async () => {
    const n = Buffer.from(platform.key.jwk.n, 'base64url');
    const modulus = BigInt(`0x${n.toString('hex')}`);
    const good = Buffer.from(signText(input, platform.key), 'base64url');
    const toBytes = (value: bigint, length: number) =>
      Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex');
    const notReduced = BigInt(`0x${good.toString('hex')}`) + modulus;

    for (const signature of [
      Buffer.alloc(256),
      toBytes(1n, 256),
      toBytes(modulus - 1n, 256),
      n,
      toBytes(notReduced, 257),
      Buffer.concat([Buffer.alloc(1), good]),
      Buffer.concat([good, Buffer.alloc(1)]),
      good.subarray(0, -1),
      good.subarray(1),
      Buffer.alloc(1),
    ]) {
      expect(await verdictOnSignature(signature)).toBe('signature_invalid');
    }
    expect(await verdictOnSignature(good)).toBe('accepted');
  });
});

describe('payloads', () => {
  test.each([
    ['one zero byte', Buffer.alloc(1)],
    ['zeros', Buffer.alloc(16)],
    ['one byte', Buffer.from('1')],
    ['text', 'Test'],
  ])('%s, well signed, is not a JWT', async (_, payload) => {
    const reason = await verdict(platform.sign(payload));

    expect(['bad_token_format', 'claims_invalid']).toContain(reason);
  });

  test('an empty one, well signed, is not a JWT', async () => {
    const [header] = input.split('.');

    expect(await verdict(`${header}..${signText(`${header}.`, platform.key)}`)).toBe(
      'bad_token_format',
    );
  });
});

describe('base64url', () => {
  test.each([' ', '\n', '#', '?', '=', '+', '/', '%', '\u00e9', '\ud83d\ude00'])(
    'the character %j anywhere',
    async (character) => {
      const jwt = platform.sign(installClaims());
      const dots = [jwt.indexOf('.'), jwt.lastIndexOf('.')];
      for (const index of [0, 5, ...dots, ...dots.map((dot) => dot + 1), jwt.length]) {
        const changed = jwt.slice(0, index) + character + jwt.slice(index);
        expect(await verdict(changed)).toBe('bad_token_format');
      }
    },
  );

  test('unused bits in any part, although the signature covers the spelling', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const respell = (part: string) =>
      part.slice(0, -1) + alphabet[alphabet.indexOf(part.at(-1) ?? '') + 1];
    const claims = [0, 1, 2].map((length) =>
      encodePart({ ...installClaims(), x: 'x'.repeat(length) }),
    );
    const payload = claims.find((part) => part.length % 4 !== 0) ?? '';
    const [header] = input.split('.');
    const respelled = `${header}.${respell(payload)}`;

    expect(Buffer.from(respell(payload), 'base64url')).toEqual(Buffer.from(payload, 'base64url'));
    expect(await verdict(`${respelled}.${signText(respelled, platform.key)}`)).toBe(
      'bad_token_format',
    );
  });

  test('white space in the JSON of header and payload is allowed', async () => {
    const header = JSON.stringify(platform.header, undefined, '\t');
    const payload = JSON.stringify(installClaims(), undefined, 2).replaceAll('\n', '\r\n');

    expect(await verdict(signParts(header, payload, platform.key))).toBe('accepted');
  });
});
