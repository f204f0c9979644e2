/** Strangers who post JWTs with made-up key locations cost the platform nothing: row B08. */
import type { ServerResponse } from 'node:http';
import { parseTrustRules } from '@dowel/platform-jwt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createTestKey,
  initClaims,
  installClaims,
  type KeyHost,
  startKeyHost,
} from '../testing/key-host.ts';
import { sendEvent } from '../testing/send-event.ts';
import { startWorld, type World, type WorldOptions } from '../testing/start-world.ts';
import { defaultReceptionLimits } from './reception-guard.ts';

const key = createTestKey();
const nextKey = createTestKey();
const stranger = createTestKey();
const platformAddress = '203.0.113.7';
const strangers = (count: number) =>
  Array.from({ length: count }, (_, index) => `198.51.${100 + (index >> 8)}.${index & 255}`);

let world: World;
let keyHost: KeyHost;
let madeUp: number;
/** The BFF's clock is set by the test, so results do not depend on the machine's speed. */
let nowMs: number;

beforeEach(async () => {
  keyHost = await startKeyHost();
  keyHost.serve('acme.jwk.json', key.document);
  madeUp = 0;
  nowMs = Date.now();
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await keyHost[Symbol.asyncDispose]();
});

async function start({ app = {}, ...others }: WorldOptions = {}): Promise<void> {
  const trust = parseTrustRules(keyHost.trust);
  const limits = { ...defaultReceptionLimits, refusalsPerAddress: 120 };
  const now = () => nowMs;
  world = await startWorld({
    app: { trust, limits, now, proxyHops: 1, ...app },
    ...others,
  });
}

async function post(jwt: string, address: string): Promise<number> {
  return (await sendEvent(world, jwt, { 'x-forwarded-for': address })).status;
}

/** Each post names another key location and comes from the next address. */
async function flood(posts: number, addresses: readonly string[]): Promise<void> {
  for (let count = 0; count < posts; count += 1) {
    madeUp += 1;
    const jwt = keyHost.forge(`made-up-${madeUp}.json`, installClaims());
    await post(jwt, addresses[count % addresses.length] ?? '');
  }
}

const countMadeUp = () => keyHost.requests.filter((name) => name.startsWith('made-up')).length;

const postInstall = (name = 'acme.jwk.json', signer = key, address = platformAddress) =>
  post(keyHost.sign(name, installClaims(), signer), address);

describe('B08: made-up key locations', () => {
  test('54 of them from 5 addresses after a restart leave the platform’s own key alone', async () => {
    await start();
    expect(await postInstall()).toBe(201);
    await world.restart();

    await flood(54, strangers(5));

    expect(await postInstall()).toBe(201);
  });

  test('66 of them from 6 addresses do not block a key under a new name', async () => {
    await start();
    expect(await postInstall()).toBe(201);
    keyHost.serve('acme_new.jwk.json', nextKey.document);

    await flood(66, strangers(6));

    expect(await postInstall('acme_new.jwk.json', nextKey)).toBe(201);
  });

  test('posted without end from 200 addresses delay neither the key in use nor the next one', async () => {
    await start();
    expect(await postInstall()).toBe(201);
    await world.restart();
    keyHost.serve('acme_new.jwk.json', nextKey.document);
    keyHost.requests.length = 0;

    for (let round = 0; round < 8; round += 1) {
      await flood(50, strangers(200));
      expect(await postInstall()).toBe(201);
      if (round > 3) expect(await postInstall('acme_new.jwk.json', nextKey)).toBe(201);
    }

    expect(countMadeUp()).toBe(36);
    expect(keyHost.requests).toHaveLength(36 + 2);
  });

  test('from 30 addresses leave room for the first event of a platform that was never seen', async () => {
    await start();

    await flood(120, strangers(30));

    expect(await postInstall()).toBe(201);
  });

  test('from the address ranges of one stranger count against that stranger alone', async () => {
    await start();
    const ofOneSubnet = Array.from({ length: 100 }, (_, index) => `2001:db8:1:1::${index}`);
    const ofOneSite = Array.from({ length: 100 }, (_, index) => `2001:db8:2:${index}::1`);

    await flood(100, ofOneSubnet);
    expect(countMadeUp()).toBe(6);
    await flood(100, ofOneSite);
    expect(countMadeUp()).toBe(12);

    expect(await postInstall()).toBe(201);
  });

  test('posted as init JWTs delay neither a session nor an event', async () => {
    await start();
    const tenantId = crypto.randomUUID();
    const install = keyHost.sign('acme.jwk.json', installClaims({ tenantId }), key);
    expect(await post(install, platformAddress)).toBe(201);
    await world.restart();

    for (let count = 0; count < 60; count += 1) {
      const initJwt = keyHost.forge(`made-up-${count}.json`, initClaims(tenantId));
      const from = { 'x-forwarded-for': strangers(5)[count % 5] ?? '' };
      await world.post('/api/session', { initJwt, instanceId: 'i' }, from);
    }

    const initJwt = keyHost.sign('acme.jwk.json', initClaims(tenantId), key);
    const from = { 'x-forwarded-for': '192.0.2.50' };
    const session = await world.post('/api/session', { initJwt, instanceId: 'i' }, from);
    expect(session.status).toBe(201);
    expect(await postInstall()).toBe(201);
    // Each of the five addresses may use six fetches a minute.
    expect(countMadeUp()).toBeLessThanOrEqual(30);
  });

  test('from behind the platform’s own proxy do not lock out its key', async () => {
    await start({ app: { proxyHops: 0 } });
    expect(await postInstall()).toBe(201);
    await world.restart();

    await flood(100, ['']);
    for (let count = 0; count < 200; count += 1) await post('a.b.c', '');
    expect(await post('a.b.c', '')).toBe(429);

    expect(await postInstall()).toBe(201);
  });
});

