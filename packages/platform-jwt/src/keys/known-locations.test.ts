/** Threats B08 and B09: the limits of a location that has served a good key, and which senders can delay it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  installClaims,
  startTestPlatform,
  type TestPlatform,
  verdictOf,
} from '../testing/platform.ts';
import { createSigningKey, type SigningKey } from '../testing/signing-key.ts';
import type { PlatformJwtVerifier } from '../verifier.ts';
import type { KeyLocationMemory } from './known-locations.ts';
import type { Sender } from './sender.ts';

const second = 1000;
const day = 24 * 60 * 60 * second;
const nextKey = createSigningKey();
const garbage = createSigningKey();
const stranger: Sender = { address: 's', network: 's', isKnown: false };
const known: Sender = { address: 'p', network: 'p', isKnown: true };

let platform: TestPlatform;
let verifier: PlatformJwtVerifier;
let nowMs: number;
/** The content of the store, and the calls to it. */
let remembered: { location: string; usedAt: number }[];
let calls: string[];
let storeIsDown: boolean;

const memory = {
  async list() {
    calls.push('list');
    if (storeIsDown) throw new Error('the store is down');
    return remembered;
  },
  async remember(location: string) {
    calls.push(`remember ${location}`);
    if (storeIsDown) throw new Error('the store is down');
    remembered.push({ location, usedAt: nowMs });
  },
};

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(async () => {
  await platform[Symbol.asyncDispose]();
});

beforeEach(() => {
  nowMs = Date.UTC(2026, 0, 1);
  remembered = [];
  calls = [];
  storeIsDown = false;
  platform.host.serve('/keys/acme.jwk.json', platform.key.document);
  platform.host.requests.length = 0;
  restart();
});

function restart(): void {
  verifier = platform.createVerifier({ now: () => nowMs, keyLocationMemory: memory });
}

function verdict(
  key: SigningKey = platform.key,
  { file = 'acme.jwk.json', sender = stranger as Sender | undefined } = {},
) {
  const jku = `${platform.host.origin}/keys/${file}`;
  const jwt = platform.sign(installClaims(nowMs), { header: { jku }, key });
  return verdictOf(verifier.verifyEvent(jwt, 'install', sender ? { sender } : {}));
}

async function flood(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const sender = { address: `s${index}`, network: `s${index}`, isKnown: false };
    await verdict(garbage, { file: `made-up-${calls.length}-${index}.json`, sender });
  }
}

const fetches = () => platform.host.requests.length;
const notes = () => calls.filter((call) => call.startsWith('remember'));

describe('a location is remembered', () => {
  test('when a signature held under its key, and again after a day', async () => {
    await verdict();
    await verdict();
    expect(notes()).toEqual([`remember ${platform.location}`]);

    nowMs += day - 1;
    await verdict();
    expect(notes()).toHaveLength(1);
    nowMs += 1;
    await verdict();
    expect(notes()).toHaveLength(2);
  });

  test('after a restart no sooner than a day after it was noted', async () => {
    await verdict();
    nowMs += day / 2;
    restart();
    await verdict();
    expect(notes()).toHaveLength(1);

    nowMs += day / 2;
    await verdict();
    expect(notes()).toHaveLength(2);
  });

  test('not because a stranger names it, although its document is a key', async () => {
    expect(await verdict(garbage)).toBe('signature_invalid');

    expect(notes()).toEqual([]);
  });

  test('a minute later when the store failed, and the event is accepted all the same', async () => {
    storeIsDown = true;
    expect(await verdict()).toBe('accepted');
    storeIsDown = false;
    nowMs += 60 * second - 1;
    await verdict();
    expect(notes()).toHaveLength(1);

    nowMs += 1;
    await verdict();
    expect(notes()).toHaveLength(2);
    expect(remembered).toHaveLength(1);
  });
});

test('a memory that throws or returns nothing refuses no event', async () => {
  const throwing = () => {
    throw new Error('no memory');
  };
  const forgetful = (() => undefined) as unknown as KeyLocationMemory['remember'];
  for (const remember of [throwing, forgetful]) {
    verifier = platform.createVerifier({
      now: () => nowMs,
      keyLocationMemory: { list: throwing, remember },
    });
    expect(await verdict()).toBe('accepted');
  }
});

