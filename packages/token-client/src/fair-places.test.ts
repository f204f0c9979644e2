/** Tenants that hang, and their neighbours: places before connections, on real HTTP. */
import { createGuardedFetch } from '@dowel/http';
import { createHeldTimer, endlessMs, isEndless } from '@dowel/http/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TokenObservation } from './observation.ts';
import { startMixedPlatform } from './testing/mixed-platform.ts';
import { createStrictAuthorizationServer } from './testing/strict-authorization-server.ts';
import { createWorld, type InstalledPlugin, type World } from './testing/world.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld({ createServer: createStrictAuthorizationServer });
});
afterAll(() => world.close());

const post = { method: 'POST', body: '{}' };
const call = async (client: World['client'], id: string, timeoutMs?: number) => {
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  const response = await client.fetch(id, '/things', { ...post, ...limit });
  await response.body?.cancel();
  return response.status;
};

const codeOf = (failed: Promise<unknown>) =>
  failed.then(
    () => 'answered',
    (error: { code?: string }) => error.code,
  );

/** Installs `count` tenants whose platform answers no call until `release`. */
async function installHanging(count: number) {
  const released = Promise.withResolvers<void>();
  const installed: InstalledPlugin[] = [];
  for (let index = 0; index < count; index += 1) {
    const installation = await world.install();
    installation.beforeCallAnswer = () => released.promise;
    installed.push(installation);
  }
  return { installed, release: released.resolve };
}

describe('calls to one origin', () => {
  test('I05: a tenant that hangs with 40 calls has four of them under way', async () => {
    const { installed, release } = await installHanging(1);
    const [{ id, tally }] = installed as [InstalledPlugin];
    const neighbour = await world.install();
    const client = world.createClient();
    const hanging = Array.from({ length: 40 }, () => codeOf(call(client, id)));
    await expect.poll(() => tally.accepted).toBe(4);

    const calls = Array.from({ length: 20 }, () => call(client, neighbour.id));

    expect(await Promise.all(calls)).toEqual(Array(20).fill(201));
    expect(tally.accepted).toBe(4);
    release();
    expect(new Set(await Promise.all(hanging))).toEqual(new Set(['answered']));
  });

  test.each([
    ['has not answered yet', 64, false],
    ['has answered', 150, true],
  ])(
    'I05: a neighbour that %s is answered beside %d tenants that hang from the beginning',
    async (_, count, hasAnswered) => {
      const platform = await startMixedPlatform(world);
      const client = world.createClient({ internalOrigins: [platform.origin] });
      const quick = await platform.install('quick');
      if (hasAnswered) await client.fetch(quick, '/first');
      const ids = await Promise.all(Array.from({ length: count }, () => platform.install('hangs')));
      const leaving = new AbortController();
      const { signal } = leaving;
      const hanging = ids.flatMap((id) =>
        Array.from({ length: 8 }, () => client.fetch(id, '/things', { signal }).catch(() => {})),
      );
      const most = Math.min(16 * 4 + (count - 16), 128);
      await expect.poll(() => platform.hanging.length).toBe(most);

      const calls = Array.from({ length: 20 }, () =>
        client.fetch(quick, '/things').then(({ status }) => status),
      );

      expect(await Promise.all(calls)).toEqual(Array(20).fill(200));
      expect(platform.hanging).toHaveLength(most);
      leaving.abort();
      await Promise.all(hanging);
      await platform.close();
    },
    60_000,
  );

  test('a call that gets no place in its time fails with TOO_MANY_UNANSWERED, and is not sent', async () => {
    const { installed, release } = await installHanging(1);
    const [{ id, tally }] = installed as [InstalledPlugin];
    const client = world.createClient();
    const hanging = Array.from({ length: 4 }, () => call(client, id));
    await expect.poll(() => tally.accepted).toBe(4);

    await expect(call(client, id, 50)).rejects.toMatchObject({
      code: 'TOO_MANY_UNANSWERED',
      retryAfterSeconds: 1,
    });

    expect(tally.accepted).toBe(4);
    const waiting = call(client, id);
    await expect.poll(() => client.figures().waitingCalls).toBe(1);
    release();
    await Promise.all([...hanging, waiting]);
    expect(client.figures().waitingCalls).toBe(0);
  });

  test('a tenant that timed out may have half of its places, and all of them after answers', async () => {
    const { installed, release } = await installHanging(1);
    const [installation] = installed as [InstalledPlugin];
    const timer = createHeldTimer(isEndless);
    const client = world.createClient({ timer });
    const late = Array.from({ length: 4 }, () => codeOf(call(client, installation.id, endlessMs)));
    await expect.poll(() => installation.tally.accepted).toBe(4);
    timer.end();
    expect(await Promise.all(late)).toEqual(Array(4).fill('CALL_TIMED_OUT'));

    const next = Array.from({ length: 8 }, () => call(client, installation.id));
    await expect.poll(() => installation.tally.accepted).toBe(5);
    release();

    expect(await Promise.all(next)).toEqual(Array(8).fill(201));
  });

  test('a test of the connection that timed out costs its tenant half of its places', async () => {
    const { installed, release } = await installHanging(1);
    const [{ id, tally }] = installed as [InstalledPlugin];
    const timer = createHeldTimer(isEndless);
    const client = world.createClient({ timer, policy: { attemptTimeoutMs: endlessMs } });
    const late = codeOf(client.testConnection(id));
    await expect.poll(() => tally.accepted).toBe(1);
    timer.end();
    expect(await late).toBe('CALL_TIMED_OUT');

    const hanging = [call(client, id), call(client, id)];
    await expect.poll(() => tally.accepted).toBe(3);

    expect(await codeOf(call(client, id, 50))).toBe('TOO_MANY_UNANSWERED');
    expect(tally.accepted).toBe(3);
    release();
    expect(await Promise.all(hanging)).toEqual([201, 201]);
  });

  test('a tenant that cannot be connected to in time loses half of its places', async () => {
    const { installed, release } = await installHanging(1);
    const [{ id, tally }] = installed as [InstalledPlugin];
    const cause = Object.assign(new Error(), { code: 'UND_ERR_CONNECT_TIMEOUT' });
    const guarded = createGuardedFetch({ internalOrigins: [world.platform.origin] });
    let isSilent = true;
    const callFetch: typeof guarded = (input, init) =>
      isSilent ? Promise.reject(new TypeError('fetch failed', { cause })) : guarded(input, init);
    const client = world.createClient({ callFetch });
    await expect(call(client, id)).rejects.toMatchObject({ cause });
    isSilent = false;

    const hanging = [call(client, id), call(client, id)];
    await expect.poll(() => tally.accepted).toBe(2);

    expect(await codeOf(call(client, id, 50))).toBe('TOO_MANY_UNANSWERED');
    expect(tally.accepted).toBe(2);
    release();
    expect(await Promise.all(hanging)).toEqual([201, 201]);
  });

  test('each answered call gives its tenant one more place', async () => {
    const installation = await world.install();
    const client = world.createClient();
    for (const _ of [1, 2, 3]) await call(client, installation.id);
    const released = Promise.withResolvers<void>();
    installation.beforeCallAnswer = () => released.promise;

    const calls = Array.from({ length: 10 }, () => call(client, installation.id));
    await expect.poll(() => installation.tally.accepted).toBe(3 + 4 + 3);
    await expect(call(client, installation.id, 50)).rejects.toMatchObject({
      code: 'TOO_MANY_UNANSWERED',
    });

    expect(installation.tally.accepted).toBe(3 + 4 + 3);
    released.resolve();
    expect(await Promise.all(calls)).toEqual(Array(10).fill(201));
  });

  test('an aborted call gives its place up', async () => {
    const { installed, release } = await installHanging(1);
    const [{ id, tally }] = installed as [InstalledPlugin];
    const client = world.createClient();
    const leaving = new AbortController();
    const { signal } = leaving;
    const first = Array.from({ length: 5 }, () => client.fetch(id, '/things', { ...post, signal }));
    await expect.poll(() => tally.accepted).toBe(4);

    leaving.abort(new Error('gone'));
    await Promise.allSettled(first);
    const next = call(client, id);
    await expect.poll(() => tally.accepted).toBe(5);

    release();
    expect(await next).toBe(201);
  });
});

