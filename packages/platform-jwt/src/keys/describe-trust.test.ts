/** The report for operators about the trust rules and the loaded keys. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  installClaims,
  startTestPlatform,
  type TestPlatform,
  verdictOf,
} from '../testing/platform.ts';
import { createSigningKey } from '../testing/signing-key.ts';
import type { PlatformJwtVerifier } from '../verifier.ts';
import { parseTrustRules } from './trust-rules.ts';

const hour = 3_600_000;
const day = 24 * hour;
const stranger = createSigningKey();

let platform: TestPlatform;
let verifier: PlatformJwtVerifier;
let nowMs: number;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(() => platform[Symbol.asyncDispose]());

beforeEach(() => {
  nowMs = Date.UTC(2026, 0, 1);
  platform.host.serve('/keys/acme.jwk.json', platform.key.document);
  verifier = platform.createVerifier({ now: () => nowMs });
});

function receive(file = 'acme.jwk.json', key = platform.key) {
  const header = { jku: `${platform.host.origin}/keys/${file}` };
  return verdictOf(
    verifier.verifyEvent(platform.sign(installClaims(nowMs), { header, key }), 'install'),
  );
}

function keyHostIsDown(): void {
  platform.host.serve('/keys/acme.jwk.json', (_, response) => response.destroy());
}

describe('the report of the trust', () => {
  test('has the rules before anything was fetched', () => {
    expect(verifier.describeTrust()).toEqual({
      rules: [
        {
          issuer: 'https://*.platform.example',
          location: `${platform.host.origin}/keys/`,
          pinned: undefined,
          fetchedAt: undefined,
          usableUntil: undefined,
          failure: undefined,
        },
      ],
      locations: [],
      hiddenLocations: 0,
    });
  });

  test('has the fetched keys, when they were fetched, and until when they are used', async () => {
    expect(await receive()).toBe('accepted');

    const { locations, rules } = verifier.describeTrust();

    const spki = platform.key.publicKey.export({ type: 'spki', format: 'der' });
    expect(locations).toEqual([
      {
        location: platform.location,
        isProven: true,
        keys: [
          {
            kid: undefined,
            algorithm: platform.key.alg,
            bits: 2048,
            fingerprint: createHash('sha256').update(spki).digest('hex'),
          },
        ],
        fetchedAt: nowMs,
        freshUntil: nowMs + day,
        usableUntil: nowMs + 2 * day,
        failure: undefined,
      },
    ]);
    expect(rules).toMatchObject([
      { fetchedAt: nowMs, usableUntil: nowMs + 2 * day, failure: undefined },
    ]);
  });

  test('names the reason of a failed fetch while cached keys serve, until one succeeds', async () => {
    await receive();
    const fetchedAt = nowMs;
    nowMs += day;
    keyHostIsDown();
    expect(await receive()).toBe('accepted');

    const failure = { reason: 'key_fetch_failed', at: nowMs };
    expect(verifier.describeTrust()).toMatchObject({
      rules: [{ fetchedAt, failure }],
      locations: [{ fetchedAt, failure }],
    });

    platform.host.serve('/keys/acme.jwk.json', platform.key.document);
    nowMs += hour;
    await receive();
    expect(verifier.describeTrust().rules).toMatchObject([
      { fetchedAt: nowMs, failure: undefined },
    ]);
  });

  test('is not spoiled by locations that strangers invent', async () => {
    await receive();
    nowMs += 1;
    await receive('invented.json', stranger);

    const { rules, locations } = verifier.describeTrust();

    expect(rules).toMatchObject([{ fetchedAt: nowMs - 1, failure: undefined }]);
    expect(locations.map(({ isProven }) => isProven)).toEqual([true, false]);
  });

  test('has the failure of a rule that never worked', async () => {
    await receive('missing.json');

    expect(verifier.describeTrust().rules).toMatchObject([
      { fetchedAt: undefined, failure: { reason: 'key_fetch_failed', at: nowMs } },
    ]);
  });

  test('has limits that strangers cannot exceed', async () => {
    for (let count = 0; count < 130; count += 1) {
      nowMs += 10_000;
      await receive(`${'long'.repeat(100)}${count}.json`, stranger);
    }

    const { locations, hiddenLocations } = verifier.describeTrust();

    expect(locations).toHaveLength(100);
    expect(hiddenLocations).toBeGreaterThan(0);
    expect(Math.max(...locations.map(({ location }) => location.length))).toBe(300);
  });

  test('names pinned keys by their fingerprints', () => {
    const readKeyFile = () => JSON.stringify(platform.key.document);
    const trustRules = parseTrustRules('https://acme.example=file:acme.json', { readKeyFile });

    const [rule] = platform.createVerifier({ trustRules }).describeTrust().rules;

    expect(rule).toMatchObject({
      issuer: 'https://acme.example',
      location: undefined,
      pinned: [
        { algorithm: platform.key.alg, fingerprint: expect.stringMatching(/^[\da-f]{64}$/) },
      ],
    });
  });
});
