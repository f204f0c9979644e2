/** One platform for a file of kill tests, and a world of its own for each of them. */
import { type TestDatabaseKind, testDatabases } from '@dowel/installation-store/testing';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { type KillPlatform, startKillPlatform } from './kill-platform.ts';
import { createKillWorld, type KillWorld } from './kill-world.ts';
import { notify, type PlacedPlugin } from './placed-plugin.ts';
import { findDamage, findInstallation, listIntents } from './stored-state.ts';

/** `npm run test:all`: every test on both engines. */
export const runsAll = process.env.DOWEL_TESTS === 'all';
/** After this time, leases, claims and pauses of a dead process have ended. */
export const downtimeMs = { claim: 16_000, lease: 16_000, intent: 46_000, trigger: 10_000 };
/** The limit for an expected result: a minute, and time for the platform, timers and a busy machine. */
export const patienceMs = 150_000;

/** The engines of a test: in `npm test` one, in turn, so that both are used. */
export function enginesFor(usual: TestDatabaseKind['name']): TestDatabaseKind[] {
  return testDatabases.filter(
    ({ name, isAvailable }) => isAvailable && (runsAll || name === usual),
  );
}

/** Starts another process after one was killed. */
export async function restart(world: KillWorld, afterMs: number): Promise<void> {
  await world.passTime(afterMs);
  Object.assign(world, { redelivers: () => true, forgives: false, losesEvents: false });
  await world.start();
}

/**
 * A call works at once with tokens that decrypt, unfinished work ends soon, and the file is not
 * damaged.
 */
export async function expectWell(world: KillWorld, plugin: PlacedPlugin): Promise<void> {
  expect((await notify(world, plugin)).status, world.output).toBe(200);
  const installation = await findInstallation(world, plugin.pluginId);
  expect(installation?.status).toBe('active');
  const grant = await (await world.store()).grants.load(installation?.id ?? '');
  expect(grant?.accessToken.reveal()).toBeTypeOf('string');
  await vi.waitFor(async () => expect(await listIntents(world)).toEqual([]), {
    timeout: patienceMs,
    interval: 200,
  });
  expect(await findDamage(world)).toEqual([]);
}

export function shareKillPlatform() {
  let shared: KillPlatform | undefined;
  beforeAll(async () => {
    shared = await startKillPlatform();
  });
  afterAll(() => shared?.[Symbol.asyncDispose]());

  function platform(): KillPlatform {
    if (!shared) throw new Error('The platform is started before the first test');
    return shared;
  }

  return {
    get platform() {
      return platform();
    },

    /** Runs a test on a world with one process. */
    async inWorld(kind: TestDatabaseKind, run: (world: KillWorld) => Promise<void>): Promise<void> {
      const world = await createKillWorld(platform(), kind);
      try {
        await world.start();
        await run(world);
      } finally {
        await world.close();
      }
    },
  };
}