test('calls of one installation that wait for tokens leave places for others', async () => {
  const [dead, other] = [await world.install(), await world.install()];
  const released = Promise.withResolvers<void>();
  for (const installation of [dead, other]) {
    await world.platform.revokeAccessTokens(installation);
    installation.standingFault = { before: () => released.promise };
  }
  const client = world.createClient({ policy: { maxWaitingCalls: 16 } });
  const own = Array.from({ length: 5 }, () => codeOf(call(client, dead.id)));

  expect(await Promise.race(own)).toBe('TOO_MANY_WAITING');
  const others = Array.from({ length: 3 }, () => call(client, other.id));
  await expect.poll(() => other.tally.refused).toBe(3);
  released.resolve();

  const endings = await Promise.all(own);
  expect(endings.filter((ending) => ending === 'answered')).toHaveLength(4);
  expect(await Promise.all(others)).toEqual(Array(3).fill(201));
});

test('I05: a call with a living token needs no place among those that wait', async () => {
  const living = await world.install();
  const dead = await Promise.all(Array.from({ length: 5 }, () => world.install()));
  const released = Promise.withResolvers<void>();
  for (const installation of dead) {
    await world.platform.revokeAccessTokens(installation);
    installation.standingFault = { before: () => released.promise };
  }
  const client = world.createClient({ policy: { maxWaitingCalls: 16 } });
  expect(await call(client, living.id)).toBe(201);
  const waiting = dead.flatMap(({ id }) =>
    Array.from({ length: 4 }, () => codeOf(call(client, id))),
  );
  expect(await Promise.race(waiting)).toBe('TOO_MANY_WAITING');

  const calls = await Promise.all(Array.from({ length: 20 }, () => call(client, living.id)));

  expect(calls).toEqual(Array(20).fill(201));
  released.resolve();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['answered', 'TOO_MANY_WAITING']));
});

