/**
 * More than a hundred thousand hostile tokens, a tenth of them in `npm test`: each is refused with a reason. A
 * failure prints its seed and path; repeat it with `DOWEL_SEED=<seed>`.
 */
import { verify } from 'node:crypto';
import { canonicalIssuer } from '@dowel/schema';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseStrictJson } from './jws/strict-json.ts';
import {
  arbitraryText,
  describeJwt,
  type JwtSource,
  mutateBits,
  mutateBytes,
  mutateMembers,
  mutateParts,
  mutateSyntax,
  mutateUnsigned,
} from './testing/mutate-jwt.ts';
import {
  installClaims,
  startTestPlatform,
  type TestPlatform,
  verdictOf,
} from './testing/platform.ts';
import type { PlatformJwtVerifier } from './verifier.ts';

const nowMs = Date.UTC(2026, 0, 1);
const timeoutMs = 180_000;
/** A tenth of the tokens in `npm test`, all of them in `npm run test:all`. */
const share = process.env.DOWEL_TESTS === 'all' ? 1 : 10;
const seed = process.env.DOWEL_SEED;
const parameters = seed ? { seed: Number(seed) } : {};

let platform: TestPlatform;
let verifier: PlatformJwtVerifier;
let good: string;
let source: JwtSource;

beforeAll(async () => {
  platform = await startTestPlatform();
  verifier = platform.createVerifier({ now: () => nowMs });
  source = { header: platform.header, claims: installClaims(nowMs) };
  good = platform.sign(source.claims);
  await verifier.verifyEvent(good, 'install');
});

afterAll(async () => {
  await platform[Symbol.asyncDispose]();
});

/** Node's own result for the token's bytes, with the algorithm of our key. */
function isSigned(jwt: string): boolean {
  const end = jwt.lastIndexOf('.');
  const signature = Buffer.from(jwt.slice(end + 1), 'base64url');
  return verify('sha512', Buffer.from(jwt.slice(0, end)), platform.key.publicKey, signature);
}

async function assertRefused(jwt: string): Promise<void> {
  const verdict = await verdictOf(verifier.verifyEvent(jwt, 'install'));
  if (verdict === 'accepted' && jwt !== good) throw new Error(`Accepted ${describeJwt(jwt)}`);
}

describe('tokens that nobody signed', () => {
  test.each([
    ['bytes', 30_000 / share, () => mutateBytes(good)],
    ['bits', 10_000 / share, () => mutateBits(good)],
    ['parts', 15_000 / share, () => mutateParts(good)],
    ['headers, claims and syntax', 40_000 / share, () => mutateUnsigned(good, source)],
    ['arbitrary text', 10_000 / share, () => arbitraryText],
  ])(
    'changed in %s, %i of them are refused',
    async (_, numRuns, arbitrary) => {
      await fc.assert(fc.asyncProperty(arbitrary(), assertRefused), { ...parameters, numRuns });
    },
    timeoutMs,
  );
});

describe('tokens that the platform signed', () => {
  /** Properties of every accepted event. */
  function assertSame(event: object, jwt: string): void {
    const payload = Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8');
    const claims = JSON.parse(payload) as Record<string, unknown>;
    expect(event).toHaveProperty('iss', canonicalIssuer(String(claims.iss)));
    for (const name of ['sub', 'iat', 'exp']) expect(event).toHaveProperty(name, claims[name]);
    expect(isSigned(jwt)).toBe(true);
    expect(event).toMatchObject({
      sub: 'install',
      iss: expect.stringMatching(/^https:\/\/[^/]+\.platform\.example(\/|$)/),
    });
    expect(Math.abs(Number(claims.iat) - nowMs / 1000)).toBeLessThanOrEqual(3_900);
    expect(Object.keys(claims)).not.toContain('__proto__');
  }

  async function judge(jwt: string): Promise<void> {
    const outcome = await verifier.verifyEvent(jwt, 'install').catch(() => undefined);
    if (outcome) assertSame(outcome, jwt);
  }

  test.each([
    ['members', 4_000 / share, () => mutateMembers(source.claims)],
    ['syntax', 4_000 / share, () => mutateSyntax(source.claims)],
  ])(
    'with hostile %s, %i of them are refused or mean what they say',
    async (_, numRuns, arbitrary) => {
      const property = fc.asyncProperty(arbitrary(), (payload) => judge(platform.sign(payload)));
      await fc.assert(property, { ...parameters, numRuns });
    },
    timeoutMs,
  );
});

describe('JSON', () => {
  test(
    'any text is refused or read as JSON.parse reads it',
    () => {
      const texts = fc.oneof(fc.json(), mutateSyntax(source.claims), mutateMembers(source.claims));
      const property = fc.property(texts, (text) => {
        const value = attempt(() => parseStrictJson(text));
        if (value !== undefined) expect(value).toEqual(JSON.parse(text));
      });

      fc.assert(property, { ...parameters, numRuns: 50_000 / share });
    },
    timeoutMs,
  );

  function attempt(parse: () => unknown): unknown {
    try {
      return parse();
    } catch {
      return undefined;
    }
  }
});
