/** When a call renews its token, and how often (Spec §5). */

import { answersWith, refuses, strictRules } from '@dowel/emulator/authorization-server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TokenChanges } from './testing/tenant-world.ts';
import { startTenantWorld, type TenantPlatform, type TenantWorld } from './testing/tenant-world.ts';
import { createTokenClient, type TokenClientOptions } from './token-client.ts';
import type { InstallationLife } from './token-store.ts';

let now: number;
let world: TenantWorld;
let store: TenantWorld['store'];
let platform: TenantPlatform;
let installation: InstallationLife;

beforeEach(async () => {
  now = 1_000_000;
  world = await startTenantWorld(() => now);
  ({ store, platform, installation } = world);
});

afterEach(() => world.close());

const createClient = (options?: Partial<TokenClientOptions>) => world.createClient(options);
const storeTokens = (changes?: TokenChanges) => world.storeTokens(changes);
const voidAccessTokens = () => world.voidAccessTokens();

const post = { method: 'POST', body: '{}' };

describe('fetch', () => {
  test('twenty calls that meet a 401 start one refresh, and all succeed', async () => {
    await storeTokens();
    voidAccessTokens();
    const client = createClient();

    const responses = await Promise.all(
      Array.from({ length: 20 }, () => client.fetch(installation.id, '/api/things', post)),
    );

    expect(responses.map((response) => response.status)).toEqual(Array(20).fill(201));
    expect(platform.tokenRequests).toHaveLength(1);
  });

  test('a late 401 of an old token retries without a refresh', async () => {
    await storeTokens();
    const client = createClient();
    const late = createTokenClient({
      store,
      now: () => now,
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (response.status === 401 && platform.tokenRequests.length === 0) {
          await client.fetch(installation.id, '/api/things', post);
        }
        return response;
      },
    });
    voidAccessTokens();

    const response = await late.fetch(installation.id, '/api/things', post);

    expect(response.status).toBe(201);
    expect(platform.tokenRequests).toHaveLength(1);
  });

  test('a late 401 of an old token renews its successor, if that is void as well', async () => {
    await storeTokens();
    let isFirst = true;
    const client = createClient({
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (isFirst) {
          isFirst = false;
          await client.fetch(installation.id, '/api/things', post);
          voidAccessTokens();
        }
        return response;
      },
    });
    voidAccessTokens();

    const response = await client.fetch(installation.id, '/api/things', post);

    expect(response.status).toBe(201);
    expect(platform.tokenRequests).toHaveLength(2);
  });

  test('a call that missed a renewal and the expiry of its token renews it', async () => {
    await storeTokens();
    const asleep = createClient({ store: { ...store, onChange: () => () => {} } });
    await asleep.fetch(installation.id, '/api/things', post);
    voidAccessTokens();
    await createClient().fetch(installation.id, '/api/things', post);
    voidAccessTokens();
    now += 1;
    platform.calls = 0;

    const response = await asleep.fetch(installation.id, '/api/things', post);

    expect(response.status).toBe(201);
    expect(platform).toMatchObject({ calls: 3, tokenRequests: { length: 2 } });
  });

  test('a token of 3,600 s is not refreshed after 3,589 s, and before the first call after 3,590 s', async () => {
    await storeTokens();
    const client = createClient();

    now += 3_589_000;
    expect((await client.fetch(installation.id, '/api/things', post)).status).toBe(201);
    expect(platform).toMatchObject({ calls: 1, tokenRequests: { length: 0 } });

    now += 1_000;
    expect((await client.fetch(installation.id, '/api/things', post)).status).toBe(201);
    expect(platform).toMatchObject({ calls: 2, tokenRequests: { length: 1 } });
  });

  test('R8: a token with a lifetime of eight seconds is not refreshed at once', async () => {
    await storeTokens();
    platform.fault = answersWith({ expires_in: 8 });
    voidAccessTokens();
    const client = createClient();

    await client.fetch(installation.id, '/api/things', post);
    await client.fetch(installation.id, '/api/things', post);

    expect(platform.tokenRequests).toHaveLength(1);
  });

  test('R9: an answer without a refresh token keeps the old one', async () => {
    await storeTokens();
    platform.rules = { ...strictRules, refreshTokens: 'omit' };
    voidAccessTokens();
    const before = await store.grants.load(installation.id);

    await createClient().fetch(installation.id, '/api/things', post);

    const after = await store.grants.load(installation.id);
    expect(after?.accessToken.reveal()).not.toBe(before?.accessToken.reveal());
    expect(before?.refreshToken).toBeTruthy();
    expect(after?.refreshToken?.reveal()).toBe(before?.refreshToken?.reveal());
  });

  test('R3: while a platform is down, neither the refresh token nor the valid access token is lost', async () => {
    await storeTokens();
    platform.fault = refuses(503);
    platform.triggerStatus = 503;
    now += 3_591_000;
    const policy = { backOff: { baseMs: 1, maxMs: 1 }, refreshIntervalMs: 1 };
    const client = createClient({ policy });

    expect((await client.fetch(installation.id, '/api/things', post)).status).toBe(201);
    expect(platform.triggers).toEqual([]);
    now += 20_000;
    await expect(client.fetch(installation.id, '/api/things', post)).rejects.toMatchObject({
      code: 'REFRESH_FAILED',
      retryAfterSeconds: 1,
      cause: { reason: 'token_endpoint_answered_503' },
    });
    expect(platform.triggers).toHaveLength(1);

    platform.fault = {};
    await vi.waitFor(async () => {
      expect((await client.fetch(installation.id, '/api/things', post)).status).toBe(201);
    }, 120_000);
    expect(await store.grants.load(installation.id)).toMatchObject({ tokenVersion: 2 });
  });

  test('H07: a platform that refuses every token does not get an endless series of refreshes', async () => {
    await storeTokens();
    platform.refusesEverything = true;
    // The longest: the bucket must not fill up again while a slow machine sends the calls.
    const policy = { refreshIntervalMs: 20_000 };
    const clients = [createClient({ policy }), createClient({ policy })];

    const outcomes = [];
    for (let count = 0; count < 30; count += 1) {
      const call = clients[count % 2]?.fetch(installation.id, '/api/things', post);
      outcomes.push(
        await call?.then(
          ({ status }) => status,
          (error: { code: string }) => error.code,
        ),
      );
    }

    expect(outcomes.slice(0, 3)).toEqual(Array(3).fill(401));
    expect(outcomes.slice(3)).toEqual(Array(27).fill('REFRESH_FAILED'));
    expect(platform.tokenRequests).toHaveLength(3);
  });

  test('an answer that is not a token response ends nothing: three tries, then one trigger', async () => {
    await storeTokens();
    voidAccessTokens();
    platform.fault = { change: () => ({ status: 200, body: ['not a token response'] }) };
    platform.onTrigger = () => void storeTokens();

    expect((await createClient().fetch(installation.id, '/api/things', post)).status).toBe(201);
    expect(platform).toMatchObject({ tokenRequests: { length: 3 }, triggers: { length: 1 } });
  });

  test('R10: a refresh that is refused because of a newer event sends no trigger', async () => {
    await storeTokens();
    voidAccessTokens();
    platform.fault = { before: () => storeTokens() };
    const heard: string[] = [];
    const client = createClient({ observe: ({ type }) => heard.push(type) });

    expect((await client.fetch(installation.id, '/api/things', post)).status).toBe(201);
    expect(platform.triggers).toEqual([]);
    expect(heard).toEqual(['refresh_failed']);
    expect((await store.installations.get(installation.id))?.status).toBe('active');
  });

  test('each refresh and trigger is in the history', async () => {
    await storeTokens();
    voidAccessTokens();
    await createClient().fetch(installation.id, '/api/things', post);

    expect(world.operationsOf(installation.id)).toMatchObject([
      { operation: 'refresh', succeeded: true, tokenVersion: 2, reason: null },
    ]);
  });
});
