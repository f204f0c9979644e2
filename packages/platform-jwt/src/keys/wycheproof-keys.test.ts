/**
 * Own cases for every class of the public Wycheproof vectors of keys (C2SP/wycheproof, testvectors_v1):
 *
 * json_web_key_test.json
 * - MixedKeySet, invalid AES keys, symmetric keys (empty, short, long) → "a symmetric key …"
 * - DuplicateKid → "two keys of one kid"
 * - wrong use, ROCA, 1024 bits, exponent 1, modified key → "a key set whose only key has …"
 * - elliptic keys with wrong algorithm, use, point, curve or kty → "kty EC"
 *
 * json_web_signature_test.json
 * - rejectWrongUse, rejectWrongKeyOps, rfc7520WithKeyOps → "a key set whose only key has …"
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  installClaims,
  startTestPlatform,
  type TestPlatform,
  verdictOf,
} from '../testing/platform.ts';
import { createRocaModulus, encodeInteger } from '../testing/weak-key.ts';
import type { PlatformJwtVerifier } from '../verifier.ts';

let platform: TestPlatform;
let verifier: PlatformJwtVerifier;

beforeAll(async () => {
  platform = await startTestPlatform();
  verifier = platform.createVerifier();
});

afterAll(async () => {
  await platform[Symbol.asyncDispose]();
});

describe('keys', () => {
  let served = 0;

  function verdictUnder(document: object, kid?: string) {
    served += 1;
    const jku = platform.host.serve(`/keys/wycheproof-${served}.json`, document);
    const jwt = platform.sign(installClaims(), { header: { jku, kid } });
    return verdictOf(verifier.verifyEvent(jwt, 'install'));
  }

  test.each([
    ['a good key', {}, 'accepted'],
    ['key_ops verify and a kid', { use: undefined, key_ops: ['verify'], kid: 'us' }, 'accepted'],
    ['use enc', { use: 'enc' }, 'key_not_acceptable'],
    ['key_ops encrypt', { use: undefined, key_ops: ['encrypt'] }, 'key_not_acceptable'],
    ['RSA1_5 for encryption', { alg: 'RSA1_5', use: 'enc' }, 'key_not_acceptable'],
    ['PS512', { alg: 'PS512' }, 'key_not_acceptable'],
    ['e = 1', { e: 'AQ' }, 'key_not_acceptable'],
    ['1024 bits', { n: encodeInteger(2n ** 1023n + 1n) }, 'key_not_acceptable'],
    ['ROCA', { n: encodeInteger(createRocaModulus()) }, 'key_not_acceptable'],
    ['kty oct', { kty: 'oct' }, 'key_not_acceptable'],
    ['kty EC', { kty: 'EC', crv: 'P-256' }, 'key_not_acceptable'],
    ['a modified n', { n: encodeInteger(2n ** 2047n + 12_345n) }, 'signature_invalid'],
  ])('a key set whose only key has %s', async (_, change, expected) => {
    const key = { ...platform.key.jwk, ...change };

    expect(await verdictUnder({ keys: [key] })).toBe(expected);
  });

  test.each([
    ['HS256', ''],
    ['HS512', 'AAAA'],
    ['HS512', 'A'.repeat(86)],
    ['A128GCM', 'AAAAAAAAAAAAAAAAAAAAAA'],
    ['A128KW', 'AAAAAAAAAAAAAAAAAAAAAA'],
  ])('a symmetric key (%s %s), alone and beside a good one', async (alg, k) => {
    const symmetric = { kty: 'oct', alg, k, kid: 'hmac' };

    expect(await verdictUnder(symmetric)).toBe('key_not_acceptable');
    expect(await verdictUnder({ keys: [symmetric, platform.key.jwk] })).toBe('key_not_acceptable');
  });

  test('two keys of one kid', async () => {
    const keys = [platform.key.jwk, platform.key.jwk].map((jwk) => ({ ...jwk, kid: 'one' }));

    expect(await verdictUnder({ keys })).toBe('key_not_acceptable');
  });

  test('the key of another kid', async () => {
    expect(await verdictUnder({ keys: [{ ...platform.key.jwk, kid: 'a' }] }, 'b')).toBe(
      'signature_invalid',
    );
    expect(await verdictUnder({ keys: [{ ...platform.key.jwk, kid: 'b' }] }, 'b')).toBe('accepted');
  });
});
