import { randomUUID } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { StoreError } from '@dowel/installation-store';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  createOperationWorld,
  type OperationWorld,
} from '../operations/testing/operation-world.ts';
import { createServerPlatform, notifyFromServer } from './server-platform.ts';

let world: OperationWorld;
let arrived: { url: string | undefined; body: unknown }[];

beforeEach(async () => {
  arrived = [];
  world = await createOperationWorld({}, async (request, response) => {
    const body = request.method === 'POST' ? await json(request) : undefined;
    arrived.push({ url: request.url, body });
    response.end('{}');
  });
});
afterEach(() => world[Symbol.asyncDispose]());

const context = () => ({ ...world.context, store: world.store });
const notification = { recipientId: 'ada', message: 'Lunch?' };

test('work without a user calls the platform of an installation, or of its id', async () => {
  const { installation } = world;
  for (const reference of [installation, installation.id]) {
    expect((await createServerPlatform(context(), reference).fetch('/api/things')).status).toBe(
      200,
    );
    await notifyFromServer(
      context(),
      { installation: reference, instanceId: 'w-7' },
      { notification },
    );
  }
  const path = `/api/plugins/${installation.pluginId}/instances/w-7/notifications`;
  expect(arrived.map(({ url }) => url)).toEqual(['/api/things', path, '/api/things', path]);
});

test('an installation stands for its own life, an id for the current one', async () => {
  const { installation, store } = world;
  await store.transaction(({ installations }) => installations.uninstall(installation, 50));
  const again = await store.transaction(({ installations }) =>
    installations.begin(installation, 60, 60),
  );
  await world.grant([], world.origin, { installation: again, iat: 70 });

  const { id, generation } = installation;
  const ended = { code: 'INSTALLATION_ENDED', installation: { id, generation } };
  await expect(
    createServerPlatform(context(), installation).fetch('/api/things'),
  ).rejects.toMatchObject(ended);
  expect((await createServerPlatform(context(), installation.id).fetch('/api/things')).status).toBe(
    200,
  );
  expect((await createServerPlatform(context(), again).fetch('/api/things')).status).toBe(200);
});

function beginWithoutTokens() {
  const key = { issuer: world.origin, tenantId: randomUUID(), pluginId: randomUUID() };
  return world.store.transaction(({ installations }) => installations.begin(key, 1, 1));
}

test('an installation that has no tokens yet has not ended: they may come', async () => {
  const fresh = await beginWithoutTokens();

  for (const choice of [fresh, fresh.id]) {
    const call = createServerPlatform(context(), choice).fetch('/api/things');
    await expect(call).rejects.toMatchObject({
      code: 'ACCESS_UNAVAILABLE',
      retryAfterMs: 30_000,
    });
  }
  expect(arrived).toEqual([]);
});

test('while the database is away, an id leads to OVERLOADED and a time', async () => {
  const fresh = await beginWithoutTokens();
  const away = new StoreError('DATABASE_UNAVAILABLE', 'away');
  vi.spyOn(world.store.installations, 'get').mockRejectedValue(away);

  const target = { installation: fresh.id, instanceId: 'w-1' };
  for (const call of [
    notifyFromServer(context(), target, { notification }),
    createServerPlatform(context(), fresh.id).fetch('/api/things'),
  ]) {
    await expect(call).rejects.toMatchObject({ code: 'OVERLOADED', retryAfterMs: 5_000 });
  }
});

test('an unknown installation has ended, and the error names it', async () => {
  const ended = {
    code: 'INSTALLATION_ENDED',
    installation: { id: 'unknown', generation: undefined },
  };
  await expect(
    createServerPlatform(context(), 'unknown').fetch('/api/things'),
  ).rejects.toMatchObject(ended);
  const target = { installation: 'unknown', instanceId: 'w-1' };
  await expect(notifyFromServer(context(), target, { notification })).rejects.toMatchObject(ended);
  expect(arrived).toEqual([]);
});
