/** The limits of reception that an operator sets. */
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readConfiguration } from '../settings/read-configuration.ts';
import { installAt, type ServerWorld, startServerWorld } from '../testing/server-world.ts';

let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

test('an option wins over its variable, and both over the default', () => {
  const environment = { DOWEL_REFUSALS_PER_ADDRESS: '7', DOWEL_NOTIFICATIONS_PER_TENANT: '64' };
  const limits = { refusalsPerAddress: 3, notificationsPerUser: 32 };

  expect(readConfiguration({ environment, limits }).limits).toMatchObject({
    refusalsPerAddress: 3,
    notificationsPerTenant: 64,
    notificationsPerUser: 32,
    exchangesPerInstallation: 20,
  });
});

test.each([
  ['refusalsPerAddress', 0],
  ['refusalsPerAddress', 1.5],
  ['notificationsPerUser', -1],
  ['notificationsPerTenant', Number.NaN],
  ['exchangesPerInstallation', Infinity],
  ['connections', 15],
])('limits.%s of %d is refused by its name', (name, value) => {
  const options = { environment: {}, limits: { [name]: value } };

  expect(() => readConfiguration(options)).toThrow(
    new RegExp(`^limits\\.${name} must be a number of`),
  );
});

test('I03: refusals of one address are answered 429 above the limit that is set', async () => {
  const { url } = await world.create({ limits: { refusalsPerAddress: 2 } }).start();
  const statuses = [];
  for (let count = 0; count < 4; count += 1) {
    const headers = { 'content-type': 'application/jwt' };
    const init = { method: 'POST', headers, body: 'a.b.c' };
    statuses.push((await fetch(`${url}/lifecycle/install`, init)).status);
  }

  expect(statuses).toEqual([400, 400, 429, 429]);
});

test('an installation exchanges as many codes a minute as are set', async () => {
  const { url } = await world.create({ limits: { exchangesPerInstallation: 2 } }).start();
  const { platform, tenantId } = world;
  const { pluginId } = await installAt(world, url);

  for (let count = 0; count < 2; count += 1) {
    await platform.sendAccessTokenEvent({ tenantId, pluginId });
  }

  const answers = world.observations.flatMap((each) =>
    'event' in each && each.event === 'access_token' && 'status' in each ? [each.status] : [],
  );
  expect(answers.slice(0, 3)).toEqual([201, 201, 429]);
});

test('connections beyond limits.connections are closed', async () => {
  const { port } = await world.create({ limits: { connections: 16 }, proxyHops: 1 }).start();

  const sockets = Array.from({ length: 20 }, () => connect({ host: '127.0.0.1', port }));
  for (const socket of sockets) socket.resume().on('error', () => undefined);

  await vi.waitFor(
    () => {
      expect(sockets.filter(({ connecting }) => connecting)).toEqual([]);
      expect(sockets.filter(({ closed }) => closed)).toHaveLength(4);
    },
    { timeout: 120_000 },
  );
  for (const socket of sockets) socket.destroy();
});
