/** Killed while an uninstall deletes the secrets, and started again: threat K8. */
import { describe, expect, test, vi } from 'vitest';
import { enginesFor, passOver, restart, shareCrashPlatform } from './crash-suite.ts';
import { collectRows } from './crash-table.ts';
import { stepsOn, uninstallSteps } from './kill-steps.ts';
import { installPlugin, placePlugin } from './placed-plugin.ts';
import { findStored, listSecrets } from './stored-secrets.ts';
import { findDamage, findInstallation } from './stored-state.ts';

const shared = shareCrashPlatform();
const addRow = collectRows();
const erasedWithinMs = 10_000;

describe.concurrent.each(enginesFor(uninstallSteps))('on $name', (engine) => {
  test.for(stepsOn(engine.name, uninstallSteps))(
    'K8: after a kill $step nothing of the secrets is left',
    ({ step, points }, { skip }) =>
      shared.inWorld(engine, async (world) => {
        const { pluginId } = await placePlugin(world, await installPlugin(world));
        const { platform, tenantId, records } = shared.platform;
        const canaries = await listSecrets(world, pluginId);
        expect(await findStored(world, canaries)).not.toEqual([]);
        const killed = await world.killDuring(points, () =>
          platform.uninstall({ tenantId, pluginId }),
        );
        if (!killed) return passOver(step, skip);
        await restart(world, 0);
        await killed.outcome;

        expect(records.answersOf('uninstall', pluginId)).toMatchObject([{ status: 201 }]);
        expect((await findInstallation(world, pluginId))?.status).toBe('uninstalled');
        await vi.waitFor(async () => expect(await findStored(world, canaries)).toEqual([]), {
          timeout: erasedWithinMs,
          interval: 200,
        });
        expect(await findDamage(world)).toEqual([]);
        addRow({
          scenario: 'uninstall',
          step,
          engine: engine.name,
          kills: 1,
          healedInMs: performance.now() - killed.killedAt,
          result: 'erased',
        });
      }),
  );
});
