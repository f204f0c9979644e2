/** Threats A03, A08 and B14: which keys are read from which documents. */
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { PlatformJwtError } from '../errors.ts';
import { createSigningKey } from '../testing/signing-key.ts';
import { createRocaModulus, encodeInteger } from '../testing/weak-key.ts';
import { readKeyDocument, selectCandidates } from './platform-key.ts';

const { jwk, document, privateKey } = createSigningKey('RS512');
const other = createSigningKey('RS256');
const { alg: algorithm } = document;
const bare = { kty: 'RSA', n: jwk.n, e: jwk.e };

/** `[alg, kid]` of each key, or the reason to refuse the document. */
function read(value: unknown, alg?: 'RS256' | 'RS384' | 'RS512') {
  try {
    return readKeyDocument(value, alg).map((key) => [key.alg, key.kid]);
  } catch (error) {
    if (error instanceof PlatformJwtError) return error.reason;
    throw error;
  }
}

describe('documents', () => {
  test.each([
    ['the platform’s form', document, [['RS512', undefined]]],
    ['the platform’s form, alg named once', { alg: algorithm, key: bare }, [['RS512', undefined]]],
    ['a bare JWK', { ...jwk, kid: 'k' }, [['RS512', 'k']]],
    [
      'a bare JWK for verifying',
      { ...jwk, use: undefined, key_ops: ['verify'] },
      [['RS512', undefined]],
    ],
    [
      'a JWKS',
      {
        keys: [
          { ...jwk, kid: 'a' },
          { ...other.jwk, kid: 'b' },
        ],
      },
      [
        ['RS512', 'a'],
        ['RS256', 'b'],
      ],
    ],
    [
      'a JWKS with keys of other kinds',
      {
        keys: [
          { kty: 'EC', crv: 'P-256', x: 'a', y: 'b' },
          { kty: 'OKP', kid: 'x' },
          { ...jwk, use: 'enc' },
          { ...jwk, alg: 'PS256' },
          { ...jwk, alg: undefined },
          jwk,
        ],
      },
      [['RS512', undefined]],
    ],
    [
      'unknown members',
      { ...document, key: { ...jwk, x5t: 'a', foo: [1] }, foo: 1 },
      [['RS512', undefined]],
    ],
  ])('%s is read', (_, value, keys) => {
    expect(read(JSON.parse(JSON.stringify(value)))).toEqual(keys);
  });

  test('a JWK without alg takes the one that its reader states', () => {
    expect(read(bare, 'RS384')).toEqual([['RS384', undefined]]);
    expect(read(bare)).toBe('key_not_acceptable');
  });

  test.each([
    ['nothing', null],
    ['an array', [jwk]],
    ['an empty object', {}],
    ['an empty JWKS', { keys: [] }],
    ['keys that are not an array', { keys: jwk }],
    ['a JWKS without a key of ours', { keys: [{ ...jwk, use: 'enc' }] }],
    ['alg as text beside the key', { alg: 'RS512', key: jwk }],
    ['RSA-PSS', { alg: { name: 'RSA-PSS', hash: { name: 'SHA-512' } }, key: jwk }],
    ['SHA-1', { alg: { ...algorithm, hash: { name: 'SHA-1' } }, key: jwk }],
    ['an elliptic key', { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', alg: 'ES256' }],
    ['an n that is not text', { ...jwk, n: [jwk.n] }],
    ['an n with padding', { ...jwk, n: `${jwk.n}=` }],
    ['an n in base64', { ...jwk, n: `+/${jwk.n.slice(2)}` }],
    ['an n with unused bits set', { ...jwk, e: 'AQAC', n: jwk.n.replace(/.$/, '_') }],
    ['an empty n', { ...jwk, n: '' }],
    ['an n of one character', { ...jwk, n: 'A' }],
  ])('%s is not acceptable', (_, value) => {
    expect(read(value)).toBe('key_not_acceptable');
  });

  test.each([
    ['hash and key', { alg: { ...algorithm, hash: { name: 'SHA-256' } }, key: jwk }],
    ['bare key and its reader', jwk],
  ])('A03: algorithms of %s that disagree are not acceptable', (_, value) => {
    expect(read(value, 'RS256')).toBe('key_not_acceptable');
  });
});

describe('keys', () => {
  const integer = (bits: bigint, low: bigint) => encodeInteger((1n << (bits - 1n)) + low);
  const evenModulus = encodeInteger(
    BigInt(`0x${Buffer.from(jwk.n, 'base64url').toString('hex')}`) - 1n,
  );
  const secret = privateKey.export({ format: 'jwk' });

  test.each([
    ['of 1024 bits', createSigningKey('RS512', 1024).jwk],
    ['of 2047 bits', { ...jwk, n: integer(2047n, 1n) }],
    [
      'of 2047 bits, padded with zeros to look longer',
      {
        ...jwk,
        n: Buffer.concat([Buffer.alloc(64), Buffer.from(integer(2047n, 1n), 'base64url')]).toString(
          'base64url',
        ),
      },
    ],
    ['of 8193 bits', { ...jwk, n: integer(8193n, 1n) }],
    ['with an even modulus', { ...jwk, n: evenModulus }],
    ['with the modulus zero', { ...jwk, n: Buffer.alloc(256).toString('base64url') }],
    ['with e = 1', { ...jwk, e: 'AQ' }],
    ['with e = 3', { ...jwk, e: 'Aw' }],
    ['with e = 65535', { ...jwk, e: encodeInteger(65_535n) }],
    ['with e = 65538', { ...jwk, e: encodeInteger(65_538n) }],
    ['with e = 2^32 + 1', { ...jwk, e: encodeInteger(2n ** 32n + 1n) }],
    ['with an empty e', { ...jwk, e: '' }],
    ['with the fingerprint of ROCA', { ...jwk, n: encodeInteger(createRocaModulus()) }],
    ['for encryption', { ...jwk, use: 'enc' }],
    ['for signing only', { ...jwk, key_ops: ['sign'] }],
    ['for no operation', { ...jwk, key_ops: [] }],
    ['for operations that are not a list', { ...jwk, key_ops: 'verify' }],
    ['that is private', { ...secret, alg: 'RS512' }],
    ['with d alone', { ...jwk, d: secret.d }],
    ['with a prime', { ...jwk, p: secret.p }],
    ['with other primes', { ...jwk, oth: [] }],
    ['that is symmetric', { kty: 'oct', k: 'A'.repeat(86), alg: 'HS512' }],
    ['that is symmetric and says RSA', { ...jwk, k: 'AAAA' }],
    ['without an algorithm', bare],
    ['of PS512', { ...jwk, alg: 'PS512' }],
    ['of HS512', { ...jwk, alg: 'HS512' }],
  ])('A08: a key %s is not acceptable, in any document', (_, key) => {
    expect(read(key)).toBe('key_not_acceptable');
    expect(read({ keys: [key] })).toBe('key_not_acceptable');
    if (key !== bare) expect(read({ alg: algorithm, key })).toBe('key_not_acceptable');
  });

  test.each([
    ['of 3072 bits', createSigningKey('RS512', 3072).jwk],
    ['of 8192 bits', { ...jwk, n: integer(8192n, 1n) }],
    [
      'with a leading zero',
      {
        ...jwk,
        n: Buffer.concat([Buffer.alloc(1), Buffer.from(jwk.n, 'base64url')]).toString('base64url'),
      },
    ],
    ['with another odd exponent', generateJwk(65_539)],
  ])('a key %s is acceptable', (_, key) => {
    expect(read(key)).toEqual([['RS512', undefined]]);
  });

  test.each([
    ['private', { ...secret, alg: 'RS512', kid: 'private' }],
    ['symmetric', { kty: 'oct', k: 'AAAA', kid: 'hmac' }],
    ['weak', createSigningKey('RS512', 1024).jwk],
  ])('A08: a JWKS with a %s key beside a good one is not acceptable', (_, key) => {
    expect(read({ keys: [{ ...jwk, kid: 'good' }, key] })).toBe('key_not_acceptable');
  });

  test('A08: a JWKS with two keys of one name is not acceptable', () => {
    expect(
      read({
        keys: [
          { ...jwk, kid: 'a' },
          { ...other.jwk, kid: 'a' },
        ],
      }),
    ).toBe('key_not_acceptable');
  });

  function generateJwk(publicExponent: number) {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent });
    return { ...publicKey.export({ format: 'jwk' }), alg: 'RS512' };
  }
});

describe('selectCandidates', () => {
  const [key] = readKeyDocument(jwk);
  const keyOf = (alg: 'RS256' | 'RS512', kid?: string) => ({ ...key, alg, kid }) as never;
  const header = { alg: 'RS512', jku: undefined } as const;

  test('A03: takes keys of the header’s algorithm only', () => {
    const [ofRs512, ofRs256] = [keyOf('RS512'), keyOf('RS256')];

    expect(selectCandidates([ofRs256, ofRs512], { ...header, kid: undefined })).toEqual([ofRs512]);
  });

  test('B14: takes every key of the algorithm when the header names none, eight at most', () => {
    const keys = Array.from({ length: 20 }, (_, index) => keyOf('RS512', `k${index}`));

    expect(selectCandidates(keys, { ...header, kid: undefined })).toEqual(keys.slice(0, 8));
  });

  test('B14: takes the key that the header names, and those without a name', () => {
    const keys = [keyOf('RS512', 'a'), keyOf('RS512', 'b'), keyOf('RS512')];

    expect(selectCandidates(keys, { ...header, kid: 'b' })).toEqual([keys[1], keys[2]]);
    expect(selectCandidates(keys, { ...header, kid: '' })).toEqual(keys.slice(2));
  });
});
