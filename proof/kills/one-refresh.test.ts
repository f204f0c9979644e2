/** Many calls in several processes of one database, against our strict authorization server and against oidc-provider. */
import { answersWith } from '@dowel/emulator/authorization-server';
import { testDatabases } from '@dowel/installation-store/testing';
import { createStrictAuthorizationServer } from '@dowel/token-client/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHerdWorld, processes } from './herd-world.ts';
import { runsAll } from './kill-suite.ts';
import { createOidcProviderServer } from './oidc-provider-server.ts';

const servers = [
  { server: 'the strict server', createServer: createStrictAuthorizationServer },
  { server: 'oidc-provider', createServer: createOidcProviderServer },
];
const settings = testDatabases
  .filter(({ isAvailable }) => isAvailable)
  .flatMap((database) => servers.map((server) => ({ ...server, database })))
  // `npm test` tries each server and each database once.
  .filter(
    ({ server, database }) =>
      runsAll || (server === 'oidc-provider') === (database.name === 'SQLite'),
  );
const total = runsAll ? 1_000 : 400;
const each = total / processes;
const clean = { reuses: 0, strangers: 0, maxRefreshesInFlight: 1, maxPresentations: 1 };

describe.each(settings)(
  'four processes on $database.name and $server',
  ({ database, createServer }) => {
    let world: Awaited<ReturnType<typeof createHerdWorld>>;
    beforeAll(async () => {
      world = await createHerdWorld({ database, createServer });
    });
    afterAll(() => world.close());

    test('R4, R5: calls with a voided token start one refresh, and all succeed', async () => {
      const installation = await world.install();
      await world.platform.revokeAccessTokens(installation);

      expect(await world.callAll(installation.id, each)).toEqual({ 201: total });

      expect(installation.tally).toMatchObject({ ...clean, refreshes: 1, triggers: 0 });
    });

    test('calls with an expired token wait for one refresh, and none is refused', async () => {
      const exchangeFaults = [answersWith({ expires_in: 1 })];
      const installation = await world.install({ exchangeFaults });
      const grant = await world.store.grants.load(installation.id);
      await expect.poll(() => Date.now()).toBeGreaterThan(grant?.expiresAt ?? Number.NaN);

      expect(await world.callAll(installation.id, each)).toEqual({ 201: total });

      expect(installation.tally).toMatchObject({ ...clean, refreshes: 1, triggers: 0, refused: 0 });
    });

    test('R2: calls whose refresh token is dead wait for one trigger and its event', async () => {
      const installation = await world.install();
      await world.platform.revokeGrants(installation);

      expect(await world.callAll(installation.id, each)).toEqual({ 201: total });

      expect(installation.tally).toMatchObject({
        ...clean,
        refreshes: 1,
        triggers: 1,
        exchanges: 1,
      });
    });
  },
);
