/** Killed while a hook delivery is written, and while it runs: decision 36. */
import { describe, expect, test, vi } from 'vitest';
import { enginesFor, passOver, patienceMs, restart, shareCrashPlatform } from './crash-suite.ts';
import { collectRows } from './crash-table.ts';
import type { CrashWorld } from './crash-world.ts';
import {
  countWaiting,
  type HookCall,
  hookLeaseMs,
  hookProgram,
  readHookCalls,
} from './hook-calls.ts';
import { deliverySteps, outboxSteps, stepsOn } from './kill-steps.ts';
import { installPlugin } from './placed-plugin.ts';
import { findDamage } from './stored-state.ts';

const shared = shareCrashPlatform(hookProgram);
const addRow = collectRows();
const interval = 100;

/** Resolves with the calls when no delivery waits any more. */
function settledCalls(world: CrashWorld, pluginId: string): Promise<HookCall[]> {
  return vi.waitFor(
    async () => {
      expect(await countWaiting(world), world.output).toBe(0);
      return readHookCalls(world, pluginId);
    },
    { timeout: patienceMs, interval },
  );
}

function place(world: CrashWorld, pluginId: string) {
  const { platform, tenantId } = world.crashPlatform;
  const { installations } = platform.plugins(tenantId);
  const installed = installations.find((each) => each.pluginId === pluginId);
  const entryPointId = installed?.entryPoints[0]?.id ?? '';
  return platform.addInstance({ tenantId, pluginId, entryPointId });
}

const told = (calls: HookCall[]) => calls.map(({ event, attempt }) => `${event} ${attempt}`);

describe.concurrent.each(enginesFor([...outboxSteps, ...deliverySteps]))('on $name', (engine) => {
  test.for(stepsOn(engine.name, outboxSteps))(
    'S04: a hook is told once after a kill $step',
    ({ step, points }, { skip }) =>
      shared.inWorld(engine, async (world) => {
        const pluginId = await installPlugin(world);
        expect(told(await settledCalls(world, pluginId))).toEqual(['installed 1']);
        const killed = await world.killDuring(points, () => place(world, pluginId));
        if (!killed) return passOver(step, skip);
        await restart(world, hookLeaseMs);
        await killed.outcome;
        await vi.waitFor(
          async () =>
            expect(told(await readHookCalls(world, pluginId))).toContain('instanceAdded 1'),
          {
            timeout: patienceMs,
            interval,
          },
        );

        const calls = await settledCalls(world, pluginId);
        // The last statements are those of the delivery, after which the same one comes again.
        const once = new Map(calls.map(({ id, event }) => [id, event]));
        expect([...once.values()]).toEqual(['installed', 'instanceAdded']);
        expect(await findDamage(world)).toEqual([]);
        addRow({
          scenario: 'outbox',
          step,
          engine: engine.name,
          kills: 1,
          healedInMs: performance.now() - killed.killedAt,
          result: 'told once',
        });
      }),
  );

  test.for(stepsOn(engine.name, deliverySteps))(
    'S05: a hook is called again with the same id, in order, after a kill $step',
    ({ step, points }, { skip }) =>
      shared.inWorld(engine, async (world) => {
        const pluginId = await installPlugin(world);
        await settledCalls(world, pluginId);
        const { platform, tenantId } = shared.platform;
        const killed = await world.killDuring(points, async () => {
          await place(world, pluginId);
          await world.exited();
        });
        if (!killed) return passOver(step, skip);
        await restart(world, hookLeaseMs);
        await killed.outcome.catch(() => {});
        await platform.uninstall({ tenantId, pluginId });
        const calls = await vi.waitFor(
          async () => {
            const all = await settledCalls(world, pluginId);
            expect(all.at(-1)?.event).toBe('uninstalled');
            return all;
          },
          { timeout: patienceMs, interval },
        );

        const ofWidget = calls.filter(({ event }) => event === 'instanceAdded');
        expect(new Set(ofWidget.map(({ id }) => id)).size).toBe(1);
        expect(ofWidget.at(-1)?.attempt).toBe(2);
        const sequences = calls.map(({ sequence }) => sequence);
        expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
        addRow({
          scenario: 'hook',
          step,
          engine: engine.name,
          kills: 1,
          healedInMs: performance.now() - killed.killedAt,
          result: 'called again',
        });
      }),
  );
});
