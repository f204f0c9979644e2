/** What the log says of a refused JWT: the values, the rules that were compared, and what to change. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PlatformJwtError } from './errors.ts';
import { installClaims, issuer, startTestPlatform, type TestPlatform } from './testing/platform.ts';

const nowMs = Date.UTC(2026, 0, 1);

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(async () => {
  await platform[Symbol.asyncDispose]();
});

/** The reason of the refusal, and its explanation. */
async function refuse(changes: Record<string, unknown>, header: Record<string, unknown> = {}) {
  const verifier = platform.createVerifier({ now: () => nowMs });
  const jwt = platform.sign({ ...installClaims(nowMs), ...changes }, { header });
  const error = await verifier.verifyEvent(jwt, 'install').catch((thrown: unknown) => thrown);
  if (!(error instanceof PlatformJwtError)) throw new Error('It was not refused', { cause: error });
  return { reason: error.reason, ...verifier.explain(jwt, error) };
}

describe('an issuer without a rule', () => {
  test('is named by its origin, with the rules', async () => {
    expect(await refuse({ iss: 'https://other.example/tenants/7' })).toEqual({
      reason: 'issuer_key_mismatch',
      claimedIssuer: 'https://other.example',
      keyOrigin: platform.host.origin,
      rules: [platform.trust],
      fix: expect.stringMatching(/add a rule for it to DOWEL_TRUST/),
    });
  });

  test('names both issuers if only http and https differ', async () => {
    expect(await refuse({ iss: issuer.replace('https:', 'http:') })).toMatchObject({
      claimedIssuer: issuer.replace('https:', 'http:'),
      trustedIssuer: 'https://*.platform.example',
      fix: expect.stringMatching(/^Only http and https differ/),
    });
  });
});

test('a key location that no rule allows is named by its origin, with the rule of the issuer', async () => {
  const jku = 'https://keys.example/private/path.json?token=secret';

  const explained = await refuse({}, { jku });

  expect(explained).toEqual({
    reason: 'jku_not_allowed',
    claimedIssuer: issuer,
    keyOrigin: 'https://keys.example',
    rules: [platform.trust],
    fix: expect.stringMatching(/change the rule in DOWEL_TRUST/),
  });
});

const seconds = nowMs / 1_000;

test.each([
  {
    reason: 'expired',
    claims: { iat: seconds - 4_000, exp: seconds - 3_940 },
    offBySeconds: 3_940,
  },
  {
    reason: 'not_yet_valid',
    claims: { iat: seconds + 301, exp: seconds + 361 },
    offBySeconds: 301,
  },
  {
    reason: 'not_yet_valid',
    claims: { nbf: seconds + 500, exp: seconds + 600 },
    offBySeconds: 500,
  },
])(
  '$reason has the difference of $offBySeconds s, and the time here',
  async ({ claims, ...expected }) => {
    expect(await refuse(claims)).toEqual({
      ...expected,
      allowedSeconds: 300,
      clock: '2026-01-01T00:00:00.000Z',
      fix: expect.stringMatching(/^Compare the clock/),
    });
  },
);

test('A18: a host that could write into a log is left out', async () => {
  const explained = await refuse(
    { iss: `https://${'a.'.repeat(200)}example` },
    { jku: 'data:text/plain,\r\nforged' },
  );

  expect(explained).toMatchObject({ claimedIssuer: undefined, keyOrigin: undefined });
  expect(JSON.stringify(explained)).not.toMatch(/forged|a\.a\./);
});

test('other reasons say it all', async () => {
  expect(await refuse({ sub: 'init' })).toEqual({ reason: 'sub_mismatch' });
});
