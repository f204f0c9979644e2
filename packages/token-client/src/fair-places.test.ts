/** Tenants that hang, and their neighbours: places before connections, on real HTTP. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storeGrant } from './testing/store-grant.ts';
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
  test.each([1, 60])(
    'I05: %d tenants that hang with 40 calls each delay no call of a neighbour',
    async (count) => {
      const { installed, release } = await installHanging(count);
      const neighbour = await world.install();
      const client = world.createClient();
      const hanging = installed.flatMap(({ id }) =>
        Array.from({ length: 40 }, () => codeOf(call(client, id))),
      );
      const arrived = () => installed.map(({ tally }) => tally.accepted);
      await expect.poll(arrived).toEqual(Array(count).fill(4));

      const calls = Array.from({ length: 20 }, () => call(client, neighbour.id));

      expect(await Promise.all(calls)).toEqual(Array(20).fill(201));
      expect(arrived()).toEqual(Array(count).fill(4));
      release();
      expect(new Set(await Promise.all(hanging))).toEqual(new Set(['answered']));
    },
    60_000,
  );

  test('a call that finds no place in its time says so, and was not sent', async () => {
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
    release();
    await Promise.all(hanging);
  });

  test('a tenant that timed out may have half of its places, and all of them after answers', async () => {
    const { installed, release } = await installHanging(1);
    const [installation] = installed as [InstalledPlugin];
    const client = world.createClient();
    const late = Array.from({ length: 4 }, () => codeOf(call(client, installation.id, 50)));
    expect(await Promise.all(late)).toEqual(Array(4).fill('CALL_TIMED_OUT'));

    const next = Array.from({ length: 8 }, () => call(client, installation.id));
    await expect.poll(() => installation.tally.accepted).toBe(5);
    release();

    expect(await Promise.all(next)).toEqual(Array(8).fill(201));
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

test('I05: refreshes that hang do not hold another one on the same base URL', async () => {
  const hung: ServerResponse[] = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (searchParams.get('refresh_token')?.startsWith('hanging')) hung.push(response);
    else response.end(JSON.stringify({ access_token: 'new', token_type: 'bearer' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = world.createClient({ internalOrigins: [baseUrl] });
  const ids: string[] = [];
  for (let count = 0; count < 13; count += 1) {
    const refreshToken = count === 12 ? 'quick' : `hanging-${count}`;
    ids.push(await storeGrant(world, { baseUrl, refreshToken, expiresAt: 2 }));
  }

  const hanging = ids.slice(0, 12).map((id) => codeOf(client.getAccessToken(id)));
  await expect.poll(() => hung.length).toBe(12);
  const { accessToken } = await client.getAccessToken(ids[12] as string);

  expect(accessToken.reveal()).toBe('new');
  for (const response of hung) {
    response.writeHead(400).end(JSON.stringify({ error: 'invalid_grant' }));
  }
  expect(new Set(await Promise.all(hanging))).toEqual(new Set(['TOKEN_UNAVAILABLE']));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
