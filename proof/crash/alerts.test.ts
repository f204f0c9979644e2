/** Killed while an alert opens, and while its message is sent: decision 48. */
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
/** The rules are looked at every 30 seconds. */
const nextLookMs = 31_000;
/** More than the lease of a message, and so much that the next test begins with another world. */
const downtimeMs = 181_000;

interface ReceivedAlert {
  id: unknown;
  type: string;
}

async function startReceiver() {
  const received: ReceivedAlert[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as ReceivedAlert;
    received.push({ id: request.headers['webhook-id'], type: body.type });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const settings = {
    DOWEL_ALERTS: 'hook_parked',
    DOWEL_ALERT_WEBHOOK_URL: `http://127.0.0.1:${port}/`,
    DOWEL_ALERT_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    DOWEL_INTERNAL_HOSTS: '127.0.0.1',
  };
  return {
    received,
    settings,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
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
    { timeout: 2 * patienceMs },
    ({ step, points }) =>
      shared.inWorld(engine, async (world) => {
        await using receiver = await startReceiver();
        world.settings = receiver.settings;
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

        const [first] = receiver.received;
        expect(receiver.received.length).toBeLessThanOrEqual(2);
        expect(receiver.received).toEqual(
          receiver.received.map(() => ({ id: first?.id, type: 'alert.opened' })),
        );
        expect(await alertsOf(world)).toMatchObject([{ tellings: 1 }]);
        expect(await findDamage(world)).toEqual([]);
        addRow({
          scenario: 'alert',
          step,
          engine: engine.name,
          kills: 1,
          healedInMs: performance.now() - killedAt,
          result: `sent ${receiver.received.length}×, with one id`,
        });
      }),
  );
});
