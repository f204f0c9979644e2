/** An installation must not count as broken after a short failure, and must recover by itself. */

import type { TokenClient, TokenObservation } from '@dowel/token-client';
import {
  createStrictAuthorizationServer,
  createWorld,
  type InstalledPlugin,
  receiveEvent,
  type World,
} from '@dowel/token-client/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, usualDatabases } from '../testing/index.ts';

const policy = {
  maxTries: 1,
  backOff: { baseMs: 1, maxMs: 1 },
  trigger: { takenMs: 1, failedMs: 1, maxTakenMs: 1, maxFailedMs: 1 },
};
const dayMs = 24 * 60 * 60_000;
const away = { status: 503, body: {} };

for (const database of usualDatabases) {
  describe.skipIf(!database.isAvailable)(`an installation on ${database.name}`, () => {
    let world: World<TestDatabase>;
    let client: TokenClient;
    let installation: InstalledPlugin;
    let aheadMs: number;
    /** The changes that `applied` received, in order. */
    let told: { event: string; data: Record<string, unknown> }[];
    /** The observations, in order. */
    let observed: TokenObservation[];

    beforeEach(async () => {
      world = await createWorld({ createServer: createStrictAuthorizationServer, database });
      aheadMs = 0;
      told = [];
      observed = [];
      client = world.createClient({
        policy,
        observe: (observation) => observed.push(observation),
        now: () => Date.now() + aheadMs,
        applied: async (_stores, { event, data }) => void told.push({ event, data }),
      });
      installation = await world.install();
      installation.triggerAnswer = away;
      await world.store.usability.becomeUsable(installation.id, 1);
      await pass(dayMs);
    });

    afterEach(async () => {
      await client.drain();
      await world.close();
    });

    async function pass(ms: number): Promise<void> {
      aheadMs += ms;
      await world.database.shiftClock(ms);
    }

    async function call(): Promise<number> {
      const answered = await client
        .fetch(installation.id, '/things', { method: 'POST', body: '{}' })
        .catch(() => ({ status: 0 }));
      return answered.status;
    }

    const events = () => told.map(({ event }) => event);

    test('S14: is not broken while its token server is away for 20 seconds', async () => {
      installation.standingFault = { refusal: away };
      expect(await call()).toBe(0);
      await pass(20_000);
      await client.heal();
      installation.standingFault = {};
      expect(await call()).toBe(201);
      await pass(60_000);
      await client.heal();

      expect(events()).toEqual([]);
    });

    test('S14: is broken once after 90 seconds, and recovers without a call', async () => {
      installation.standingFault = { refusal: away };
      expect(await call()).toBe(0);
      await pass(90_000);
      await client.heal();
      await expect.poll(events).toEqual(['broken']);
      const { refreshes } = installation.tally;
      await pass(30_000);
      await client.heal();
      await expect.poll(() => installation.tally.refreshes).toBeGreaterThan(refreshes);
      installation.standingFault = {};

      // The try before may not have ended yet.
      const healLater = async () => {
        await pass(30_000);
        await client.heal();
        return events();
      };
      await expect.poll(healLater).toEqual(['broken', 'recovered']);
      const [broken, recovered] = told;
      expect(broken?.data.reason).toBe('token_endpoint_answered_503');
      expect(recovered?.data).toEqual({ brokenSince: broken?.data.since });
      const installationId = installation.id;
      // The observation follows the commit of the change.
      const changes = () => observed.filter(({ type }) => type.startsWith('installation_'));
      await expect.poll(changes).toEqual([
        { type: 'installation_broken', installationId, ...broken?.data },
        { type: 'installation_recovered', installationId, ...recovered?.data },
      ]);
      expect(await call()).toBe(201);
      expect(events()).toEqual(['broken', 'recovered']);
    });

    test('S14: breaks with the reason of its last refresh, if its bucket allows no other one', async () => {
      const slowRefill = { ...policy, burst: 1, refreshIntervalMs: 60_000 };
      const limited = world.createClient({
        policy: slowRefill,
        now: () => Date.now() + aheadMs,
        applied: async (_stores, { event, data }) => void told.push({ event, data }),
      });
      const failCall = () => expect(limited.fetch(installation.id, '/things')).rejects.toThrow();
      installation.standingFault = { refusal: away };
      await failCall();
      await pass(90_000);
      await failCall();
      const { refreshes } = installation.tally;
      await limited.heal();
      await expect.poll(events).toEqual(['broken']);
      await limited.drain();

      expect(installation.tally.refreshes).toBe(refreshes);
      expect(told[0]?.data.reason).toBe('token_endpoint_answered_503');
    });

    test('whose single call failed long ago is renewed instead of broken', async () => {
      installation.standingFault = { refusal: away };
      await call();
      installation.standingFault = {};
      await pass(90_000);
      await client.heal();

      await expect.poll(() => world.tokenVersion(installation.id)).toBe(2);
      expect(events()).toEqual([]);
    });

    test('with a dead grant is broken, and recovers with the next event', async () => {
      await world.platform.revokeGrants(installation);
      expect(await call()).toBe(0);
      await pass(90_000);
      await client.heal();
      await expect.poll(events).toEqual(['broken']);
      world.platform.onEvent((event) => receive(event));
      await world.platform.sendEvent(installation);

      expect(events()).toEqual(['broken', 'recovered']);
      expect(told[0]?.data.reason).toBe('invalid_grant');
      expect(observed.at(-1)?.type).toBe('recovered');
      expect(observed.map(({ type }) => type)).toContain('installation_recovered');
    });

    test('whose event named no usable trigger is broken when its refresh token dies', async () => {
      installation = await world.install({ hasTrigger: false });
      await world.store.usability.becomeUsable(installation.id, 1);
      await world.platform.revokeGrants(installation);
      expect(await call()).toBe(0);
      await pass(90_000);
      await client.heal();

      await expect.poll(events).toEqual(['broken']);
      expect(told[0]?.data.reason).toBe('invalid_grant');
      expect(installation.tally.triggers).toBe(0);
    });

    test('is reported by one of two processes that look at the same time', async () => {
      const other = world.createClient({
        policy,
        now: () => Date.now() + aheadMs,
        applied: async (_stores, { event, data }) => void told.push({ event, data }),
      });
      installation.standingFault = { refusal: away };
      await call();
      await pass(90_000);
      await Promise.all([client.heal(), other.heal()]);
      await expect.poll(events).toEqual(['broken']);
      await other.drain();

      expect(events()).toEqual(['broken']);
    });

    test('is not broken by the stop of the process that tries', async () => {
      installation.standingFault = { refusal: away };
      await call();
      await pass(90_000);
      const arrived = Promise.withResolvers<void>();
      installation.standingFault = {
        before: () => {
          arrived.resolve();
          return new Promise(() => {});
        },
      };
      await client.heal();
      await arrived.promise;
      await client.drain();

      expect(events()).toEqual([]);
    });

    function receive(event: Parameters<typeof receiveEvent>[2]) {
      return receiveEvent(world.store, client, event);
    }
  });
}
