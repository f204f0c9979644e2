/** Calls that end before their answer: aborts, time limits, limits of waiting calls, and the stop of a client. */
import { refuses } from '@dowel/emulator/authorization-server';
import { createHeldTimer, endlessMs, isEndless } from '@dowel/http/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe('fetch', () => {
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

  test('a call that is aborted with null gives its place back', async () => {
    const installation = await world.install();
    const release = Promise.withResolvers<void>();
    installation.beforeCallAnswer = () => release.promise;
    const callPlaces = { places: 1, firstPlaces: 1, maxPlaces: 1, suspectPlaces: 1, newPlaces: 1 };
    const client = world.createClient({ policy: { callPlaces } });
    const leaving = new AbortController();
    const call = client.fetch(installation.id, '/things', { ...post, signal: leaving.signal });
    await expect.poll(() => installation.tally.accepted).toBe(1);

    leaving.abort(null);

    await expect(call).rejects.toBeNull();
    release.resolve();
    expect((await client.fetch(installation.id, '/things', post)).status).toBe(201);
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
    const timer = createHeldTimer(isEndless);
    const client = world.createClient({ timer });

    const call = client.fetch(installation.id, '/things', { ...post, timeoutMs: endlessMs });
    await expect.poll(() => installation.tally.refreshes).toBe(1);
    timer.end();

    await expect(call).rejects.toMatchObject({ code: 'TOKEN_UNAVAILABLE', retryAfterSeconds: 1 });
    release.resolve();
    await client.drain();
    // The first sending was refused, and no other followed.
    expect(installation.tally).toMatchObject({ refused: 1, accepted: 0 });
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
    const timer = createHeldTimer(isEndless);
    const client = world.createClient({ timer });

    const call = client.fetch(installation.id, '/things', { ...post, timeoutMs: endlessMs });
    await expect.poll(() => installation.tally.accepted).toBe(1);
    timer.end();

    await expect(call).rejects.toMatchObject({ code: 'CALL_TIMED_OUT' });
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
});

describe('a call whose caller brings a time limit', () => {
  const reason = new DOMException('Over', 'TimeoutError');

  test('I05: costs its tenant no place if the time is over before it is sent', async () => {
    const installation = await world.install();
    const { id, tally } = installation;
    const release = Promise.withResolvers<void>();
    installation.beforeCallAnswer = () => release.promise;
    const client = world.createClient();
    await client.getAccessToken(id);
    const late = client.fetch(id, '/things', { signal: AbortSignal.abort(reason) });
    await expect(late).rejects.toBe(reason);

    const hanging = Array.from({ length: 4 }, () => client.fetch(id, '/things', post));

    await expect.poll(() => tally.accepted).toBe(4);
    release.resolve();
    await Promise.all(hanging);
  });

  test('is not sent if the time is over in the moment in which it gets its place', async () => {
    const { id } = await world.install();
    const ends: (() => void)[] = [];
    const client = world.createClient({
      policy: {
        callPlaces: { places: 1, firstPlaces: 1, maxPlaces: 1, suspectPlaces: 1, newPlaces: 1 },
      },
      callFetch: async (_, { onBodyEnd = () => {} } = {}) => {
        ends.push(onBodyEnd);
        return new Response('{}');
      },
    });
    await client.fetch(id, '/things');
    const leaving = new AbortController();
    const waiting = client.fetch(id, '/things', { signal: leaving.signal });
    // With a token in memory it stands in the line before the loop's next turn.
    await new Promise((resolve) => setImmediate(resolve));

    ends[0]?.();
    leaving.abort(reason);

    await expect(waiting).rejects.toBe(reason);
    expect(ends).toHaveLength(1);
    expect((await client.fetch(id, '/things')).status).toBe(200);
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