test('I05: refreshes that hang do not hold another one on the same base URL', async () => {
  const platform = await startMixedPlatform(world);
  const client = world.createClient({ internalOrigins: [platform.origin] });
  const expired = { expiresAt: 2 };
  const ids = await Promise.all(
    Array.from({ length: 60 }, () => platform.install('hangs', expired)),
  );
  const quick = await platform.install('quick', expired);

  const hanging = ids.map((id) => codeOf(client.getAccessToken(id)));
  await expect.poll(() => platform.hanging.length).toBe(60);
  const { accessToken } = await client.getAccessToken(quick);

  expect(accessToken.reveal()).toBe('new');
  platform.refuseHanging();
  expect(new Set(await Promise.all(hanging))).toEqual(new Set(['TOKEN_UNAVAILABLE']));
  await platform.close();
});

test('I05: an installation whose refresh timed out takes no place from its base URL', async () => {
  const platform = await startMixedPlatform(world);
  const attemptTimeoutMs = 40_000;
  const timer = createHeldTimer((ms) => ms > attemptTimeoutMs - 5_000);
  const seen: TokenObservation[] = [];
  const client = world.createClient({
    internalOrigins: [platform.origin],
    timer,
    observe: (observation) => seen.push(observation),
    policy: {
      leaseMs: 55_000,
      attemptTimeoutMs,
      unansweredPauseMs: 60_000,
      refreshPlaces: { places: 8, firstPlaces: 2, maxPlaces: 2, suspectPlaces: 2, newPlaces: 4 },
    },
  });
  const expired = { expiresAt: 2 };
  const [late, hanging] = [
    await platform.install('hangs', expired),
    await platform.install('hangs', expired),
  ];
  const quick = await platform.install('quick', expired);
  const failing = [codeOf(client.getAccessToken(late))];
  await expect.poll(() => platform.hanging.length).toBe(1);
  timer.end();
  await expect.poll(() => seen.map(({ type }) => type)).toContain('refresh_failed');
  failing.push(codeOf(client.getAccessToken(hanging)));
  await expect.poll(() => platform.hanging.length).toBe(2);

  const { accessToken } = await client.getAccessToken(quick);

  expect(accessToken.reveal()).toBe('new');
  platform.refuseHanging();
  await client.drain();
  expect(await Promise.all(failing)).not.toContain('answered');
  await platform.close();
});

test('I05: 64 base URLs whose refreshes hang from the beginning do not hold that of a new one', async () => {
  const platform = await startMixedPlatform(world);
  const client = world.createClient({ internalOrigins: [platform.origin] });
  const expired = (base: string) => ({ expiresAt: 2, base });
  const ids = await Promise.all(
    Array.from({ length: 64 }, (_, index) => platform.install('hangs', expired(`base-${index}/`))),
  );
  const quick = await platform.install('quick', expired('quick/'));

  const hanging = ids.map((id) => codeOf(client.getAccessToken(id)));
  await expect.poll(() => platform.hanging.length).toBe(64);
  const { accessToken } = await client.getAccessToken(quick);

  expect(accessToken.reveal()).toBe('new');
  platform.refuseHanging();
  expect(new Set(await Promise.all(hanging))).toEqual(new Set(['TOKEN_UNAVAILABLE']));
  await platform.close();
});

describe('healing', () => {
  test('I05: the triggers of 40 base URLs take turns, so that a start needs few connections', async () => {
    const platform = await startMixedPlatform(world);
    const refreshPlaces = {
      places: 8,
      firstPlaces: 2,
      maxPlaces: 2,
      suspectPlaces: 2,
      newPlaces: 4,
    };
    const client = world.createClient({
      internalOrigins: [platform.origin],
      policy: { refreshPlaces },
    });
    for (let index = 0; index < 40; index += 1)
      await platform.installDead('hangs', `base-${index}`);
    const quick = await platform.install('quick', { expiresAt: 2, base: 'quick/' });

    const healing = client.heal();
    await expect.poll(() => platform.hanging.length).toBeGreaterThan(0);
    // By its end all 40 could have been sent.
    await client.getAccessToken(quick);

    expect(platform.hanging.length).toBeLessThanOrEqual(refreshPlaces.newPlaces);
    await platform.close();
    await healing;
  });

  test('I05: 250 due installations whose base URL hangs do not hold up the trigger of another one', async () => {
    const platform = await startMixedPlatform(world);
    const client = world.createClient({ internalOrigins: [platform.origin] });
    for (let index = 0; index < 250; index += 1) await platform.installDead('hangs', 'slow');
    await platform.installDead('quick', 'well');

    const healing = client.heal();

    await expect.poll(() => platform.answered).toEqual(['/well/trigger/quick']);
    expect(platform.hanging.length).toBeGreaterThan(0);
    await platform.close();
    expect(await healing).toBe(1);
  }, 60_000);
});
