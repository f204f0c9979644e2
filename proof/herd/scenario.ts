/** The world of a group of scenarios: created before the first, shared, and removed after the last. */
import { testDatabases } from '@dowel/installation-store/testing';
import { afterAll, beforeAll, describe, vi } from 'vitest';
import { createHerdWorld, type HerdWorld, type HerdWorldOptions } from './herd-world.ts';
import { servers } from './servers.ts';

/** `npm run test:all`: every step, server, database and number of processes. */
export const runsAll = process.env.DOWEL_TESTS === 'all';

/** Each database and server, with one process and with four. */
export const everySetting = testDatabases.flatMap((database) =>
  servers.flatMap((server) =>
    [1, 4].map((processes) => ({
      ...server,
      database,
      processes,
      isHardest: server.isStrict && processes > 1,
      title: `${processes === 1 ? 'one process' : 'four processes'} on ${server.server}, ${database.name}`,
    })),
  ),
);

export type Setting = (typeof everySetting)[number];

/** Returns all settings in `npm run test:all`. */
const choose = (isUsual: (setting: Setting) => boolean) =>
  runsAll ? everySetting : everySetting.filter(isUsual);

const isOnSqlite = ({ database }: Setting) => database.name === 'SQLite';

/** The hardest setting on each database, and the third-party server. */
export const settingsOnEachDatabase = choose(
  (setting) =>
    setting.isHardest || (!setting.isStrict && setting.processes === 1 && isOnSqlite(setting)),
);

/** For scenarios in which processes interact, without special use of the database. */
export const settingsWithProcesses = choose((setting) => setting.isHardest && isOnSqlite(setting));

/** For scenarios of a single process. */
export const settings = choose(
  (setting) => setting.isStrict && setting.processes === 1 && isOnSqlite(setting),
);

export function describeEach(all: Setting[], scenarios: (setting: Setting) => void): void {
  for (const setting of all) {
    describe.skipIf(!setting.database.isAvailable)(setting.title, () => scenarios(setting));
  }
}

/** Long time limits for thousands of calls on a busy machine: these tests count calls, not time. */
export const patience = {
  callTimeoutMs: 500_000,
  waitMs: 500_000,
  attemptTimeoutMs: 49_000,
  repeatTimeoutMs: 49_000,
  leaseMs: 55_000,
  // So that no answer waits behind many others of a server that has little time.
  refreshPlaces: { places: 32, firstPlaces: 16, maxPlaces: 24, suspectPlaces: 8, newPlaces: 16 },
};

export function shareWorld(options: HerdWorldOptions): () => HerdWorld {
  let world: HerdWorld | undefined;
  vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });
  beforeAll(async () => {
    world = await createHerdWorld(options);
  });
  afterAll(() => world?.close());
  return () => {
    if (!world) throw new Error('The world is made before the first test');
    return world;
  };
}

/** The counts of a platform without a fault. */
export const clean = { reuses: 0, strangers: 0, triggers: 0, maxRefreshesInFlight: 1 };
