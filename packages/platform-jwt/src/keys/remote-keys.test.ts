/** Threats B08 to B10, B14 and B15: how often key hosts are asked, and which keys are used while they fail. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  installClaims,
  startTestPlatform,
  type TestPlatform,
  verdictOf,
} from '../testing/platform.ts';
import { createSigningKey, type SigningKey } from '../testing/signing-key.ts';
import type { PlatformJwtVerifier } from '../verifier.ts';

const second = 1000;
const hour = 60 * 60 * second;
const nextKey = createSigningKey();
const stranger = createSigningKey();

let platform: TestPlatform;
let verifier: PlatformJwtVerifier;
let nowMs: number;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(async () => {
  await platform[Symbol.asyncDispose]();
});

beforeEach(() => {
  nowMs = Date.UTC(2026, 0, 1);
  platform.host.serve('/keys/acme.jwk.json', platform.key.document);
  platform.host.requests.length = 0;
  verifier = platform.createVerifier({ now: () => nowMs });
});

function verdict(key: SigningKey = platform.key, file = 'acme.jwk.json') {
  const jku = `${platform.host.origin}/keys/${file}`;
  const jwt = platform.sign(installClaims(nowMs), { header: { jku }, key });
  return verdictOf(verifier.verifyEvent(jwt, 'install'));
}

function times<Result>(count: number, task: (index: number) => Promise<Result>) {
  return Promise.all(Array.from({ length: count }, (_, index) => task(index)));
}

function keyHostIsDown(): void {
  platform.host.serve('/keys/acme.jwk.json', (_, response) => response.destroy());
}

const fetches = () => platform.host.requests.length;

describe('one location', () => {
  test('B15: three hundred events at a cold start load their key once', async () => {
    expect(new Set(await times(300, () => verdict()))).toEqual(new Set(['accepted']));
    expect(fetches()).toBe(1);
  });

  test('a key is kept for a day, and loaded again after that', async () => {
    await verdict();
    nowMs += 24 * hour - 1;
    await verdict();
    expect(fetches()).toBe(1);

    nowMs += 1;
    expect(await verdict()).toBe('accepted');
    expect(fetches()).toBe(2);
  });

  test('after the clock is set back, a key counts as old, not as valid without end', async () => {
    await verdict();
    nowMs -= 24 * 365 * hour;

    expect(await verdict()).toBe('accepted');
    expect(fetches()).toBe(2);
  });

  test('B09: a hundred garbage signatures at a cold start cause one fetch', async () => {
    expect(new Set(await times(100, () => verdict(stranger)))).toEqual(
      new Set(['signature_invalid']),
    );
    expect(fetches()).toBe(1);
  });

  test('B09: garbage under a known key causes one fetch in 30 s', async () => {
    await verdict();
    nowMs += 30 * second;
    await times(100, () => verdict(stranger));
    expect(fetches()).toBe(2);

    nowMs += 30 * second - 1;
    await times(100, () => verdict(stranger));
    expect(fetches()).toBe(2);

    nowMs += 1;
    await verdict(stranger);
    expect(fetches()).toBe(3);
    expect(await verdict()).toBe('accepted');
  });

  test('B14: a new key under the old name is found with one refetch', async () => {
    await verdict();
    platform.host.serve('/keys/acme.jwk.json', nextKey.document);
    nowMs += 30 * second;

    expect(await verdict(nextKey)).toBe('accepted');
    expect(await verdict(nextKey)).toBe('accepted');
    expect(fetches()).toBe(2);
  });

  test('B14: a new key whose algorithm changed under the old name is found', async () => {
    await verdict();
    const rs256 = createSigningKey('RS256');
    platform.host.serve('/keys/acme.jwk.json', rs256.document);
    nowMs += 30 * second;
    const jku = platform.location;
    const jwt = platform.sign(installClaims(nowMs), { header: { alg: 'RS256', jku }, key: rs256 });

    expect(await verdictOf(verifier.verifyEvent(jwt, 'install'))).toBe('accepted');
  });

  test('B14: events that wait for the same refetch are all believed', async () => {
    await verdict();
    platform.host.serve('/keys/acme.jwk.json', nextKey.document);
    nowMs += 30 * second;

    expect(new Set(await times(50, () => verdict(nextKey)))).toEqual(new Set(['accepted']));
    expect(fetches()).toBe(2);
  });

  test('B14: a key that was replaced is no longer believed', async () => {
    await verdict();
    platform.host.serve('/keys/acme.jwk.json', nextKey.document);
    nowMs += 30 * second;
    await verdict(nextKey);

    expect(await verdict()).toBe('signature_invalid');
  });

  test('B14: keys of two files are believed in turn', async () => {
    platform.host.serve('/keys/acme_new.jwk.json', nextKey.document);

    expect(await verdict()).toBe('accepted');
    expect(await verdict(nextKey, 'acme_new.jwk.json')).toBe('accepted');
    expect(await verdict()).toBe('accepted');
    expect(fetches()).toBe(2);
  });
});

describe('a key host that is down', () => {
  test('B10: a key is requested again after ten seconds, as Retry-After says, not before', async () => {
    keyHostIsDown();
    expect(await verdict()).toBe('key_fetch_failed');
    nowMs += 10 * second - 1;
    expect(await verdict()).toBe('key_fetch_failed');
    expect(fetches()).toBe(1);

    platform.host.serve('/keys/acme.jwk.json', platform.key.document);
    nowMs += 1;
    expect(await verdict()).toBe('accepted');
    expect(fetches()).toBe(2);
  });

  test('B10: an expired key is used for one more day, and its host is asked once in ten seconds', async () => {
    await verdict();
    keyHostIsDown();
    nowMs += 24 * hour;
    expect(new Set(await times(20, () => verdict()))).toEqual(new Set(['accepted']));
    expect(fetches()).toBe(2);

    nowMs += 24 * hour - 1;
    expect(await verdict()).toBe('accepted');
    nowMs += 1;
    expect(await verdict()).toBe('key_fetch_failed');
  });

  test('B10: an expired key does not verify the token of a stranger', async () => {
    await verdict();
    keyHostIsDown();
    nowMs += 24 * hour;

    expect(await verdict(stranger)).toBe('signature_invalid');
  });

  test('B10: a key whose document became invalid is not used after its day', async () => {
    await verdict();
    platform.host.serve('/keys/acme.jwk.json', { key: 'withdrawn' });
    nowMs += 24 * hour;

    expect(await verdict()).toBe('key_not_acceptable');
  });

  test('B09: a failed refetch does not change the known key', async () => {
    await verdict();
    keyHostIsDown();
    nowMs += 30 * second;

    expect(await verdict(stranger)).toBe('signature_invalid');
    expect(await verdict()).toBe('accepted');
  });
});

describe('all locations', () => {
  // A slow machine needs its time for five thousand signatures.
  const patience = { timeout: 300_000 };
  test(
    'B08: five thousand invented locations cause at most 60 fetches in a minute',
    patience,
    async () => {
      await verdict();

      const verdicts = await times(5_000, async (index) => {
        if (index % 100 === 0) expect(await verdict()).toBe('accepted');
        return verdict(stranger, `made-up-${index}.json`);
      });

      expect(new Set(verdicts)).toEqual(new Set(['key_fetch_failed', 'key_fetch_limited']));
      expect(fetches()).toBeLessThanOrEqual(60);
      expect(await verdict()).toBe('accepted');
    },
  );

  test('B08: one after the other, they cause 36 fetches in a minute', async () => {
    for (let index = 0; index < 100; index += 1) await verdict(stranger, `one-${index}.json`);
    expect(fetches()).toBe(36);

    nowMs += 60 * second;
    await verdict(stranger, 'one-more.json');
    expect(fetches()).toBe(37);
  });

  test('B08: a known location keeps its share of the fetches', async () => {
    await verdict();
    nowMs += 30 * second;
    for (let index = 0; index < 60; index += 1) await verdict(stranger, `two-${index}.json`);
    platform.host.serve('/keys/acme.jwk.json', nextKey.document);

    expect(await verdict(nextKey)).toBe('accepted');
  });

  test('B08: at most three fetches of unknown locations are under way, in addition to those of known ones', async () => {
    await verdict();
    const held: (() => void)[] = [];
    for (let index = 0; index < 8; index += 1) {
      platform.host.serve(`/keys/held-${index}.json`, (_, response) => {
        held.push(() => response.end(JSON.stringify(platform.key.document)));
      });
    }
    const waiting = times(8, (index) => verdict(platform.key, `held-${index}.json`));
    await expect.poll(() => held.length).toBe(3);
    nowMs += 24 * hour;

    expect(await verdict()).toBe('accepted');
    expect(fetches()).toBe(1 + 3 + 1);
    nowMs += 24 * hour;
    expect(await verdict()).toBe('accepted');
    expect(fetches()).toBe(1 + 3 + 2);

    for (let index = 0; index < 8; index += 1) {
      await expect.poll(() => held[index]).toBeDefined();
      held[index]?.();
    }
    await waiting;
    expect(fetches()).toBe(1 + 8 + 2);
  });

  test('B08: requests beyond the queue are refused at once, because the platform would not wait for them', async () => {
    platform.host.serve('/keys/held.json', () => {});
    const verdicts: string[] = [];
    const pending = times(40, async (index) => {
      platform.host.serve(`/keys/queued-${index}.json`, (_, response) => {
        setTimeout(() => response.end(JSON.stringify(platform.key.document)), 10);
      });
      verdicts.push(await verdict(platform.key, `queued-${index}.json`));
    });
    await pending;

    expect(verdicts.filter((each) => each === 'accepted')).toHaveLength(3 + 8);
    expect(verdicts.filter((each) => each === 'key_fetch_limited')).toHaveLength(40 - 3 - 8);
  });
});
