/** From a dead refresh token to a working call without a person. */

import { answersWith, refuses } from '@dowel/emulator/authorization-server';
import { expect, test } from 'vitest';
import { clean, describeEach, settingsWithProcesses, shareWorld } from './scenario.ts';

describeEach(settingsWithProcesses, (options) => {
  const world = shareWorld(options);
  const count = 200 / options.processes;
  const recovered = { ...clean, triggers: 1, exchanges: 1, accepted: 200 };

  test('a dead refresh token costs one refresh and one trigger, and all calls succeed', async () => {
    const installation = await world().install();
    await world().platform.revokeGrants(installation);

    const outcomes = await world().callAll({ installationIds: [installation.id], count });

    expect(outcomes).toEqual({ 201: 200 });
    expect(installation.tally).toMatchObject({ ...recovered, refreshes: 1, maxPresentations: 1 });
  });

  test('without a refresh token nothing is refreshed: one trigger, and all calls succeed', async () => {
    const exchangeFaults = [answersWith({ refresh_token: undefined })];
    const installation = await world().install({ exchangeFaults });
    await world().platform.revokeAccessTokens(installation);

    const outcomes = await world().callAll({ installationIds: [installation.id], count });

    expect(outcomes).toEqual({ 201: 200 });
    expect(installation.tally).toMatchObject({
      ...recovered,
      refreshes: 0,
      maxRefreshesInFlight: 0,
    });
  });

  test.each([
    ['invalid_client', refuses(401, { error: 'invalid_client' })],
    ['unauthorized_client', refuses(400, { error: 'unauthorized_client' })],
  ])(
    'a refresh refused with %s is not tried again: one trigger, and all calls succeed',
    async (_, fault) => {
      const installation = await world().install();
      await world().platform.revokeAccessTokens(installation);
      installation.standingFault = fault;

      const outcomes = await world().callAll({ installationIds: [installation.id], count });

      expect(outcomes).toEqual({ 201: 200 });
      expect(installation.tally).toMatchObject({ ...recovered, refreshes: 1 });
    },
  );

  test('R2: after a lost answer the request is repeated once, then one trigger heals, and all calls succeed', async () => {
    const installation = await world().install();
    await world().platform.revokeAccessTokens(installation);
    installation.refreshFaults = [{ isLost: true }];

    const outcomes = await world().callAll({ installationIds: [installation.id], count });

    expect(outcomes).toEqual({ 201: 200 });
    expect(installation.tally).toMatchObject({
      ...recovered,
      refreshes: 2,
      maxPresentations: 2,
      reuses: 1,
    });
  });

  test('a platform that sends the event before it answers the trigger is no puzzle', async () => {
    const installation = await world().install();
    await world().platform.revokeGrants(installation);
    installation.beforeTriggerAnswer = () => world().platform.sendEvent(installation);
    installation.sendsEvents = false;

    const outcomes = await world().callAll({ installationIds: [installation.id], count });

    expect(outcomes).toEqual({ 201: 200 });
    expect(installation.tally).toMatchObject({ ...recovered, refreshes: 1 });
  });
});
