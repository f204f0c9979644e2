/** Threats A11 and G13: times are required, in seconds, plausible, and checked on both sides. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  installClaims,
  startTestPlatform,
  type TestPlatform,
  verdictOf,
} from '../testing/platform.ts';
import { assertClaims } from './claims.ts';
import type { JsonObject } from './strict-json.ts';

const nowMs = Date.UTC(2026, 0, 1);
const nowSeconds = nowMs / 1000;

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(async () => {
  await platform[Symbol.asyncDispose]();
});

/** The verdict on a correctly signed install event with these claims. */
function verdict(changes: Record<string, unknown>) {
  return verdictOnText(JSON.stringify({ ...installClaims(nowMs), ...changes }));
}

function verdictOnText(payload: string) {
  const verifier = platform.createVerifier({ now: () => nowMs });
  return verdictOf(verifier.verifyEvent(platform.sign(payload), 'install'));
}

describe('times', () => {
  test.each([
    ['exp missing', { exp: undefined }],
    ['iat missing', { iat: undefined }],
    ['exp as text', { exp: String(nowSeconds + 60) }],
    ['iat null', { iat: null }],
    ['exp of 1e308', { exp: 1e308 }],
    ['exp in milliseconds', { exp: nowMs }],
    ['a life of more than an hour', { exp: nowSeconds + 3601 }],
    ['exp before iat', { exp: nowSeconds - 1 }],
    ['nbf as text', { nbf: '0' }],
  ])('A11: %s is refused', async (_, changes) => {
    expect(await verdict(changes)).toBe('claims_invalid');
  });

  test('A11: a number beyond a double is refused', async () => {
    const payload = JSON.stringify(installClaims(nowMs)).replace(/"exp":\d+/, '"exp":1e400');

    expect(await verdictOnText(payload)).toBe('claims_invalid');
  });

  test('times may have a fraction (RFC 7519 §2)', async () => {
    const times = { iat: nowSeconds - 0.75, exp: nowSeconds + 60.25, nbf: nowSeconds - 0.75 };
    const verifier = platform.createVerifier({ now: () => nowMs });
    const jwt = platform.sign({ ...installClaims(nowMs), ...times });

    expect(await verifier.verifyEvent(jwt, 'install')).toMatchObject({
      iat: nowSeconds - 1,
      exp: nowSeconds + 60,
    });
  });

  test.each([
    ['issued 300 s ahead', { iat: nowSeconds + 300, exp: nowSeconds + 360 }, 'accepted'],
    ['issued 301 s ahead', { iat: nowSeconds + 301, exp: nowSeconds + 361 }, 'not_yet_valid'],
    [
      'issued 301 s ahead, valid since long',
      { iat: nowSeconds + 301, exp: nowSeconds + 361, nbf: nowSeconds - 10 },
      'not_yet_valid',
    ],
    ['with a life of an hour', { exp: nowSeconds + 3600 }, 'accepted'],
  ])('A11: a token %s is %s', async (_, changes, expected) => {
    expect(await verdict(changes)).toBe(expected);
  });

  test.each([
    ['exp 1 s ago', { iat: nowSeconds - 61, exp: nowSeconds - 1 }, 'accepted'],
    ['exp 300 s ago', { iat: nowSeconds - 360, exp: nowSeconds - 300 }, 'accepted'],
    ['exp 301 s ago', { iat: nowSeconds - 361, exp: nowSeconds - 301 }, 'expired'],
    ['nbf 10 s ago', { nbf: nowSeconds - 10 }, 'accepted'],
    ['nbf in 300 s', { nbf: nowSeconds + 300 }, 'accepted'],
    ['nbf in 301 s', { nbf: nowSeconds + 301 }, 'not_yet_valid'],
  ])('G13: %s, with a leeway of 300 s, gets the right verdict', async (_, changes, expected) => {
    expect(await verdict(changes)).toBe(expected);
  });

  test('G13: without leeway a token is valid until the second it expires', async () => {
    const jwt = platform.sign({ ...installClaims(nowMs), iat: nowSeconds - 60, exp: nowSeconds });
    const verdictAt = (ms: number) =>
      verdictOf(
        platform.createVerifier({ leewayMs: 0, now: () => ms }).verifyEvent(jwt, 'install'),
      );

    expect(await verdictAt(nowMs)).toBe('accepted');
    expect(await verdictAt(nowMs + 1000)).toBe('expired');
  });
});

describe('assertClaims', () => {
  const expected = { sub: 'install', audience: [], nowMs, leewayMs: 0 };

  test.each([
    { iat: String(nowSeconds) },
    { iat: null },
    { iat: undefined },
    { exp: String(nowSeconds) },
    { exp: undefined },
    { sub: undefined },
  ])('A11: refuses %j by itself, with any schema of the kind', (changes) => {
    const payload = { ...installClaims(nowMs), ...changes } as JsonObject;

    expect(() => assertClaims(payload, expected)).toThrow(/: claims_invalid$/);
  });
});

test.each([0, 1_500.5])(
  'a time limit of %d ms is refused, because no fetch could end in it',
  (ms) => {
    expect(() => platform.createVerifier({ keyFetchTimeoutMs: ms })).toThrow(/^keyFetchTimeoutMs /);
  },
);

const noTimes = [Number.NaN, Number.POSITIVE_INFINITY, -1, 2 ** 31, '300000'] as number[];

test.each(noTimes)('a leeway or time limit of %s is refused when the verifier is created', (ms) => {
  expect(() => platform.createVerifier({ leewayMs: ms })).toThrow(/^leewayMs must be/);
  expect(() => platform.createVerifier({ keyFetchTimeoutMs: ms })).toThrow(/^keyFetchTimeoutMs /);
});
