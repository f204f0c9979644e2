/** Some callers give up early; the work that they started continues for the others. */
import { createHeldTimer, endlessMs, isEndless } from '@dowel/http/testing';
import { describe, expect, test } from 'vitest';
import { clean, shareWorld } from './scenario.ts';
import { usualServers } from './servers.ts';

describe.each(usualServers)('one process on $server', (options) => {
  const world = shareWorld(options);
  const post = { method: 'POST', body: '{}' };

  /** An installation whose next refresh waits until it is released. */
  async function installWithHeldRefresh() {
    const installation = await world().install();
    await world().platform.revokeAccessTokens(installation);
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const before = () => {
      arrived.resolve();
      return released.promise;
    };
    installation.refreshFaults = [{ before }];
    return { installation, arrived: arrived.promise, release: released.resolve };
  }

  test('an aborted call leaves at once, and the refresh it started serves the next', async () => {
    const { installation, arrived, release } = await installWithHeldRefresh();
    const { client } = world();
    const leaving = new AbortController();
    const first = client.fetch(installation.id, '/things', { ...post, signal: leaving.signal });
    await arrived;

    leaving.abort();
    await expect(first).rejects.toMatchObject({ name: 'AbortError' });
    const second = client.fetch(installation.id, '/things', post);
    release();

    expect((await second).status).toBe(201);
    expect(installation.tally).toMatchObject({ ...clean, refreshes: 1, issued: 1 });
  });

  test('a call whose time is over leaves with a code, and the refresh it started serves the next', async () => {
    const { installation, arrived, release } = await installWithHeldRefresh();
    const timer = createHeldTimer(isEndless);
    const client = world().createClient({ timer });
    const first = client.fetch(installation.id, '/things', { ...post, timeoutMs: endlessMs });
    const left = expect(first).rejects.toMatchObject({
      name: 'TokenClientError',
      retryAfterSeconds: expect.any(Number),
    });
    await arrived;

    timer.end();
    await left;
    const second = client.fetch(installation.id, '/things', post);
    release();

    expect((await second).status).toBe(201);
    expect(installation.tally).toMatchObject({ ...clean, refreshes: 1, issued: 1 });
  });

  test('a call that the platform never answers ends in CALL_TIMED_OUT', async () => {
    const installation = await world().install();
    const never = Promise.withResolvers<void>();
    installation.beforeCallAnswer = () => never.promise;
    const timer = createHeldTimer(isEndless);
    const client = world().createClient({ timer });

    const call = client.fetch(installation.id, '/things', { ...post, timeoutMs: endlessMs });
    await expect.poll(() => installation.tally.accepted).toBe(1);
    timer.end();

    await expect(call).rejects.toMatchObject({ code: 'CALL_TIMED_OUT' });
    expect(installation.tally).toMatchObject({ refreshes: 0, accepted: 1 });
    never.resolve();
  });

  test('a call above the limit is rejected at once, and the waiting calls are served', async () => {
    const { installation, arrived, release } = await installWithHeldRefresh();
    const client = world().createClient({ policy: { maxWaitingCalls: 40 } });
    const first = client.fetch(installation.id, '/things', post);
    await arrived;
    const others = Array.from({ length: 9 }, () => client.fetch(installation.id, '/things', post));

    await expect(client.fetch(installation.id, '/things', post)).rejects.toMatchObject({
      code: 'TOO_MANY_WAITING',
    });
    release();

    const responses = await Promise.all([first, ...others]);
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect(installation.tally).toMatchObject({ ...clean, refreshes: 1 });
  });

  test('getAccessToken and invalidate serve a caller who sends his requests himself', async () => {
    const installation = await world().install();
    await world().platform.revokeAccessTokens(installation);
    const { client } = world();
    const old = await client.getAccessToken(installation.id);

    const many = Array.from({ length: 100 }, () =>
      client.invalidate(installation.id, old.tokenVersion),
    );
    await Promise.all(many);
    const renewed = await client.getAccessToken(installation.id);
    await client.invalidate(installation.id, old.tokenVersion);

    const response = await fetch(`${renewed.baseUrl}things`, {
      method: 'POST',
      headers: { authorization: `Bearer ${renewed.accessToken.reveal()}` },
    });
    expect(response.status).toBe(201);
    expect(renewed.tokenVersion).toBe(old.tokenVersion + 1);
    expect(installation.tally).toMatchObject({ ...clean, refreshes: 1 });
  });
});
