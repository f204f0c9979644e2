/** Ten thousand calls of one process start exactly one refresh. */
import { describe, expect, test } from 'vitest';
import { clean, patience, shareWorld } from './scenario.ts';
import { servers } from './servers.ts';

describe.each(servers)('one process on $server', (options) => {
  const world = shareWorld({ ...options, policy: patience });

  test('R4: 10,000 calls of one process start one refresh, and all succeed', async () => {
    const installation = await world().install();
    await world().platform.revokeAccessTokens(installation);

    const outcomes = await world().callAll({ installationIds: [installation.id], count: 10_000 });

    expect(outcomes).toEqual({ 201: 10_000 });
    expect(installation.tally).toMatchObject({ ...clean, refreshes: 1, accepted: 10_000 });
  });
});
