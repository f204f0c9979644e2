/** Killed during a trigger: the installation heals without further calls. */
import { describe, expect, test } from 'vitest';
import { downtimeMs, enginesFor, expectWell, restart, shareCrashPlatform } from './crash-suite.ts';
import { collectRows } from './crash-table.ts';
import { stepsOn, triggerSteps } from './kill-steps.ts';
import { installPlugin, notify, placePlugin } from './placed-plugin.ts';

const shared = shareCrashPlatform();
const addRow = collectRows();

describe.concurrent.each(enginesFor(triggerSteps))('on $name', (engine) => {
  test.for(stepsOn(engine.name, triggerSteps))(
    'a kill $step is healed by a second trigger though nobody calls',
    ({ step, points }) =>
      shared.inWorld(engine, async (world) => {
        const plugin = await placePlugin(world, await installPlugin(world));
        const { pluginId } = plugin;
        const { platform, tenantId, records } = shared.platform;
        platform.revoke({ tenantId, pluginId, what: 'accessTokens' });
        platform.revoke({ tenantId, pluginId, what: 'refreshTokens' });
        // The event of the first trigger is lost, too.
        Object.assign(world, { redelivers: () => false, losesEvents: true });
        const killed = await world.killDuring(points, () => notify(world, plugin));
        if (!killed) throw new Error('The step was not reached');
        const healed = records.nextAnswer('access_token', pluginId);
        await restart(world, downtimeMs.trigger);

        expect(await healed).toMatchObject({ status: 201 });
        await expectWell(world, plugin);

        expect(records.countTriggers(pluginId)).toBeLessThanOrEqual(2);
        addRow({
          scenario: 'trigger',
          step,
          engine: engine.name,
          kills: 1,
          healedInMs: performance.now() - killed.killedAt,
          result: 'healed by a trigger',
        });
      }),
  );
});
