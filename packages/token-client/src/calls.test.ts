/** Single calls: which token they use, and when they are renewed. */

import { refuses } from '@dowel/emulator/authorization-server';
import { defaultPlatformProfile } from '@dowel/schema';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { TokenObservation } from './observation.ts';
import { createStrictAuthorizationServer } from './testing/strict-authorization-server.ts';
import { createWorld, type InstalledPlugin, type World } from './testing/world.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld({ createServer: createStrictAuthorizationServer });
});
afterAll(() => world.close());

const post = { method: 'POST', body: '{}' };

async function expired(): Promise<InstalledPlugin> {
  const installation = await world.install();
  await world.platform.revokeAccessTokens(installation);
  return installation;
}

describe('getAccessToken', () => {
  test('returns the token with its version and its address, without a request', async () => {
    const { id, baseUrl, tally } = await world.install();

    const token = await world.client.getAccessToken(id);

    expect(token).toMatchObject({ tokenVersion: 1, baseUrl, expiresAt: expect.any(Number) });
    expect(String(token.accessToken)).toBe('[secret]');
    expect(tally.refreshes).toBe(0);
  });

  test('an installation without tokens is GRANT_NOT_FOUND', async () => {
    await expect(world.client.getAccessToken('nobody')).rejects.toMatchObject({
      code: 'GRANT_NOT_FOUND',
    });
  });
});

describe('invalidate', () => {
  test('the current version is renewed once, an older one is not', async () => {
    const installation = await expired();

    await world.client.invalidate(installation.id, 1);
    await world.client.invalidate(installation.id, 1);

    expect(await world.client.getAccessToken(installation.id)).toMatchObject({ tokenVersion: 2 });
    expect(installation.tally.refreshes).toBe(1);
  });
});