describe('B08: a key host that never answers for made-up locations', () => {
  test('delays neither the key in use, before and after a restart, nor the next key', async () => {
    // Without a time-out: a request that waits for a stranger's download waits until the test
    // ends.
    await start({ app: { fetch: (input, init) => fetch(input, { ...init, signal: null }) } });
    expect(await postInstall()).toBe(201);
    keyHost.serve('acme_new.jwk.json', nextKey.document);
    const held: ServerResponse[] = [];
    keyHost.serveOthers((response) => held.push(response));
    const post12 = () =>
      Promise.all(strangers(12).map((address) => flood(1, [address]))).then(() => undefined);

    const waiting = [post12()];
    await expect.poll(() => held.length).toBe(3);
    expect(await postInstall()).toBe(201);
    expect(await postInstall('acme_new.jwk.json', nextKey)).toBe(201);

    await world.restart();
    waiting.push(post12());
    await expect.poll(() => held.length).toBe(6);
    expect(await postInstall()).toBe(201);

    keyHost.serveOthers((response) => response.writeHead(404).end());
    for (const response of held) response.writeHead(404).end();
    await Promise.all(waiting);
  });
});

describe('B09: garbage under the platform’s own location', () => {
  test('does not delay a new key under the old name, and fetches once', async () => {
    await start();
    expect(await postInstall()).toBe(201);
    const garbage = () => keyHost.sign('acme.jwk.json', installClaims(), stranger);
    for (const address of strangers(50)) expect(await post(garbage(), address)).toBe(400);
    expect(keyHost.requests).toHaveLength(1);

    keyHost.serve('acme.jwk.json', nextKey.document);
    expect(await postInstall('acme.jwk.json', nextKey)).toBe(201);

    for (const address of strangers(50)) expect(await post(garbage(), address)).toBe(400);
    expect(await postInstall('acme.jwk.json', nextKey)).toBe(201);
    expect(keyHost.requests).toHaveLength(2);
  });
});

describe('B10: a key host that is down', () => {
  test('does not count against the platform: its events are taken when the host is back', async () => {
    await start();
    keyHost.serve('acme.jwk.json', (response) => response.destroy());
    for (let count = 0; count < 200; count += 1) expect(await postInstall()).toBe(503);

    keyHost.serve('acme.jwk.json', key.document);
    nowMs += 10_000;

    expect(await postInstall()).toBe(201);
  });
});

test('a store that cannot be read causes one log line and loses no event', async () => {
  await start();
  const { keyLocations } = world.store;
  keyLocations.list = () => Promise.reject(new Error('the store is down'));
  keyLocations.remember = () => Promise.reject(new Error('the store is down'));

  await flood(54, strangers(5));

  expect(await postInstall()).toBe(201);
  await world.drain();
  expect(world.logs.filter((line) => line.includes('key_locations.unavailable'))).toHaveLength(1);
});
