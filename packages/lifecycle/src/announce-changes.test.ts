/** What the outbox of a plug-in's hooks contains after events, each in any number of deliveries. */
import { usualDatabases } from '@dowel/installation-store/testing';
import { TokenRequestError } from '@dowel/token-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Lifecycle } from './lifecycle.ts';
import {
  createAccessTokenEvent,
  createEvent,
  createLifecycleWorld,
  type LifecycleWorld,
} from './testing/lifecycle-world.ts';
import { appendChange, readOutbox } from './testing/read-outbox.ts';

const scopes = ['plugin:notify'];

for (const { name, isAvailable, create } of usualDatabases) {
  describe.skipIf(!isAvailable)(`an outbox on ${name}`, () => {
    let world: LifecycleWorld;
    let lifecycle: Lifecycle;

    beforeEach(async () => {
      world = await createLifecycleWorld(await create());
      lifecycle = await world.start({ applied: appendChange });
    });

    afterEach(() => world.stop());

    async function accept(...events: Parameters<Lifecycle['accept']>[0][]): Promise<number[]> {
      const statuses = [];
      for (const event of events) statuses.push((await lifecycle.accept(event)).status);
      return statuses;
    }

    const told = async () => (await readOutbox(world.store)).map(({ event }) => event);
    const instance = (sub: 'instance_add' | 'instance_remove', instanceId: string, iat = 101) =>
      createEvent(sub, { iat, entryPointId: 'main', instanceId });

    test('installed is reported once, with the first stored tokens of a life', async () => {
      const event = createAccessTokenEvent('c1');
      expect(await accept(createEvent('install'))).toEqual([201]);
      expect(await told()).toEqual([]);

      expect(await accept(event, event)).toEqual([201, 201]);
      expect(await readOutbox(world.store)).toEqual([
        { event: 'installed', data: { grantedScopes: scopes, isReinstall: false } },
      ]);
      expect(await accept(createEvent('install', { iat: 102 }))).toEqual([201]);
      expect(await told()).toEqual([]);
    });

    test('tokens of a later event are reported with the scopes before and after', async () => {
      lifecycle = await world.start({
        applied: appendChange,
        requestedScopes: [...scopes, 'openid'],
        essentialScopes: scopes,
      });
      await accept(createAccessTokenEvent('c1'));
      world.redeem = async () => ({ grantedScopes: [...scopes, 'openid', 'never requested'] });
      await accept(createAccessTokenEvent('c2', { iat: 110 }));

      expect((await readOutbox(world.store)).at(-1)).toEqual({
        event: 'tokensReceived',
        data: { grantedScopes: [...scopes, 'openid'], previousScopes: scopes },
      });
    });

    test('without apiAccess, an installation is usable with its install', async () => {
      lifecycle = await world.start({ applied: appendChange, usableAt: 'install' });
      await accept(createEvent('install'), createEvent('install', { iat: 105 }));

      expect(await told()).toEqual(['installed']);
    });

    test('refused, failed and superseded events report nothing', async () => {
      world.redeem = () =>
        Promise.reject(new TokenRequestError('invalid_grant', { rejected: true }));
      expect(await accept(createAccessTokenEvent('c1'))).toEqual([400]);
      world.redeem = () => Promise.reject(new TokenRequestError('server_error'));
      expect(await accept(createAccessTokenEvent('c2'))).toEqual([503]);
      expect(await told()).toEqual([]);

      world.redeem = async () => ({});
      await accept(createAccessTokenEvent('c3', { iat: 120 }));
      expect(await accept(createAccessTokenEvent('c4', { iat: 101 }))).toEqual([201]);
      expect(await told()).toEqual(['installed']);
    });

    test('widgets that were placed before the first tokens follow installed', async () => {
      await accept(createEvent('install'), instance('instance_add', 'early'));
      expect(await told()).toEqual([]);
      await accept(createAccessTokenEvent('c1'), instance('instance_add', 'late'));

      expect(await readOutbox(world.store)).toEqual([
        { event: 'installed', data: { grantedScopes: scopes, isReinstall: false } },
        { event: 'instanceAdded', data: { instanceId: 'early' } },
        { event: 'instanceAdded', data: { instanceId: 'late' } },
      ]);
    });

    test('an instance event that is older than what is known reports nothing', async () => {
      await accept(createAccessTokenEvent('c1'));
      await accept(instance('instance_remove', 'i', 105), instance('instance_add', 'i', 104));

      expect(await told()).toEqual(['installed', 'instanceRemoved']);
    });

    test('an uninstall is reported only for a life that had become usable', async () => {
      await accept(createEvent('install'), createEvent('uninstall', { iat: 101 }));
      expect(await told()).toEqual([]);

      await accept(createAccessTokenEvent('c1', { iat: 110 }));
      await accept(createEvent('uninstall', { iat: 120 }), createEvent('uninstall', { iat: 121 }));
      const { beganAt } = (await world.find()) ?? {};
      expect(await readOutbox(world.store)).toEqual([
        { event: 'installed', data: { grantedScopes: scopes, isReinstall: false } },
        { event: 'uninstalled', data: { installedAt: beganAt } },
      ]);
    });

    test('S13: after a re-install, the end of the first life comes before the second one', async () => {
      await accept(
        createAccessTokenEvent('c1'),
        createEvent('uninstall', { iat: 110 }),
        createEvent('install', { iat: 120 }),
        createAccessTokenEvent('c2', { iat: 121 }),
      );

      const all = await readOutbox(world.store);
      expect(all.map(({ event }) => event)).toEqual(['installed', 'uninstalled', 'installed']);
      expect(all.at(-1)?.data).toEqual({ grantedScopes: scopes, isReinstall: true });
    });

    test('S04: if the outbox cannot be written, the event is not applied, and is reported when it comes again', async () => {
      const failing = await world.start({
        applied: async (stores, change) => {
          await appendChange(stores, change);
          throw new Error('The outbox is full');
        },
      });
      const event = createAccessTokenEvent('c1');
      await expect(failing.accept(event)).rejects.toThrow('The outbox is full');
      expect((await world.find())?.usableGeneration).toBe(0);
      expect(await told()).toEqual([]);

      await accept(
        createEvent('uninstall', { iat: 101 }),
        createAccessTokenEvent('c2', { iat: 110 }),
      );
      expect(await told()).toEqual(['installed']);
    });

    test('an event that several processes receive at once is reported once', async () => {
      const others = await Promise.all([1, 2, 3].map(() => world.start({ applied: appendChange })));
      const event = createAccessTokenEvent('c1');
      const answers = await Promise.all([lifecycle, ...others].map((each) => each.accept(event)));

      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      expect(await told()).toEqual(['installed']);
    });
  });
}
