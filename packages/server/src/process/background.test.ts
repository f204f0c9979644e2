/** The work of an open server that nobody asks for. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Observation } from '../observation.ts';
import { installAt, type ServerWorld, startServerWorld } from '../testing/server-world.ts';

let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(async () => {
  vi.useRealTimers();
  await world[Symbol.asyncDispose]();
});

/** The refresh token is dead: only a trigger brings new tokens, and it is due. */
function loseGrant(): void {
  const file = new DatabaseSync(join(world.folder, 'dowel.sqlite'));
  file.exec("update installations set status = 'awaiting_event', heal_at = 0");
  file.close();
}

test('a process that soon ends again sends the triggers that are due', async () => {
  const first = world.create();
  const { url } = await first.start();
  await installAt(world, url);
  await first.close();
  loseGrant();
  // The next process does not live until its first interval.
  vi.useFakeTimers({ toFake: ['setInterval'] });

  const triggered = Promise.withResolvers<void>();
  const observe = ({ type }: Observation) => {
    if (type === 'token.triggered') triggered.resolve();
  };

  await world.create({ observe }).start();

  await triggered.promise;
});

test('a process that was drained before it opened sends no triggers', async () => {
  const first = world.create();
  const { url } = await first.start();
  await installAt(world, url);
  await first.close();
  loseGrant();
  world.observations.length = 0;
  const server = world.create();

  await server.drain();
  await server.open();
  // It would wait for triggers under way.
  await server.close();

  expect(world.observations).toEqual([]);
});

test('E04: a process says at its start, and every half minute, that it seals with its key', async () => {
  // A poll would move the fake clock.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  await world.create().start();
  const file = new DatabaseSync(join(world.folder, 'dowel.sqlite'));
  const isReported = () =>
    Number(file.prepare('select sealing_at from key_checks').get()?.sealing_at) > 1;
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
    file.close();
  });
  const untilReported = async () => {
    while (!isOver && !isReported()) await setImmediate();
  };
  await untilReported();
  file.exec('update key_checks set sealing_at = 1');

  vi.advanceTimersByTime(30_000);

  await untilReported();
});
