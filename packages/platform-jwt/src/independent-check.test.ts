/** Two other implementations verify the same tokens with the same key: they refuse none that we accept. */
import { verify } from 'node:crypto';
import fc from 'fast-check';
import { jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mutateBits, mutateBytes, mutateMembers, mutateUnsigned } from './testing/mutate-jwt.ts';
import {
  installClaims,
  startTestPlatform,
  type TestPlatform,
  verdictOf,
} from './testing/platform.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(async () => {
  await platform[Symbol.asyncDispose]();
});

function nodeAccepts(jwt: string): boolean {
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  return verify('sha512', Buffer.from(`${header}.${payload}`), platform.key.publicKey, bytes);
}

async function joseAccepts(jwt: string): Promise<boolean> {
  const options = { algorithms: ['RS512'], clockTolerance: 300 };
  return jwtVerify(jwt, platform.key.publicKey, options).then(
    () => true,
    () => false,
  );
}

function createTokens(): string[] {
  const claims = installClaims();
  const good = platform.sign(claims);
  const unsigned = fc.oneof(
    mutateBytes(good),
    mutateBits(good),
    mutateUnsigned(good, { header: platform.header, claims }),
  );
  const signedNoise = fc.sample(mutateMembers(claims), 1_000).map((each) => platform.sign(each));
  const signedGood = Array.from({ length: 500 }, (_, index) =>
    platform.sign({ ...claims, jti: String(index), extra: 'x'.repeat(index) }),
  );
  return [...fc.sample(unsigned, 1_500), ...signedNoise, ...signedGood];
}

test('of 3,000 tokens, node:crypto and jose refuse none that we accept', async () => {
  const verifier = platform.createVerifier();
  const counts = { ours: 0, node: 0, jose: 0 };

  for (const jwt of createTokens()) {
    const isOurs = (await verdictOf(verifier.verifyEvent(jwt, 'install'))) === 'accepted';
    const verdicts = { ours: isOurs, node: nodeAccepts(jwt), jose: await joseAccepts(jwt) };
    if (isOurs) expect(verdicts, jwt).toEqual({ ours: true, node: true, jose: true });
    for (const [who, accepts] of Object.entries(verdicts)) {
      counts[who as keyof typeof counts] += Number(accepts);
    }
  }

  // The comparison is meaningful: we accept the good tokens, and the others accept more than we do.
  expect(counts.ours).toBeGreaterThanOrEqual(500);
  expect(counts.jose).toBeGreaterThan(counts.ours);
  expect(counts.node).toBeGreaterThanOrEqual(1_500);
});
