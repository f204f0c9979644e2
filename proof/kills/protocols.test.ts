/** Killed once in each protocol, at its most delicate step, and started again. */
import { describe, expect, test, vi } from 'vitest';
import {
  downtimeMs,
  enginesFor,
  expectWell,
  patienceMs,
  restart,
  runsAll,
  shareKillPlatform,
} from './kill-suite.ts';
import {
  createInitJwt,
  describeCaller,
  installPlugin,
  notify,
  openPage,
  placePlugin,
} from './placed-plugin.ts';
import { findStored, listSecrets } from './stored-secrets.ts';
import { findDamage, findInstallation, listSessions, loadGrant } from './stored-state.ts';

const shared = shareKillPlatform();
const patience = { timeout: patienceMs, interval: 200 };

describe.concurrent.each(enginesFor('SQLite'))('on $name', (engine) => {
  test('K1: an event whose code was spent by a killed process is refused, and a new one heals', () =>
    shared.inWorld(engine, async (world) => {
      Object.assign(world, { redelivers: () => false, forgives: true });
      const points = ['request /lifecycle/access_token', 'answered code'];
      const killed = await world.killDuring(points, () => installPlugin(world));
      const pluginId = await killed.outcome;
      const { records } = shared.platform;
      const healed = records.nextAnswer('access_token', pluginId);
      await restart(world, downtimeMs.intent);

      expect(await healed).toMatchObject({ status: 201 });
      await expectWell(world, await placePlugin(world, pluginId));
      expect(records.countTriggers(pluginId)).toBe(1);
    }));

  test('a kill during a trigger is healed by a second one, without a call', () =>
    shared.inWorld(engine, async (world) => {
      const plugin = await placePlugin(world, await installPlugin(world));
      const { pluginId } = plugin;
      const { platform, tenantId, records } = shared.platform;
      platform.revoke({ tenantId, pluginId, what: 'accessTokens' });
      platform.revoke({ tenantId, pluginId, what: 'refreshTokens' });
      // The event of the first trigger is lost, too.
      Object.assign(world, { redelivers: () => false, losesEvents: true });
      await world.killDuring(['send trigger'], () => notify(world, plugin));
      const healed = records.nextAnswer('access_token', pluginId);
      await restart(world, downtimeMs.trigger);

      expect(await healed).toMatchObject({ status: 201 });
      await expectWell(world, plugin);
      expect(records.countTriggers(pluginId)).toBeLessThanOrEqual(2);
    }));

  test('K8: after a kill at the end of an uninstall nothing of the secrets is left', () =>
    shared.inWorld(engine, async (world) => {
      const { pluginId } = await placePlugin(world, await installPlugin(world));
      const { platform, tenantId, records } = shared.platform;
      const canaries = await listSecrets(world, pluginId);
      expect(await findStored(world, canaries)).not.toEqual([]);
      const points = ['request /lifecycle/uninstall', 'after delete from grants', 'after commit'];
      const killed = await world.killDuring(points, () =>
        platform.uninstall({ tenantId, pluginId }),
      );
      await restart(world, 0);
      await killed.outcome;

      expect(records.answersOf('uninstall', pluginId)).toMatchObject([{ status: 201 }]);
      expect((await findInstallation(world, pluginId))?.status).toBe('uninstalled');
      await vi.waitFor(async () => expect(await findStored(world, canaries)).toEqual([]), patience);
      expect(await findDamage(world)).toEqual([]);
    }));
});

describe.concurrent.each(enginesFor('PostgreSQL'))('on $name', (engine) => {
  test('R1, R2: a kill after a refresh token was spent costs one more request and one trigger', () =>
    shared.inWorld(engine, async (world) => {
      const plugin = await placePlugin(world, await installPlugin(world));
      const { pluginId } = plugin;
      const { platform, tenantId, records } = shared.platform;
      const refreshToken = (await loadGrant(world, pluginId))?.refreshToken?.reveal() ?? '';
      platform.revoke({ tenantId, pluginId, what: 'accessTokens' });
      const killed = await world.killDuring(['answered refresh'], () => notify(world, plugin));
      await expect(killed.outcome).rejects.toThrow('fetch failed');
      await restart(world, downtimeMs.lease);

      await expectWell(world, plugin);
      expect(records.countRequests('refresh', refreshToken)).toBe(2);
      expect(records.countTriggers(pluginId)).toBe(1);
    }));
});

describe.concurrent.each(enginesFor('SQLite'))('a session on $name', (engine) => {
  const written = ['request /api/session', 'after insert into plugin_sessions'];
  const steps = [
    { step: 'before its commit', points: written, kept: 0 },
    { step: 'after its commit', points: [...written, 'after commit'], kept: 1 },
  ];

  test.for(runsAll ? steps : steps.slice(1))(
    'K11: a kill while a page opens it, $step, leaves it whole or not at all, and the page opens another',
    ({ points, kept }) =>
      shared.inWorld(engine, async (world) => {
        const plugin = await placePlugin(world, await installPlugin(world), { greeting: 'Hello' });
        const caller = {
          name: shared.platform.platform.tenants[0]?.users[0]?.name,
          config: '{"greeting":"Hello"}',
        };
        expect(await describeCaller(world, plugin.session)).toEqual(caller);
        const [before] = await listSessions(world);
        const initJwt = await createInitJwt(world, plugin.instanceId);
        const killed = await world.killDuring(points, () =>
          openPage(world, plugin.instanceId, initJwt),
        );
        await expect(killed.outcome).rejects.toThrow('fetch failed');
        await restart(world, 0);

        // Each row that is there has the claims of its page.
        const sessions = await listSessions(world);
        expect(sessions).toHaveLength(1 + kept);
        expect(sessions.map((session) => session?.claims)).toEqual(
          sessions.map(() => before?.claims),
        );
        expect(await describeCaller(world, plugin.session)).toEqual(caller);
        const next = await createInitJwt(world, plugin.instanceId);
        const session = await openPage(world, plugin.instanceId, next);
        expect(await describeCaller(world, session)).toEqual(caller);
        await restart(world, 0);
        expect(await describeCaller(world, session)).toEqual(caller);
      }),
  );
});
