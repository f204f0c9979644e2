/** Killed while an alert opens, and while its message is sent: decision 48. */
import { rm, writeFile } from 'node:fs/promises';
import { startWebhookReceiver, type WebhookReceiver } from '@dowel/server/testing';
import { describe, expect, test, vi } from 'vitest';
import { enginesFor, patienceMs, restart, shareCrashPlatform } from './crash-suite.ts';
import { collectRows } from './crash-table.ts';
import type { CrashWorld } from './crash-world.ts';
import { hookProgram } from './hook-calls.ts';
import { alertSteps, stepsOn } from './kill-steps.ts';
import { installPlugin } from './placed-plugin.ts';
import { findDamage } from './stored-state.ts';

const shared = shareCrashPlatform(hookProgram);
const addRow = collectRows();
const patience = { timeout: patienceMs, interval: 200 };
/** The rules are evaluated every 30 seconds. */
const nextLookMs = 31_000;
/** More than the lease of a message. It is so long that the next test starts with another world. */
const downtimeMs = 181_000;

function settingsOf({ settings: { url, key } }: WebhookReceiver) {
  return {
    DOWEL_ALERTS: 'hook_parked',
    DOWEL_ALERT_WEBHOOK_URL: url.reveal(),
    DOWEL_ALERT_WEBHOOK_SECRET: key.reveal(),
    DOWEL_INTERNAL_HOSTS: '127.0.0.1',
  };
}

/** Makes the rule true: a hook parks its delivery. */
async function parkHook(world: CrashWorld): Promise<void> {
  await writeFile(`${world.hookFile}.parks`, '');
  await installPlugin(world);
  const { hooks } = await world.store();
  await vi.waitFor(
    async () => expect(await hooks.listParked({ limit: 1 })).toHaveLength(1),
    patience,
  );
  await rm(`${world.hookFile}.parks`);
}

const alertsOf = (world: CrashWorld) =>
  world.database.execute('select opened_at, tellings from alerts');

describe.concurrent.each(enginesFor(alertSteps))('on $name', (engine) => {
  test.for(stepsOn(engine.name, alertSteps))(
    'an alert is told once, by one message, after a kill $step',
    ({ step, points }) =>
      shared.inWorld(engine, async (world) => {
        await using receiver = await startWebhookReceiver();
        world.settings = settingsOf(receiver);
        await parkHook(world);
        await restart(world, nextLookMs);
        await vi.waitFor(async () => expect(await alertsOf(world)).toHaveLength(1), patience);

        await world.passTime(nextLookMs);
        await world.startAndKill(points);
        const killedAt = performance.now();
        await restart(world, downtimeMs);
        const { alerts } = await world.store();
        await vi.waitFor(async () => {
          const { channels } = await alerts.report();
          expect(channels).toMatchObject([{ last: { state: 'delivered' }, waiting: 0 }]);
        }, patience);

        const messages = receiver.received.map(({ id, message }) => `${message.type} ${id}`);
        expect(messages.length).toBeLessThanOrEqual(2);
        expect([...new Set(messages)]).toEqual([expect.stringMatching(/^alert\.opened /)]);
        expect(await alertsOf(world)).toMatchObject([{ tellings: 1 }]);
        expect(await findDamage(world)).toEqual([]);
        addRow({
          scenario: 'alert',
          step,
          engine: engine.name,
          kills: 1,
          healedInMs: performance.now() - killedAt,
          result: `sent ${messages.length}×, with one id`,
        });
      }),
  );
});
