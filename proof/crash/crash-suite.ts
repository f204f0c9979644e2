/** One platform for a file of crash tests, and a world of its own for each of them. */
import { type TestDatabaseKind, testDatabases } from '@dowel/installation-store/testing';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { type CrashPlatform, startCrashPlatform } from './crash-platform.ts';
import { type CrashWorld, createCrashWorld } from './crash-world.ts';
import { type KillStep, runsAll, stepsOn } from './kill-steps.ts';
import { notify, type PlacedPlugin } from './placed-plugin.ts';
import { findDamage, findInstallation, listIntents } from './stored-state.ts';

/** After this time, leases and claims of a dead process have ended. In the full run this time really passes. */
export const downtimeMs = runsAll
  ? { claim: 0, lease: 0, intent: 0, trigger: 0 }
  : { claim: 16_000, lease: 16_000, intent: 46_000, trigger: 10_000 };
/** Events of this age are still accepted. */
const maxAheadMs = 180_000;
/** The limit for an expected result: a minute, and time for the platform, timers and a busy machine. */
export const patienceMs = 150_000;

export const engines = testDatabases.filter(({ isAvailable }) => isAvailable);

/** The engines on which this run tries any of the steps. */
export function enginesFor(steps: readonly KillStep[]): TestDatabaseKind[] {
  return engines.filter(({ name }) => stepsOn(name, steps).length > 0);
}

/** Skips a step that a kind of database does not reach: the number of statements of a transaction differs. */
export function passOver(step: string, skip: (note: string) => never): never {
  if (step.startsWith('inside')) skip('There is no such statement');
  throw new Error(`Nobody came to the step ${step}`);
}

/** Starts another process after one was killed. */
export async function restart(world: CrashWorld, afterMs: number): Promise<void> {
  await world.passTime(afterMs);
  Object.assign(world, { redelivers: () => true, forgives: false, losesEvents: false });
  await world.start();
}

/**
 * A call works at once with tokens that decrypt, unfinished work ends soon, and the file is not
 * damaged.
 */
export async function expectWell(world: CrashWorld, plugin: PlacedPlugin): Promise<void> {
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

/** @param main the file of the program. Default: the sample plug-in's back end. */
export function shareCrashPlatform(main?: string) {
  let shared: CrashPlatform | undefined;
  const worlds = new Set<CrashWorld>();
  const idle: { kind: TestDatabaseKind; world: CrashWorld }[] = [];
  beforeAll(async () => {
    shared = await startCrashPlatform();
  });
  afterAll(async () => {
    await Promise.all([...worlds].map(closeWorld));
    await shared?.[Symbol.asyncDispose]();
  });

  function platform(): CrashPlatform {
    if (!shared) throw new Error('The platform is started before the first test');
    return shared;
  }

  async function takeWorld(kind: TestDatabaseKind): Promise<CrashWorld> {
    const found = idle.findIndex((each) => each.kind === kind);
    const [taken] = found === -1 ? [] : idle.splice(found, 1);
    if (taken) return taken.world;
    const world = await createCrashWorld(platform(), kind, main);
    worlds.add(world);
    await world.start();
    return world;
  }

  async function closeWorld(world: CrashWorld): Promise<void> {
    worlds.delete(world);
    await world.close();
  }

  return {
    get platform() {
      return platform();
    },

    /** Runs a test on a world with one process. The next test continues with it, unless this one fails. */
    async inWorld(
      kind: TestDatabaseKind,
      run: (world: CrashWorld) => Promise<void>,
    ): Promise<void> {
      const world = await takeWorld(kind);
      await run(world);
      if (world.aheadMs < maxAheadMs) idle.push({ kind, world });
      else await closeWorld(world);
    },
  };
}
