/** Periodic work that runs while its server stops. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Server } from '../server-options.ts';
import { type ServerWorld, startServerWorld } from '../testing/server-world.ts';
import { createTurns, endTurns, runTurn } from './turns.ts';

const daily = { name: 'digest', everyMs: 86_400_000 };
let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

/** A server whose work has begun, and goes on when the gate opens. */
async function beginWork() {
  const server = world.create();
  await server.open();
  const begun = Promise.withResolvers<AbortSignal>();
  const gate = Promise.withResolvers<void>();
  const ran = server.runOnce(daily, async ({ signal }) => {
    begun.resolve(signal);
    await gate.promise;
    await server.installations.get('x');
  });
  ran.catch(() => undefined);
  return { server, ran, gate, signal: await begun.promise };
}

test.each<[string, (server: Server) => Promise<void>]>([
  ['close', (server) => server.close()],
  ['drain', (server) => server.drain()],
])('%s waits for work that has begun, which may still use the store', async (_, stop) => {
  const { server, ran, gate, signal } = await beginWork();
  let isStopped = false;

  const stopped = stop(server).then(() => {
    isStopped = true;
  });
  // To open another server takes longer than to stop one that does nothing.
  await world.create().open();
  expect(isStopped).toBe(false);
  expect(signal.aborted).toBe(false);
  gate.resolve();

  await stopped;
  expect(await ran).toBe(true);
});

test('work that does not end in the time of the stop is aborted', async () => {
  const { server, gate, signal } = await beginWork();

  await server.drain({ graceMs: 1 });
  await server.close();

  expect(signal.aborted).toBe(true);
  gate.resolve();
});

test('a server that stops takes no turn, and leaves it to another one', async () => {
  const [stopping, other] = [world.create(), world.create()];
  await Promise.all([stopping.open(), other.open()]);
  const work = () => {};

  await stopping.drain();

  expect(await stopping.runOnce(daily, work)).toBe(false);
  expect(await other.runOnce(daily, work)).toBe(true);
});

test('a server that was drained before it opened takes no turn', async () => {
  const server = world.create();
  await server.drain();
  await server.open();

  expect(await server.runOnce(daily, () => {})).toBe(false);
});

test('a turn that is taken after the stop does no work', async () => {
  const turns = createTurns();
  const app = { stopping: new AbortController().signal };
  const store = {
    async takeTurn() {
      await endTurns(turns, 0);
      return true;
    },
  };
  const work = vi.fn();

  await expect(runTurn({ app, store, turns }, daily, work)).rejects.toThrow('The process stops');
  expect(work).not.toHaveBeenCalled();
});
