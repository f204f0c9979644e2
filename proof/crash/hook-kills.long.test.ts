/** A hook that kills its process each time it is called: decision 36. */
import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, test, vi } from 'vitest';
import { engines, patienceMs, restart, shareCrashPlatform } from './crash-suite.ts';
import { hookLeaseMs, hookProgram, readHookCalls } from './hook-calls.ts';
import { installPlugin } from './placed-plugin.ts';
import { findInstallation } from './stored-state.ts';

const shared = shareCrashPlatform(hookProgram);
const starts = 8;

describe.each(engines)('on $name', (engine) => {
  test(
    'is parked after eight starts, and the hooks of others go on',
    { timeout: starts * patienceMs },
    () =>
      shared.inWorld(engine, async (world) => {
        const kills = `${world.hookFile}.kills`;
        const otherPluginId = await installPlugin(world);
        const other = await findInstallation(world, otherPluginId);
        const callsOfOther = async () => (await readHookCalls(world, otherPluginId)).length;
        await vi.waitFor(async () => expect(await callsOfOther()).toBe(1), {
          timeout: patienceMs,
          interval: 100,
        });
        await writeFile(kills, '');
        const pluginId = await installPlugin(world);
        for (let start = 1; start <= starts; start += 1) {
          await world.exited();
          const calls = await readHookCalls(world, pluginId);
          expect(calls.map(({ attempt }) => attempt)).toHaveLength(start);
          if (start === starts) await rm(kills);
          await restart(world, hookLeaseMs);
        }
        const { hooks } = await world.store();
        // The clock is too far ahead for another event.
        const told = { installationId: other?.id ?? '', generation: 1, data: { instanceId: 'i' } };
        await hooks.append({ ...told, event: 'instanceAdded' });
        await vi.waitFor(
          async () => {
            expect(await callsOfOther()).toBe(2);
            expect(await hooks.listParked({ limit: 9 })).toMatchObject([
              { lastError: expect.stringMatching(/^ParkHook: Tried 8 times/) },
            ]);
          },
          { timeout: patienceMs, interval: 100 },
        );

        expect(await readHookCalls(world, pluginId)).toHaveLength(starts);
      }),
  );
});
