/** 401s that come in sequence, late, or always. */
import { defaultPolicy } from '@dowel/token-client';
import { describe, expect, test } from 'vitest';
import { makeCalls } from './make-calls.ts';
import { clean, describeEach, settings, shareWorld } from './scenario.ts';
import { usualServers } from './servers.ts';

describeEach(settings, (options) => {
  // All calls are sent before the first answer.
  const callPlaces = { ...defaultPolicy.callPlaces, firstPlaces: 32 };
  const world = shareWorld({ ...options, policy: { callPlaces } });

  test('a token revoked while calls go on is refreshed once', async () => {
    const installation = await world().install();
    const count = 200 / options.processes;
    let answered = 0;
    installation.beforeCallAnswer = async () => {
      answered += 1;
      if (answered === 50) await world().platform.revokeAccessTokens(installation);
    };

    const outcomes = await world().callAll({
      installationIds: [installation.id],
      count,
      staggerMs: 5,
    });

    expect(outcomes).toEqual({ 201: 200 });
    expect(installation.tally).toMatchObject({ ...clean, refreshes: 1, accepted: 200 });
  });

  test('401s of the old token that arrive after the refresh only retry', async () => {
    const installation = await world().install();
    await world().platform.revokeAccessTokens(installation);
    const refreshed = Promise.withResolvers<void>();
    installation.beforeCallAnswer = async (status) => {
      if (status === 201) refreshed.resolve();
      else if (installation.tally.refused > 1) await refreshed.promise;
    };

    const outcomes = await world().callAll({
      installationIds: [installation.id],
      // Fewer than an installation has places, all of which but one are held.
      count: 20,
    });

    const calls = 20 * options.processes;
    expect(outcomes).toEqual({ 201: calls });
    expect(installation.tally).toMatchObject({ ...clean, refreshes: 1, accepted: calls });
    expect(installation.tally.refused).toBeGreaterThanOrEqual(20);
  });

  test('H07: a platform that refuses every token gets three token requests, for any number of failed calls', async () => {
    const installation = await world().install();
    installation.refusesEveryCall = true;
    const plan = { installationIds: [installation.id], count: 25 };

    const startedAt = performance.now();
    const outcomes = [];
    for (let round = 0; round < 4; round += 1) outcomes.push(await world().callAll(plan));

    expect(installation.tally).toMatchObject({
      ...clean,
      refreshes: expect.any(Number),
      accepted: 0,
    });
    // On a slow machine the bucket fills up again meanwhile.
    const { burst, refreshIntervalMs } = defaultPolicy;
    const refilled = Math.floor((performance.now() - startedAt) / refreshIntervalMs);
    expect(installation.tally.refreshes).toBeGreaterThanOrEqual(burst);
    expect(installation.tally.refreshes).toBeLessThanOrEqual(burst + refilled);
    const codes = outcomes.flatMap((outcome) => Object.keys(outcome));
    expect(new Set(codes)).toEqual(new Set(['401', 'REFRESH_FAILED']));
  });
});

describe.each(usualServers)('one process on $server', (options) => {
  const world = shareWorld(options);

  test.each([
    ['', {}],
    [', though they wait for no living token', { livingWaitMs: 0 }],
  ])(
    'calls that begin while a refresh runs wait for it before they are sent%s',
    async (_, policy) => {
      const installation = await world().install();
      await world().platform.revokeAccessTokens(installation);
      const arrived = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      installation.refreshFaults = [
        {
          before: () => {
            arrived.resolve();
            return released.promise;
          },
        },
      ];
      const client = world().createClient({ policy });
      const first = makeCalls(client, { installationIds: [installation.id], count: 1 });
      await arrived.promise;

      const others = makeCalls(client, { installationIds: [installation.id], count: 100 });
      released.resolve();

      expect(await first).toEqual({ 201: 1 });
      expect(await others).toEqual({ 201: 100 });
      expect(installation.tally).toMatchObject({ ...clean, refreshes: 1, refused: 1 });
    },
  );
});
