/** Triggers that are refused, and events that do not arrive: waiting ends, and requests do not pile up. */
import { describe, expect, test } from 'vitest';
import { makeCalls } from './make-calls.ts';
import { clean, describeEach, settings, shareWorld } from './scenario.ts';
import { usualServers } from './servers.ts';

const endless = { waitMs: 3_600_000, callTimeoutMs: 3_600_000 };

describeEach(settings, (options) => {
  // With the default, the calls of two rounds would wait 50 seconds. Of several processes, each must learn within
  // this time that the refresh of another one has failed.
  const waitMs = options.processes === 1 ? 1_000 : 10_000;
  const world = shareWorld({ ...options, policy: { waitMs } });
  const count = 200 / options.processes;

  test('C20: without the event every call fails in time, and only the first asks for it', async () => {
    const installation = await world().install();
    await world().platform.revokeGrants(installation);
    installation.sendsEvents = false;
    const plan = { installationIds: [installation.id], count };

    for (const _ of ['these calls', 'the next calls']) {
      expect(await world().callAll(plan)).toEqual({ TOKEN_UNAVAILABLE: 200 });
    }
    await expect.poll(() => installation.tally.triggers).toBe(1);
    expect(installation.tally).toMatchObject({ ...clean, refreshes: 1, triggers: 1, accepted: 0 });
  });
});

describe.each(usualServers)('one process on $server', (options) => {
  const world = shareWorld(options);
  /** Between two triggers: only the clock that the tests move is as fast. */
  const stepMs = 600_000;
  const trigger = { takenMs: stepMs, failedMs: stepMs, maxTakenMs: stepMs, maxFailedMs: stepMs };
  const passStep = () => world().database.shiftClock(stepMs);

  test('T7: a trigger that is refused for a while is sent once per step, and heals by itself', async () => {
    const installation = await world().install();
    const client = world().createClient({ policy: { trigger } });
    await world().platform.revokeGrants(installation);
    installation.triggerAnswer = { status: 503, body: {} };
    const plan = { installationIds: [installation.id], count: 50 };

    expect(await makeCalls(client, plan)).toEqual({ TOKEN_UNAVAILABLE: 50 });
    expect(await client.heal()).toBe(0);
    expect(installation.tally).toMatchObject({ refreshes: 1, triggers: 1 });

    await passStep();
    for (const _ of ['due', 'sent already']) expect(await client.heal()).toBe(0);
    expect(installation.tally.triggers).toBe(2);

    installation.triggerAnswer = { status: 202, body: {} };
    await passStep();
    expect(await client.heal()).toBe(1);
    await expect.poll(() => installation.tally.issued).toBe(1);

    expect(await makeCalls(client, plan)).toEqual({ 201: 50 });
    expect(installation.tally).toMatchObject({ refreshes: 1, triggers: 3, exchanges: 1 });
  });

  test('a lost event is requested again, and the installation recovers by itself', async () => {
    const installation = await world().install();
    const client = world().createClient({ policy: { trigger, waitMs: 100 } });
    await world().platform.revokeGrants(installation);
    installation.sendsEvents = false;
    const plan = { installationIds: [installation.id], count: 50 };
    expect(await makeCalls(client, plan)).toEqual({ TOKEN_UNAVAILABLE: 50 });
    await expect.poll(() => installation.tally.triggers).toBe(1);

    installation.sendsEvents = true;
    // No caller waits for the answer to the first trigger, so its pause may begin after the first step.
    await expect
      .poll(async () => {
        await passStep();
        return client.heal();
      })
      .toBe(1);
    await expect.poll(() => installation.tally.issued).toBe(1);

    expect(await makeCalls(client, plan)).toEqual({ 201: 50 });
    expect(installation.tally).toMatchObject({ refreshes: 1, triggers: 2, exchanges: 1 });
  });

  test('without a way to ask for an event calls fail at once, and the next event heals', async () => {
    const installation = await world().install({ hasTrigger: false });
    // A call that waits would outlive the test.
    const client = world().createClient({ policy: endless });
    await world().platform.revokeGrants(installation);
    const plan = { installationIds: [installation.id], count: 50 };

    expect(await makeCalls(client, plan)).toEqual({ TOKEN_UNAVAILABLE: 50 });

    await world().platform.sendEvent(installation);
    expect(await makeCalls(client, plan)).toEqual({ 201: 50 });
    expect(installation.tally).toMatchObject({ refreshes: 1, triggers: 0, exchanges: 1 });
  });
});
