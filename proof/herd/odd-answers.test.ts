/** Token answers with missing, repeated or invalid members. */
import { answersWith } from '@dowel/emulator/authorization-server';
import { defaultPlatformProfile } from '@dowel/schema';
import type { InstalledPlugin } from '@dowel/token-client/testing';
import { describe, expect, test } from 'vitest';
import { makeCalls } from './make-calls.ts';
import { clean, shareWorld } from './scenario.ts';
import { usualServers } from './servers.ts';

describe.each(usualServers)('one process on $server', (options) => {
  const world = shareWorld(options);
  const refreshedTwice = { ...clean, refreshes: 2, accepted: 100 };

  async function revokeAndCall(installation: InstalledPlugin, client = world().client) {
    await world().platform.revokeAccessTokens(installation);
    const plan = { installationIds: [installation.id], count: 50 };
    expect(await makeCalls(client, plan)).toEqual({ 201: 50 });
  }

  const install = (rotates = true) => world().install({ rotates });

  test('R9: an answer without a refresh token keeps the old one, which serves again', async () => {
    const installation = await install(false);
    installation.standingFault = answersWith({ refresh_token: undefined });
    const before = await world().store.grants.load(installation.id);

    await revokeAndCall(installation);
    await revokeAndCall(installation);

    const after = await world().store.grants.load(installation.id);
    expect(before?.refreshToken).toBeTruthy();
    expect(after?.refreshToken?.reveal()).toBe(before?.refreshToken?.reveal());
    expect(installation.tally).toMatchObject({ ...refreshedTwice, maxPresentations: 2 });
  });

  test('a server that replaces the refresh token without saying so costs one trigger', async () => {
    const installation = await install();
    installation.refreshFaults = [answersWith({ refresh_token: undefined })];

    await revokeAndCall(installation);
    await revokeAndCall(installation);

    expect(installation.tally).toMatchObject({
      ...refreshedTwice,
      maxPresentations: 2,
      reuses: 1,
      triggers: 1,
      exchanges: 1,
    });
  });

  test.each([undefined, null, 0, 'soon', -1, 1e12])(
    'with expires_in %j the token serves until a 401, then it is refreshed once',
    async (expires_in) => {
      const installation = await install();
      installation.standingFault = answersWith({ expires_in });

      await revokeAndCall(installation);
      await revokeAndCall(installation);

      expect(installation.tally).toMatchObject({ ...refreshedTwice, maxPresentations: 1 });
    },
  );

  test('C19: a lifetime below the early-expiry margin does not refresh on every call', async () => {
    const installation = await install();
    installation.standingFault = answersWith({ expires_in: 8 });

    await revokeAndCall(installation);
    const plan = { installationIds: [installation.id], count: 50 };
    expect(await makeCalls(world().client, plan)).toEqual({ 201: 50 });

    expect(installation.tally).toMatchObject({ ...clean, refreshes: 1, accepted: 100 });
  });

  test('a token answer with status 201 is as good as one with 200', async () => {
    const installation = await install();
    installation.standingFault = { change: (answer) => ({ ...answer, status: 201 }) };

    await revokeAndCall(installation);
    await revokeAndCall(installation);

    expect(installation.tally).toMatchObject({ ...refreshedTwice, maxPresentations: 1 });
  });

  test('parameters in the body bring the same tokens', async () => {
    const installation = await install();
    const profile = { ...defaultPlatformProfile, refreshPlacement: 'body' as const };

    await revokeAndCall(installation, world().createClient({ profile }));

    expect(installation.tally).toMatchObject({ ...clean, refreshes: 1, accepted: 50 });
  });
});