describe('a known location', () => {
  test('loads after a restart when strangers have used up every fetch', async () => {
    await verdict();
    restart();
    await flood(100);

    expect(await verdict()).toBe('accepted');
  });

  test('of another process is known within ten seconds', async () => {
    await flood(100);
    remembered.push({ location: platform.location, usedAt: nowMs });
    const sender = { ...stranger, address: 'late' };
    expect(await verdict(platform.key, { sender })).toBe('key_fetch_limited');

    nowMs += 10 * second;

    expect(await verdict(platform.key, { sender })).toBe('accepted');
  });

  test('is looked up in the store once in ten seconds, for any locations that strangers name', async () => {
    await flood(300);
    expect(calls).toEqual(['list']);

    nowMs += 10 * second;
    await flood(300);
    expect(calls).toEqual(['list', 'list']);
  });

  test('is looked up although the store failed before', async () => {
    remembered.push({ location: platform.location, usedAt: nowMs });
    storeIsDown = true;
    await flood(100);
    storeIsDown = false;
    nowMs += 10 * second;

    expect(await verdict()).toBe('accepted');
  });

  test('keeps its key in memory, however many other documents strangers have loaded', async () => {
    await verdict();
    for (let index = 0; index < 150; index += 1) {
      const file = `tenant-${index}.json`;
      platform.host.serve(`/keys/${file}`, garbage.document);
      const sender = { address: `s${index}`, network: `s${index}`, isKnown: false };
      await verdict(nextKey, { file, sender });
      nowMs += 2 * second;
    }
    const before = fetches();
    expect(before).toBeGreaterThan(64);

    expect(await verdict()).toBe('accepted');
    expect(fetches()).toBe(before);
  });

  test('does not count against the sender that had it loaded', async () => {
    for (let index = 0; index < 50; index += 1) {
      platform.host.serve(`/keys/tenant-${index}.json`, platform.key.document);
      expect(await verdict(platform.key, { file: `tenant-${index}.json` })).toBe('accepted');
    }
  });
});

describe('B09: a bad signature under a known location', () => {
  test('of a stranger does not delay a known sender’s check for newer keys', async () => {
    await verdict();
    nowMs += 30 * second;
    await verdict(garbage);
    expect(fetches()).toBe(2);
    platform.host.serve('/keys/acme.jwk.json', nextKey.document);

    expect(await verdict(nextKey, { sender: known })).toBe('accepted');
    expect(fetches()).toBe(3);
  });

  test('of known senders and strangers together fetches twice in 30 s', async () => {
    await verdict();
    nowMs += 30 * second;
    for (let count = 0; count < 50; count += 1) {
      await verdict(garbage);
      await verdict(garbage, { sender: known });
    }
    expect(fetches()).toBe(3);
    nowMs += 30 * second - 1;
    await verdict(garbage);
    await verdict(garbage, { sender: known });
    expect(fetches()).toBe(3);
  });

  test('is checked although strangers have used up every fetch', async () => {
    await verdict();
    await flood(100);
    platform.host.serve('/keys/acme.jwk.json', nextKey.document);
    nowMs += 30 * second;

    expect(await verdict(nextKey)).toBe('accepted');
  });

  test('never delays a good signature', async () => {
    await verdict();
    nowMs += 30 * second;
    const held: (() => void)[] = [];
    platform.host.serve('/keys/acme.jwk.json', (_, response) => {
      held.push(() => response.end(JSON.stringify(platform.key.document)));
    });
    const bad = verdict(garbage);
    await expect.poll(() => held.length).toBe(1);

    expect(await verdict()).toBe('accepted');

    held[0]?.();
    expect(await bad).toBe('signature_invalid');
  });
});

test('B15: a burst under one unknown location waits in the queue once', async () => {
  const held: (() => void)[] = [];
  for (const name of ['a', 'b', 'c']) {
    platform.host.serve(`/keys/held-${name}.json`, (_, response) => {
      held.push(() => response.writeHead(404).end());
    });
  }
  const strangers = ['a', 'b', 'c'].map((name) =>
    verdict(garbage, {
      file: `held-${name}.json`,
      sender: { address: name, network: name, isKnown: false },
    }),
  );
  await expect.poll(() => held.length).toBe(3);

  const burst = Array.from({ length: 100 }, () => verdict(platform.key));
  await expect.poll(() => calls.length).toBeGreaterThan(0);
  for (const end of held) end();

  expect(new Set(await Promise.all(burst))).toEqual(new Set(['accepted']));
  await Promise.all(strangers);
  expect(fetches()).toBe(4);
});
