/** The order of system calls: threat D9, the loss of power. */
import { dirname, join } from 'node:path';
import { sqlite } from '@dowel/installation-store/testing';
import { expect, test } from 'vitest';
import { shareCrashPlatform } from './crash-suite.ts';
import { installPlugin } from './placed-plugin.ts';
import { canTrace, readAnswers, traceTo } from './system-calls.ts';

const shared = shareCrashPlatform();

test.skipIf(!canTrace)(
  'D9: the log is durable before each 201 is written, after the first start and the second',
  () =>
    shared.inWorld(sqlite, async (world) => {
      const { path } = world.database.location as { path: string };
      const { platform, tenantId } = shared.platform;
      for (const start of ['first', 'second']) {
        const trace = join(dirname(path), `${start}.strace`);
        const bff = await world.start({ under: traceTo(trace) });
        const pluginId = await installPlugin(world);
        await platform.sendAccessTokenEvent({ tenantId, pluginId });
        await platform.uninstall({ tenantId, pluginId });
        await bff.stop();

        const answers = await readAnswers(trace);
        expect(answers).toHaveLength(4);
        for (const { syncs, isEarly } of answers) {
          expect(isEarly).toBe(false);
          expect(syncs).toBeGreaterThanOrEqual(1);
        }
      }
    }),
);
