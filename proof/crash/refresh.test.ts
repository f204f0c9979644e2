/** Killed in a refresh, and started again: threats R1 and R2. */
import { describe, expect, test } from 'vitest';
import {
  downtimeMs,
  enginesFor,
  expectWell,
  passOver,
  restart,
  shareCrashPlatform,
} from './crash-suite.ts';
import { collectRows } from './crash-table.ts';
import { refreshSteps, stepsOn } from './kill-steps.ts';
import { installPlugin, notify, placePlugin } from './placed-plugin.ts';
import { loadGrant } from './stored-state.ts';

const shared = shareCrashPlatform();
const addRow = collectRows();

describe.concurrent.each(enginesFor(refreshSteps))('on $name', (engine) => {
  test.for(stepsOn(engine.name, refreshSteps))(
    'a kill $step costs $presented requests and $triggers triggers',
    ({ step, points, ...expected }, { skip }) =>
      shared.inWorld(engine, async (world) => {
        const plugin = await placePlugin(world, await installPlugin(world));
        const { pluginId } = plugin;
        const { platform, tenantId, records } = shared.platform;
        const before = await loadGrant(world, pluginId);
        platform.revoke({ tenantId, pluginId, what: 'accessTokens' });
        const killed = await world.killDuring(points, () => notify(world, plugin));
        if (!killed) return passOver(step, skip);
        await expect(killed.outcome).rejects.toThrow('fetch failed');
        await restart(world, downtimeMs.lease);

        await expectWell(world, plugin);

        const refreshToken = before?.refreshToken?.reveal();
        if (!refreshToken) throw new Error('Nothing was stored');
        expect(records.countRequests('refresh', refreshToken)).toBe(expected.presented);
        expect(records.countTriggers(pluginId)).toBe(expected.triggers);
        addRow({
          scenario: 'refresh',
          step,
          engine: engine.name,
          kills: 1,
          healedInMs: performance.now() - killed.killedAt,
          result: expected.triggers === 0 ? 'refreshed' : 'healed by a trigger',
        });
      }),
  );
});
