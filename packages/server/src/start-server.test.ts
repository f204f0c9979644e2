/** A start that fails. */
import { createServer as createHttpServer } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeHost, listenOnLoopback } from './testing/loopback.ts';
import { type ServerWorld, startServerWorld } from './testing/server-world.ts';

let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

test('closes the server: another try says so, and not what was wrong before', async () => {
  const host = createHttpServer();
  const port = Number(new URL(await listenOnLoopback(host)).port);
  const server = world.create({ port });
  await expect(server.start()).rejects.toThrow(/is in use/);
  await closeHost(host);

  await expect(server.start()).rejects.toMatchObject({ code: 'SERVER_CLOSED' });
});
