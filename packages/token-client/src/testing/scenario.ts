/** The world of a group of scenarios: made before the first, shared, and gone after the last. */
import { afterAll, beforeAll } from 'vitest';
import { servers } from './servers.ts';
import { createWorld, type World, type WorldOptions } from './world.ts';

/** Each server, with one process and with four. */
export const settings = servers.flatMap((server) => [
  { ...server, where: 'one process', processes: 1 },
  { ...server, where: 'four processes', processes: 4 },
]);

export function shareWorld(options: WorldOptions): () => World {
  let world: World | undefined;
  beforeAll(async () => {
    world = await createWorld(options);
  }, 60_000);
  afterAll(() => world?.close());
  return () => {
    if (!world) throw new Error('The world is made before the first test');
    return world;
  };
}

/** What a platform counted when nothing but the expected happened. */
export const clean = { reuses: 0, strangers: 0, triggers: 0, maxRefreshesInFlight: 1 };