describe('fetch', () => {
  test('calls that are refused together request one lease', async () => {
    const installation = await expired();
    const acquire = vi.spyOn(world.store.renewals, 'acquire');

    const calls = Array.from({ length: 20 }, () =>
      world.client.fetch(installation.id, '/things', post),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);

    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(acquire).toHaveBeenCalledOnce();
    acquire.mockRestore();
  });

  test('a 401 whose body breaks off is renewed like any other', async () => {
    const installation = await expired();
    const client = world.createClient({
      async fetch(input, init) {
        const response = await fetch(input, init);
        if (response.status !== 401) return response;
        const broken = new ReadableStream({ start: (body) => body.error(new Error('broke off')) });
        return new Response(broken, { status: 401 });
      },
    });

    const { status } = await client.fetch(installation.id, '/things', post);

    expect(status).toBe(201);
  });

  test('a path that refuses every token costs one refresh, and other paths go on', async () => {
    const installation = await world.install();
    const { client } = world;
    const { id, tally } = installation;
    installation.refusedPaths = ['forbidden'];
    const statuses = async (paths: string[]) => {
      const answers = [];
      for (const path of paths) answers.push((await client.fetch(id, path, post)).status);
      return answers;
    };

    await statuses(['/forbidden', '/things']);
    const forbidden = Array.from({ length: 10 }, (_, page) => `/forbidden?page=${page}`);
    expect(new Set(await statuses(forbidden))).toEqual(new Set([401]));
    expect(tally.refreshes).toBe(1);
    await world.platform.revokeAccessTokens(installation);

    expect(await statuses(['/things', '/forbidden', '/things'])).toEqual([201, 401, 201]);
    expect(tally.refreshes).toBe(2);
  });

  test('the 401 of a refused path ends its call in time, also while the database does not answer', async () => {
    const installation = await world.install();
    const { id } = installation;
    installation.refusedPaths = ['forbidden'];
    let isSilent = false;
    const findVersion: typeof world.store.grants.findVersion = (each) =>
      isSilent ? new Promise(() => {}) : world.store.grants.findVersion(each);
    const store = { ...world.store, grants: { ...world.store.grants, findVersion } };
    const client = world.createClient({ store });
    for (const path of ['/forbidden', '/things']) await client.fetch(id, path, post);

    isSilent = true;
    const call = client.fetch(id, '/forbidden', { ...post, timeoutMs: 1_000 });

    await expect(call).rejects.toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    await client.drain();
  });

  test('a path that has refused a new token is renewed for again when no path accepts the token', async () => {
    const installation = await world.install();
    const { id, tally } = installation;
    installation.refusedPaths = ['things'];
    expect((await world.client.fetch(id, '/things', post)).status).toBe(401);
    installation.refusedPaths = [];
    await world.platform.revokeAccessTokens(installation);

    expect((await world.client.fetch(id, '/things', post)).status).toBe(201);
    expect(tally.refreshes).toBe(2);
  });

  test('H07: an answer 503 does not show that the platform accepts the token', async () => {
    const installation = await world.install();
    const { id, tally } = installation;
    const client = world.createClient({
      fetch: async (input, init) =>
        String(input).endsWith('/broken')
          ? new Response(null, { status: 503 })
          : globalThis.fetch(input, init),
    });
    installation.refusedPaths = ['things'];
    expect((await client.fetch(id, '/things', post)).status).toBe(401);
    expect((await client.fetch(id, '/broken', post)).status).toBe(503);
    installation.refusedPaths = [];
    await world.platform.revokeAccessTokens(installation);

    expect((await client.fetch(id, '/things', post)).status).toBe(201);
    expect(tally.refreshes).toBe(2);
  });

  test('H17: a call of a life that has ended is GRANT_NOT_FOUND, and is not sent', async () => {
    const { id, tally } = await world.install();

    expect((await world.client.fetch(id, '/things', { ...post, generation: 1 })).status).toBe(201);
    for (const generation of [0, 2]) {
      await expect(
        world.client.fetch(id, '/things', { ...post, generation }),
      ).rejects.toMatchObject({ code: 'GRANT_NOT_FOUND' });
    }
    expect(tally.accepted).toBe(1);
  });

  test.each([
    ['query', 'plain'],
    ['body', 'plain'],
    ['query', 'form'],
    ['body', 'form'],
  ] as const)(
    'the server accepts a refresh in the %s with %s Basic',
    async (placement, encoding) => {
      const { id } = await expired();
      const client = world.createClient({
        profile: {
          ...defaultPlatformProfile,
          refreshPlacement: placement,
          basicEncoding: encoding,
          notificationPath: () => '/things',
        },
      });
      // The strict server compares Basic byte by byte, unencoded.
      const isUnderstood = encoding === 'plain';

      const outcome = client.fetch(id, '/things', post).then(({ status }) => status);
      await expect(outcome).resolves.toBe(201);
      expect(world.database.operationsOf(id)[0]).toMatchObject(
        isUnderstood ? { operation: 'refresh', succeeded: true } : { operation: 'exchange' },
      );
    },
  );
});

describe('observers', () => {
  test('receive a refresh', async () => {
    const { id: installationId } = await expired();
    const heard: TokenObservation[] = [];
    const client = world.createClient({ observe: (observation) => heard.push(observation) });

    await client.fetch(installationId, '/things', post);

    expect(heard).toEqual([
      { type: 'refreshed', installationId, tokenVersion: 2, durationMs: expect.any(Number) },
    ]);
  });

  const error = new Error('an error of the observer');
  test.each([
    [
      'throws',
      () => {
        throw error;
      },
    ],
    ['rejects', () => Promise.reject(error)],
  ])('receive a dead grant and the trigger, and one that %s breaks nothing', async (_, fail) => {
    const installation = await expired();
    installation.standingFault = refuses(400, { error: 'invalid_grant' });
    const heard: string[] = [];
    const client = world.createClient({
      observe: ({ type }) => {
        heard.push(type);
        return fail();
      },
    });

    expect((await client.fetch(installation.id, '/things', post)).status).toBe(201);

    expect(heard).toEqual(['refresh_failed', 'parked', 'triggered']);
  });
});
