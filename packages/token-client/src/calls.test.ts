/** Single calls: arguments and results. */
import { refuses } from '@dowel/emulator/authorization-server';
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

function formOf(name: string, value: string): FormData {
  const form = new FormData();
  form.set(name, value);
  return form;
}

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

  test('a stream is sent once: the caller gets its 401, and the next call succeeds', async () => {
    const installation = await expired();
    const body = new Blob(['{}']).stream();

    const first = await world.client.fetch(installation.id, '/things', {
      method: 'POST',
      body,
      duplex: 'half',
    } as RequestInit);
    const second = await world.client.fetch(installation.id, '/things', post);

    expect([first.status, second.status]).toEqual([401, 201]);
    expect(installation.tally).toMatchObject({ refreshes: 1, refused: 1, accepted: 1 });
  });

  test.each([
    ['bytes', new TextEncoder().encode('{}')],
    ['a buffer', new TextEncoder().encode('{}').buffer],
    ['a query', new URLSearchParams({ a: 'b' })],
    ['a form', formOf('a', 'b')],
    ['a blob', new Blob(['{}'])],
    ['nothing', null],
  ])('a body of %s is sent again after the refresh', async (_, body) => {
    const { id } = await expired();

    expect((await world.client.fetch(id, '/things', { method: 'POST', body })).status).toBe(201);
  });

  test.each([
    '/users/%C3%A4%20b,c',
    'users/ada@example.com',
    '/users/ada@example.com:notify',
    '/users/a%2Fb;v=1/',
    "/search('x')/*!$&+=",
  ])('the path %s is sent as it is', async (path) => {
    const { id, baseUrl } = await world.install();
    const urls: string[] = [];
    const client = world.createClient({
      fetch: async (input) => {
        urls.push(new Request(input).url);
        return new Response();
      },
    });

    await client.fetch(id, path);
    await client.fetch(id, `${path}?q=a b#c`);

    const url = `${baseUrl}${path.replace(/^\//, '')}`;
    expect(urls).toEqual([url, `${url}?q=a%20b%23c`]);
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

  test('a query is kept, and the caller cannot replace the token', async () => {
    const { id } = await world.install();
    const urls: string[] = [];
    const client = world.createClient({
      fetch: (input, init) => {
        urls.push(String(input));
        return fetch(input, init);
      },
    });

    const { status } = await client.fetch(id, '/things?page=2&q=%C3%A4', {
      ...post,
      headers: { Authorization: 'Bearer stolen' },
    });

    expect(status).toBe(201);
    expect(new URL(urls[0] ?? '').search).toBe('?page=2&q=%C3%A4');
  });

  test.each([
    '//evil.test/x',
    'https://evil.test/x',
    '@evil.test',
    ':8443/x',
    '/a\\b',
    '/a#b',
    '/a//b',
    '/a b',
    '/a%2',
    '',
    '?q',
    '/../x',
    '/a/..',
    '/a/%2e%2E/b',
    '/a/.%2e%2fb',
    '/a/..;v=1/b',
    '/a%5c..%5cb',
  ])('the path %s is refused', async (path) => {
    const { id, tally } = await world.install();

    await expect(world.client.fetch(id, path)).rejects.toBeInstanceOf(TypeError);
    expect(tally).toMatchObject({ accepted: 0, refused: 0 });
  });

  test('a call of a life that has ended is GRANT_NOT_FOUND, and is not sent', async () => {
    const { id, tally } = await world.install();

    expect((await world.client.fetch(id, '/things', { ...post, generation: 1 })).status).toBe(201);
    for (const generation of [0, 2]) {
      await expect(
        world.client.fetch(id, '/things', { ...post, generation }),
      ).rejects.toMatchObject({ code: 'GRANT_NOT_FOUND' });
    }
    expect(tally.accepted).toBe(1);
  });

  test('an aborted call ends at once, and the refresh continues', async () => {
    const installation = await expired();
    const release = Promise.withResolvers<void>();
    installation.standingFault = { before: () => release.promise };
    const leaving = new AbortController();
    const reason = new Error('gone');

    const call = world.client.fetch(installation.id, '/things', {
      ...post,
      signal: leaving.signal,
    });
    await expect.poll(() => installation.tally.refreshes).toBe(1);
    leaving.abort(reason);
    await expect(call).rejects.toBe(reason);
    release.resolve();

    expect((await world.client.fetch(installation.id, '/things', post)).status).toBe(201);
    expect(installation.tally.refreshes).toBe(1);
  });

  test('a call that is aborted during the answer ends the answer', async () => {
    const { id } = await world.install();
    const leaving = new AbortController();
    const client = world.createClient({
      fetch: async (_, init) => {
        const body = new ReadableStream({
          start: (controller) =>
            init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason)),
        });
        return new Response(body, { status: 200 });
      },
    });
    const reason = new Error('gone');

    const response = await client.fetch(id, '/things', { signal: leaving.signal });
    leaving.abort(reason);

    await expect(response.text()).rejects.toBe(reason);
  });

  test('a call whose time ends before it has a token fails with TOKEN_UNAVAILABLE and is not sent', async () => {
    const installation = await expired();
    const release = Promise.withResolvers<void>();
    installation.standingFault = { before: () => release.promise };

    await expect(
      world.client.fetch(installation.id, '/things', { ...post, timeoutMs: 100 }),
    ).rejects.toMatchObject({ code: 'TOKEN_UNAVAILABLE', retryAfterSeconds: 1 });
    release.resolve();
  });

  test.each([Infinity, 2 ** 31])('a call may take %d milliseconds', async (timeoutMs) => {
    const { id } = await expired();

    const { status } = await world.client.fetch(id, '/things', { ...post, timeoutMs });

    expect(status).toBe(201);
  });

  test('a call without an answer of the platform fails with CALL_TIMED_OUT', async () => {
    const installation = await world.install();
    const release = Promise.withResolvers<void>();
    installation.beforeCallAnswer = () => release.promise;

    await expect(
      world.client.fetch(installation.id, '/things', { ...post, timeoutMs: 100 }),
    ).rejects.toMatchObject({ code: 'CALL_TIMED_OUT' });
    release.resolve();
  });

  test('calls beyond the limit of waiting calls fail at once, and the waiting ones succeed', async () => {
    const installation = await expired();
    const release = Promise.withResolvers<void>();
    installation.standingFault = { before: () => release.promise };
    const client = world.createClient({ policy: { maxWaitingCalls: 8 } });
    const call = () => client.fetch(installation.id, '/things', post);

    const waiting = [call(), call()];
    await expect.poll(() => installation.tally.refreshes).toBe(1);
    await expect.poll(() => installation.tally.refused).toBe(2);
    await expect(call()).rejects.toMatchObject({ code: 'TOO_MANY_WAITING', retryAfterSeconds: 25 });
    release.resolve();

    for (const response of await Promise.all(waiting)) expect(response.status).toBe(201);
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
          refreshPlacement: placement,
          basicEncoding: encoding,
          notificationPath: () => '/things',
        },
      });
      // The strict server compares Basic byte by byte, unencoded.
      const isUnderstood = encoding === 'plain';

      const outcome = client.fetch(id, '/things', post).then(({ status }) => status);
      await expect(outcome).resolves.toBe(201);
      const { tokenOperations } = (await world.store.reports.describeInstallation(id)) ?? {};
      expect(tokenOperations?.[0]).toMatchObject(
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

test('a drained client ends all waits', async () => {
  const installation = await expired();
  installation.standingFault = refuses(400, { error: 'invalid_grant' });
  installation.sendsEvents = false;
  const client = world.createClient({ policy: { drainMs: 50 } });

  const call = client.fetch(installation.id, '/things', post);
  const settled = call.catch((error: { code: string }) => error.code);
  await expect.poll(() => installation.tally.triggers).toBe(1);
  await client.drain();

  expect(await settled).toBe('TOKEN_UNAVAILABLE');
});

test('a drained client abandons an unanswered refresh', async () => {
  const installation = await expired();
  const release = Promise.withResolvers<void>();
  installation.standingFault = { before: () => release.promise };
  const patience = { leaseMs: 55_000, attemptTimeoutMs: 54_000 };
  const client = world.createClient({ policy: { ...patience, drainMs: 50 } });

  const call = client.fetch(installation.id, '/things', post);
  const settled = call.catch((error: { code: string }) => error.code);
  await expect.poll(() => installation.tally.refreshes).toBe(1);
  await client.drain();

  expect(await settled).toBe('REFRESH_FAILED');
  expect(installation.tally.refreshes).toBe(1);
  release.resolve();
});
