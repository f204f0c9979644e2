/** Killed while a hook delivery is written, and while it runs: decision 36. */
import { describe, expect, test, vi } from 'vitest';
import { countWaiting, type HookCall, hookLeaseMs, readHookCalls } from './hook-calls.ts';
import { enginesFor, patienceMs, restart, shareKillPlatform } from './kill-suite.ts';
import type { KillWorld } from './kill-world.ts';
import { addInstance, installPlugin } from './placed-plugin.ts';
import { findDamage } from './stored-state.ts';

const shared = shareKillPlatform();
const patience = { timeout: patienceMs, interval: 100 };
const placement = 'request /lifecycle/instance_add';

/** Resolves with the calls when no delivery waits any more. */
function settledCalls(world: KillWorld, pluginId: string): Promise<HookCall[]> {
  return vi.waitFor(async () => {
    expect(await countWaiting(world), world.output).toBe(0);
    return readHookCalls(world, pluginId);
  }, patience);
}

describe.concurrent.each(enginesFor('SQLite'))('the outbox on $name', (engine) => {
  test('S04: a hook is told once after a kill between its row and the commit', () =>
    shared.inWorld(engine, async (world) => {
      const pluginId = await installPlugin(world);
      await settledCalls(world, pluginId);
      const points = [placement, 'after insert into hook_deliveries'];
      const killed = await world.killDuring(points, () => addInstance(world, pluginId));
      await restart(world, hookLeaseMs);
      await killed.outcome;

      await vi.waitFor(
        async () => expect(await readHookCalls(world, pluginId)).toHaveLength(2),
        patience,
      );
      const calls = await settledCalls(world, pluginId);
      expect(calls.map(({ event, attempt }) => `${event} ${attempt}`)).toEqual([
        'installed 1',
        'instanceAdded 1',
      ]);
      expect(await findDamage(world)).toEqual([]);
    }));
});

describe.concurrent.each(enginesFor('PostgreSQL'))('a delivery on $name', (engine) => {
  test('S05: a hook is called again with the same id, in order, after a kill behind its call', () =>
    shared.inWorld(engine, async (world) => {
      const pluginId = await installPlugin(world);
      await settledCalls(world, pluginId);
      const { platform, tenantId } = shared.platform;
      const points = [placement, 'after update hook_deliveries', 'before update hook_deliveries'];
      const killed = await world.killDuring(points, async () => {
        await addInstance(world, pluginId);
        await world.exited();
      });
      await restart(world, hookLeaseMs);
      await killed.outcome.catch(() => {});
      await platform.uninstall({ tenantId, pluginId });
      const calls = await vi.waitFor(async () => {
        const all = await settledCalls(world, pluginId);
        expect(all.at(-1)?.event).toBe('uninstalled');
        return all;
      }, patience);

      const ofWidget = calls.filter(({ event }) => event === 'instanceAdded');
      expect(new Set(ofWidget.map(({ id }) => id)).size).toBe(1);
      expect(ofWidget.at(-1)?.attempt).toBe(2);
      const sequences = calls.map(({ sequence }) => sequence);
      expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
    }));
});
