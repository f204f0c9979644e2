/** Killed in an exchange, and started again: threats K1 to K7. */
import { randomUUID } from 'node:crypto';
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
import { exchangeSteps, runsAll, stepsOn } from './kill-steps.ts';
import { installPlugin, placePlugin } from './placed-plugin.ts';

const shared = shareCrashPlatform();
const addRow = collectRows();

/** The presentations of the codes of a plug-in's events. */
function presented(pluginId: string, answer: number): number {
  const [first] = shared.platform.records.answersOf('access_token', pluginId);
  expect(first?.status).toBe(answer);
  return shared.platform.records.countRequests('code', first?.code ?? '');
}

/** The steps at which at least the intent is durable. */
const durableSteps = exchangeSteps.filter(({ step }) => !/^(before|after) the claim$/.test(step));
const afterSpent = durableSteps.filter(({ step }) => step === 'after the code was spent');

describe.each(enginesFor(exchangeSteps))('on $name', (engine) => {
  describe.concurrent('a first event that is delivered again', () => {
    test.for(stepsOn(engine.name, exchangeSteps))(
      'K1: is answered $answer after a kill $step, its code presented $presented times',
      ({ step, points, ...expected }, { skip }) =>
        shared.inWorld(engine, async (world) => {
          const pluginId = randomUUID();
          const killed = await world.killDuring(points, () => installPlugin(world, pluginId));
          if (!killed) return passOver(step, skip);
          await restart(world, downtimeMs.claim);
          const isInstalled = await killed.outcome.then(
            () => true,
            () => false,
          );
          expect(isInstalled).toBe(expected.answer === 201);
          // The installation failed: the platform can install again.
          if (!isInstalled) await installPlugin(world, pluginId);

          await expectWell(world, await placePlugin(world, pluginId));

          expect(presented(pluginId, expected.answer)).toBe(expected.presented);
          addRow({
            scenario: 'first event, delivered again',
            step,
            engine: engine.name,
            kills: 1,
            healedInMs: performance.now() - killed.killedAt,
            result: isInstalled ? 'kept' : 'refused, installed again',
          });
        }),
    );
  });

  describe.concurrent('a first event that never comes again', () => {
    test.for(runsAll ? durableSteps : afterSpent)(
      'K1: is healed by a new one after a kill $step',
      ({ step, points, answer }, { skip }) =>
        shared.inWorld(engine, async (world) => {
          const pluginId = randomUUID();
          Object.assign(world, { redelivers: () => false, forgives: true });
          const killed = await world.killDuring(points, () => installPlugin(world, pluginId));
          if (!killed) return passOver(step, skip);
          await killed.outcome;
          const { records } = shared.platform;
          const healed = records.nextAnswer('access_token', pluginId);
          await restart(world, downtimeMs.intent);
          const isStored = /commit$|201/.test(step) && answer === 201;
          if (!isStored) expect(await healed).toMatchObject({ status: 201 });
          const healedInMs = performance.now() - killed.killedAt;

          await expectWell(world, await placePlugin(world, pluginId));

          expect(records.countTriggers(pluginId)).toBe(isStored ? 0 : 1);
          addRow({
            scenario: 'first event, never again',
            step,
            engine: engine.name,
            kills: 1,
            healedInMs,
            result: isStored ? 'kept' : 'healed by a trigger',
          });
        }),
    );
  });
});
