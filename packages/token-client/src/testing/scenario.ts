/** The world of a group of scenarios: made before the first, shared, and gone after the last. */
import { afterAll, beforeAll, vi } from 'vitest';
import { servers } from './servers.ts';
import { createWorld, type World, type WorldOptions } from './world.ts';

/** Every step, server and number of processes; else what takes less than a minute in all. */
export const isFull = process.env.DOWEL_CRASH === 'full';

/** Each server, with one process and with four. */
export const everySetting = servers.flatMap((server) => [
  { ...server, where: 'one process', processes: 1 },
  { ...server, where: 'four processes', processes: 4 },
]);

/** The hardest, and the one that others wrote. */
export const settings = everySetting.filter(
  ({ server, processes }) => isFull || (server === 'the strict server') === processes > 1,
);

/** For thousands of calls on a busy machine: what is counted there is not time. */
export const patience = {
  callTimeoutMs: 100_000,
  waitMs: 100_000,
  attemptTimeoutMs: 30_000,
  leaseMs: 55_000,
};

export function shareWorld(options: WorldOptions): () => World {
  let world: World | undefined;
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
  beforeAll(async () => {
    world = await createWorld(options);
  });
  afterAll(() => world?.close());
  return () => {
    if (!world) throw new Error('The world is made before the first test');
    return world;
  };
}

/** What a platform counted when nothing but the expected happened. */
export const clean = { reuses: 0, strangers: 0, triggers: 0, maxRefreshesInFlight: 1 };
