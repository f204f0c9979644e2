/** Triggers that are refused, and events that do not come: waiting ends, and storms do not begin. */
import { describe, expect, test, vi } from 'vitest';
import { makeCalls } from './make-calls.ts';
import { clean, describeEach, settings, shareWorld } from './scenario.ts';
import { usualServers } from './servers.ts';

const endless = { waitMs: 3_600_000, callTimeoutMs: 3_600_000 };

describeEach(settings, (options) => {
  // With the default, the calls of two rounds would wait 50 seconds.
  const waitMs = 1000;
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
    expect(installation.tally).toMatchObject({ ...clean, refreshes: 1, triggers: 1, accepted: 0 });
  });
});

describe.each(usualServers)('one process on $server', (options) => {
  const world = shareWorld(options);
  const trigger = { takenMs: 1_000, failedMs: 1_000, maxTakenMs: 1_000, maxFailedMs: 1_000 };

  test('T7: a trigger that is refused for a while is sent once per step, and heals by itself', async () => {
    const installation = await world().install();
    const client = world().createClient({ policy: { trigger } });
    await world().platform.revokeGrants(installation);
    installation.triggerAnswer = { status: 503, body: {} };
    const plan = { installationIds: [installation.id], count: 50 };

    expect(await makeCalls(client, plan)).toEqual({ TOKEN_UNAVAILABLE: 50 });
    expect(await client.heal()).toBe(0);
    expect(installation.tally).toMatchObject({ refreshes: 1, triggers: 1 });

    await vi.waitUntil(async () => {
      expect(await client.heal()).toBe(0);
      return installation.tally.triggers === 2;
    }, 120_000);

    installation.triggerAnswer = { status: 202, body: {} };
    await vi.waitUntil(async () => (await client.heal()) === 1, 120_000);
    await vi.waitUntil(() => installation.tally.issued === 1, 120_000);

    expect(await makeCalls(client, plan)).toEqual({ 201: 50 });
    expect(installation.tally).toMatchObject({ refreshes: 1, triggers: 3, exchanges: 1 });
  });

  test('an event that is lost is asked for again, and heals by itself', async () => {
    const installation = await world().install();
    const client = world().createClient({ policy: { trigger, waitMs: 100 } });
    await world().platform.revokeGrants(installation);
    installation.sendsEvents = false;
    const plan = { installationIds: [installation.id], count: 50 };
    expect(await makeCalls(client, plan)).toEqual({ TOKEN_UNAVAILABLE: 50 });
    await vi.waitUntil(() => installation.tally.triggers === 1, 120_000);

    installation.sendsEvents = true;
    await vi.waitUntil(async () => (await client.heal()) === 1, 120_000);
    await vi.waitUntil(() => installation.tally.issued === 1, 120_000);

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
