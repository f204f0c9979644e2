/** Events that arrive at any time: during a refresh, during calls, or instead of tokens. */
import { expect, test } from 'vitest';
import { clean, describeEach, settingsWithProcesses, shareWorld } from './scenario.ts';

/** A request that waits at `hold` until it is released. */
function createGate() {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  return {
    arrived: arrived.promise,
    release: released.resolve,
    hold: () => {
      arrived.resolve();
      return released.promise;
    },
  };
}

describeEach(settingsWithProcesses, (options) => {
  const world = shareWorld(options);
  const count = 200 / options.processes;

  test.each(['before', 'after'] as const)(
    'T8: an event that overtakes a refresh, held %s its token is spent, wins and is not mixed with it',
    async (moment) => {
      const installation = await world().install();
      await world().platform.revokeAccessTokens(installation);
      const gate = createGate();
      installation.refreshFaults = [{ [moment]: gate.hold }];
      const plan = { installationIds: [installation.id], count };

      const calls = world().callAll(plan);
      await gate.arrived;
      await world().platform.sendEvent(installation);
      gate.release();

      expect(await calls).toEqual({ 201: 200 });
      expect(installation.tally).toMatchObject({ ...clean, refreshes: 1, exchanges: 1 });

      await world().platform.revokeAccessTokens(installation);
      expect(await world().callAll(plan)).toEqual({ 201: 200 });
      expect(installation.tally).toMatchObject({ ...clean, refreshes: 2, maxPresentations: 1 });
    },
  );

  test('an event that was not requested is accepted while calls run, and nothing is refreshed', async () => {
    const installation = await world().install();
    let answered = 0;
    const event = Promise.withResolvers<void>();
    installation.beforeCallAnswer = async () => {
      answered += 1;
      if (answered === 50) event.resolve(world().platform.sendEvent(installation));
    };

    const outcomes = await world().callAll({
      installationIds: [installation.id],
      count,
      staggerMs: 5,
    });

    await event.promise;
    expect(outcomes).toEqual({ 201: 200 });
    expect(installation.tally).toMatchObject({
      ...clean,
      refreshes: 0,
      maxRefreshesInFlight: 0,
      exchanges: 1,
      accepted: 200,
    });
  });

  test('calls that need a token while an event is exchanged wait for it and refresh nothing', async () => {
    const installation = await world().install();
    await world().platform.revokeAccessTokens(installation);
    const gate = createGate();
    installation.exchangeFaults = [{ before: gate.hold }];

    const event = world().platform.sendEvent(installation);
    await gate.arrived;
    const refused = Promise.withResolvers<void>();
    installation.beforeCallAnswer = async () => refused.resolve();
    const calls = world().callAll({ installationIds: [installation.id], count });
    await refused.promise;
    gate.release();

    await event;
    expect(await calls).toEqual({ 201: 200 });
    expect(installation.tally).toMatchObject({
      ...clean,
      refreshes: 0,
      maxRefreshesInFlight: 0,
      exchanges: 1,
    });
  });

  test('an uninstall while calls wait for an event settles them all', async () => {
    const installation = await world().install();
    await world().platform.revokeGrants(installation);
    installation.sendsEvents = false;
    const found = await world().store.installations.get(installation.id);
    if (!found) throw new Error('The installation is missing');
    installation.beforeTriggerAnswer = () =>
      world().store.transaction(({ installations }) =>
        installations.uninstall(found, Math.ceil(Date.now() / 1000)),
      );

    const outcomes = await world().callAll({ installationIds: [installation.id], count });

    expect(outcomes).toEqual({ GRANT_NOT_FOUND: 200 });
    expect(installation.tally).toMatchObject({ ...clean, refreshes: 1, triggers: 1 });
  });

  test('an uninstall during a refresh leaves no token behind', async () => {
    const installation = await world().install();
    await world().platform.revokeAccessTokens(installation);
    const found = await world().store.installations.get(installation.id);
    if (!found) throw new Error('The installation is missing');
    installation.refreshFaults = [
      {
        after: () =>
          world().store.transaction((s) =>
            s.installations.uninstall(found, Math.ceil(Date.now() / 1000)),
          ),
      },
    ];

    const outcomes = await world().callAll({ installationIds: [installation.id], count });

    expect(outcomes).toEqual({ GRANT_NOT_FOUND: 200 });
    expect(installation.tally).toMatchObject({ ...clean, refreshes: 1 });
    expect(await world().store.grants.load(installation.id)).toBeUndefined();
  });
});
