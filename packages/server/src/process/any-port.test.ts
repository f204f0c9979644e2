import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ServerWorld, startServerWorld } from '../testing/server-world.ts';
import { ServerClosedError } from './server-closed-error.ts';

let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

test.each([
  ['the option', { port: 0 }],
  ['DOWEL_PORT', { port: undefined, environment: { DOWEL_PORT: '0' } }],
])('%s may be 0: the server is at a free port and says which', async (_, changes) => {
  const { url, port } = await world.create(changes).start();

  expect(port).toBeGreaterThan(0);
  expect(url).toBe(`http://localhost:${port}`);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
});

test('a server that is closed while it starts listens no longer', async () => {
  const countListeners = () =>
    process.getActiveResourcesInfo().filter((each) => each === 'TCPServerWrap').length;
  const before = countListeners();
  const server = world.create();
  const started = server.start();
  const closed = server.close();

  await expect(started).rejects.toBeInstanceOf(ServerClosedError);
  await closed;
  // Fewer: those of an earlier test file may end meanwhile.
  await expect.poll(countListeners).toBeLessThanOrEqual(before);
});

test('with port 0 a public URL stays what it is, also from the environment', async () => {
  const DOWEL_PUBLIC_URL = 'https://plugin.example.com';
  const { url, port } = await world.create({ environment: { DOWEL_PUBLIC_URL } }).start();

  expect(url).toBe(DOWEL_PUBLIC_URL);
  expect((await fetch(`http://localhost:${port}/readyz`)).status).toBe(200);
});

test('start after open refuses a port that the public URL cannot have, says how to go on, and closes nothing', async () => {
  const server = world.create();
  await server.open();

  await expect(server.start()).rejects.toThrow(
    /^open\(\) came before start\(\).*Leave out open\(\)/,
  );
  expect(server.isReady()).toBe(true);
});

test('start after open is at its free port when the public URL is set', async () => {
  const publicUrl = 'https://plugin.example.com';
  const server = world.create({ publicUrl });
  await server.open();

  const { url, port } = await server.start();

  expect(url).toBe(publicUrl);
  expect((await fetch(`http://localhost:${port}/readyz`)).status).toBe(200);
});
