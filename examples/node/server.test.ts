import { createServer as createHttpServer } from 'node:http';
import { join } from 'node:path';
import { configureHttpServer, createServer, httpServerOptions } from '@dowel/server';
import {
  installAt,
  readSampleManifest,
  sessionTokenAt,
  startServerWorld,
} from '@dowel/server/testing';
import { expect, test, vi } from 'vitest';

test('a server with a route for its users', async () => {
  await using world = await startServerWorld();
  const platformUrl = world.platform.origin;
  const options = {
    database: { path: join(world.folder, 'own.sqlite') },
    environment: {},
    port: 0,
  };

  const server = createServer({
    manifest: 'manifest.json',
    trust: `${platformUrl}=${platformUrl}/certificates/`,
    userRoutes(router) {
      router.get('/me', ({ caller }) => ({ body: { userId: caller.user.id } }));
    },
    ...options,
  });
  const { url } = await server.start();

  const { instanceId } = await installAt(world, url);
  const sessionToken = await sessionTokenAt(world, url, instanceId);
  const authorization = `Bearer ${sessionToken}`;
  const response = await fetch(`${url}/api/me`, { headers: { authorization } });
  expect(await response.json()).toEqual({ userId: world.userId });
  expect((await fetch(`${url}/api/me`)).status).toBe(401);
  await server.close();
});

test('a server from a manifest in the code', async () => {
  await using world = await startServerWorld();
  const platformUrl = world.platform.origin;
  const manifest = await readSampleManifest();
  const { database, environment, port } = world.common;
  const rest = { database, environment, port };

  const trust = `${platformUrl}=${platformUrl}/certificates/`;
  const server = createServer({ manifest, trust, ...rest });
  const { url } = await server.start();

  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ isReady: true });
  await server.close();
});

test('several plug-ins in one process', async () => {
  await using world = await startServerWorld();
  const [polls, lunch] = [await readSampleManifest(), await readSampleManifest()];
  const options = world.common;

  const several = createServer({
    plugins: { polls: { manifest: polls }, lunch: { manifest: lunch } },
    ...options,
  });

  const { url } = await several.start();
  expect((await fetch(`${url}/lunch/manifest.json`)).status).toBe(200);
  await several.close();
});

test('periodic work, from a timer of the program', async () => {
  await using world = await startServerWorld();
  const server = world.create();
  await server.open();
  const sendDigest = vi.fn();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });

  const timer = setInterval(() => {
    server
      .runOnce({ name: 'digest', everyMs: 86_400_000 }, sendDigest)
      .catch((err: unknown) => server.log.error({ err }, 'digest.failed'));
  }, 60_000);
  void server.closed.then(() => clearInterval(timer));

  vi.advanceTimersByTime(120_000);
  await vi.waitFor(() => expect(sendDigest).toHaveBeenCalled(), 60_000);
  await server.close();
  expect([sendDigest.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
  vi.useRealTimers();
});

test('the HTTP server of a host with our bounds', () => {
  const app = () => {};

  const host = createHttpServer(httpServerOptions, app);
  configureHttpServer(host);

  expect([host.keepAliveTimeout, host.requestTimeout]).toEqual([65_000, 15_000]);
});
