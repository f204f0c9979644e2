/** Calls that need a new event: the trigger, and the wait for its tokens (Spec §4.3). */
import { revokeGrants } from '@dowel/emulator/authorization-server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TokenChanges } from './testing/tenant-world.ts';
import { startTenantWorld, type TenantPlatform, type TenantWorld } from './testing/tenant-world.ts';
import type { TokenClientOptions } from './token-client.ts';
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
  test('C20: a dead refresh token leads to one trigger, and 200 calls continue with the new event', async () => {
    await storeTokens();
    revokeGrants(platform.client);
    platform.onTrigger = () => void storeTokens();
    const client = createClient();

    const responses = await Promise.all(
      Array.from({ length: 200 }, () => client.fetch(installation.id, '/api/things', post)),
    );

    expect(responses.map((response) => response.status)).toEqual(Array(200).fill(201));
    expect(platform.tokenRequests).toHaveLength(1);
    expect(platform.triggers).toEqual(['{"token":"t"}']);
  });

  test('a refused token without a refresh token leads directly to the trigger', async () => {
    await storeTokens({ refreshToken: null });
    voidAccessTokens();
    platform.onTrigger = () => void storeTokens();

    expect((await createClient().fetch(installation.id, '/api/things', post)).status).toBe(201);
    expect(platform).toMatchObject({ tokenRequests: { length: 0 }, triggers: { length: 1 } });
  });

  test('an expired token without a refresh token leads to the trigger, and is not sent', async () => {
    await storeTokens({ refreshToken: null });
    now += 3_600_000;
    platform.onTrigger = () => void storeTokens();

    expect((await createClient().fetch(installation.id, '/api/things', post)).status).toBe(201);
    expect(platform).toMatchObject({
      calls: 1,
      tokenRequests: { length: 0 },
      triggers: { length: 1 },
    });
  });

  test('a token without a refresh token is used until it expires, and its successor is requested before', async () => {
    await storeTokens({ refreshToken: null });
    now += 3_591_000;
    const client = createClient({ policy: { waitMs: 50 } });

    for (const _ of [1, 2]) {
      expect((await client.fetch(installation.id, '/api/things', post)).status).toBe(201);
    }
    // The calls did not wait for it.
    await expect.poll(() => platform.triggers).toHaveLength(1);
    expect(platform.calls).toBe(2);
    expect((await store.installations.get(installation.id))?.status).toBe('active');
  });

  test('a call whose valid token is refused waits for the requested successor', async () => {
    await storeTokens({ refreshToken: null });
    voidAccessTokens();
    platform.triggerDelayMs = 200;
    now += 3_591_000;
    const client = createClient({
      policy: { livingWaitMs: 0 },
      observe: ({ type }) => {
        if (type === 'parked') void storeTokens();
      },
    });

    expect((await client.fetch(installation.id, '/api/things', post)).status).toBe(201);
    await expect.poll(() => platform.triggers).toHaveLength(1);
  });

  test('a missing event leads to TOKEN_UNAVAILABLE, and the next call sends no second trigger', async () => {
    await storeTokens({ refreshToken: null });
    voidAccessTokens();
    const client = createClient({ policy: { waitMs: 50 } });

    for (const _ of [1, 2]) {
      await expect(client.fetch(installation.id, '/api/things', post)).rejects.toMatchObject({
        code: 'TOKEN_UNAVAILABLE',
        retryAfterSeconds: 30,
      });
      // The call may end before its trigger arrives.
      await expect.poll(() => platform.triggers).toHaveLength(1);
    }
    expect((await store.installations.get(installation.id))?.status).toBe('awaiting_event');
  });

  test('H07: a platform without refresh tokens does not get an endless series of triggers', async () => {
    await storeTokens({ refreshToken: null });
    platform.refusesEverything = true;
    platform.onTrigger = () => void storeTokens({ refreshToken: null });
    // The first call gets the tokens of its trigger, however long they take. No others ever arrive.
    const patient = createClient();
    const hasty = [0, 1].map(() => createClient({ policy: { waitMs: 50 } }));

    const outcomes = [];
    for (let count = 0; count < 10; count += 1) {
      const client = count === 0 ? patient : hasty[count % 2];
      const call = client?.fetch(installation.id, '/api/things', post);
      outcomes.push(
        await call?.then(
          ({ status }) => status,
          (error: { code: string }) => error.code,
        ),
      );
    }

    expect(outcomes).toEqual([401, ...Array(9).fill('TOKEN_UNAVAILABLE')]);
    expect(platform.triggers).toHaveLength(1);
  });

  test('a trigger that is not accepted fails at once, and so do the next calls', async () => {
    await storeTokens({ refreshToken: null });
    voidAccessTokens();
    platform.triggerStatus = 500;
    const client = createClient({ policy: { waitMs: 60_000 } });

    for (const _ of [1, 2]) {
      await expect(client.fetch(installation.id, '/api/things', post)).rejects.toMatchObject({
        code: 'TOKEN_UNAVAILABLE',
      });
    }
    expect(platform.triggers).toHaveLength(1);
  });

  test('tokens that arrive before the trigger is answered are used', async () => {
    await storeTokens({ refreshToken: null });
    voidAccessTokens();
    platform.triggerStatus = 500;
    const used = Promise.withResolvers<void>();
    platform.onTrigger = async () => {
      await storeTokens();
      await used.promise;
    };

    expect((await createClient().fetch(installation.id, '/api/things', post)).status).toBe(201);
    used.resolve();
  });

  test('waiting calls end at an uninstall', async () => {
    await storeTokens({ refreshToken: null });
    voidAccessTokens();
    platform.onTrigger = () =>
      void store.transaction(({ installations }) => installations.uninstall(installation, 100));

    await expect(createClient().fetch(installation.id, '/api/things', post)).rejects.toMatchObject({
      code: 'GRANT_NOT_FOUND',
    });
  });
});
