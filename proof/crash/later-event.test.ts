/**
 * Killed in the exchange of an event that was to replace tokens in use: threats K2 to K6. This
 * platform voids the old tokens as soon as the new code is spent.
 */
import { describe, expect, test } from 'vitest';
import {
  downtimeMs,
  engines,
  expectWell,
  passOver,
  restart,
  shareCrashPlatform,
} from './crash-suite.ts';
import { collectRows } from './crash-table.ts';
import { exchangeSteps, runsAll } from './kill-steps.ts';
import { installPlugin, placePlugin } from './placed-plugin.ts';

const shared = shareCrashPlatform();
const addRow = collectRows();

const afterSpent = exchangeSteps.filter(({ step }) => step === 'after the code was spent');
const steps = runsAll ? exchangeSteps : afterSpent;

const situations = [
  { comesAgain: false, what: 'never comes again' },
  ...(runsAll ? [{ comesAgain: true, what: 'is delivered again' }] : []),
];

describe.concurrent.each(runsAll ? engines : engines.slice(0, 1))('on $name', (engine) => {
  describe.each(situations)('a later event that $what', ({ comesAgain, what }) => {
    test.for(steps)(
      'leaves no installation stuck after a kill $step',
      ({ step, points, answer }, { skip }) =>
        shared.inWorld(engine, async (world) => {
          const plugin = await placePlugin(world, await installPlugin(world));
          const { pluginId } = plugin;
          const { platform, tenantId, records } = shared.platform;
          if (!comesAgain) world.redelivers = () => false;
          const killed = await world.killDuring(points, () =>
            platform.sendAccessTokenEvent({ tenantId, pluginId }),
          );
          if (!killed) return passOver(step, skip);
          const isLost = answer === 400;
          if (isLost) platform.revoke({ tenantId, pluginId, what: 'accessTokens' });
          if (isLost) platform.revoke({ tenantId, pluginId, what: 'refreshTokens' });
          await restart(world, comesAgain ? downtimeMs.claim : downtimeMs.intent);
          const delivery = await killed.outcome;
          if (comesAgain) expect(delivery.status).toBe(answer);

          await expectWell(world, plugin);

          const [, second] = records.answersOf('access_token', pluginId);
          expect(records.countRequests('code', second?.code ?? '')).toBeLessThanOrEqual(2);
          expect(records.countTriggers(pluginId)).toBeLessThanOrEqual(1);
          addRow({
            scenario: `later event, ${what}`,
            step,
            engine: engine.name,
            kills: 1,
            healedInMs: performance.now() - killed.killedAt,
            result: isLost ? 'healed by a trigger' : 'kept',
          });
        }),
    );
  });
});
