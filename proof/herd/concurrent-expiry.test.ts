/** The promise in its plainest form: N calls on M processes start exactly one refresh. */

import { answersWith } from '@dowel/emulator/authorization-server';
import { expect, test } from 'vitest';
import { clean, describeEach, patience, settingsOnEachDatabase, shareWorld } from './scenario.ts';

describeEach(settingsOnEachDatabase, (options) => {
  const world = shareWorld({ ...options, policy: patience });
  const count = 1000 / options.processes;

  test('R5: 1,000 calls with a voided token start one refresh, and all succeed', async () => {
    const installation = await world().install();
    await world().platform.revokeAccessTokens(installation);

    const outcomes = await world().callAll({ installationIds: [installation.id], count });

    expect(outcomes).toEqual({ 201: 1000 });
    expect(installation.tally).toMatchObject({ ...clean, refreshes: 1, accepted: 1000 });
  });

  test('1,000 calls with an expired token wait for one refresh, and none is refused', async () => {
    const exchangeFaults = [answersWith({ expires_in: 1 })];
    const installation = await world().install({ exchangeFaults });
    const grant = await world().store.grants.load(installation.id);
    await expect.poll(() => Date.now()).toBeGreaterThan(grant?.expiresAt ?? NaN);

    const outcomes = await world().callAll({ installationIds: [installation.id], count });

    expect(outcomes).toEqual({ 201: 1000 });
    expect(installation.tally).toMatchObject({
      ...clean,
      refreshes: 1,
      accepted: 1000,
      refused: 0,
    });
  });
});
