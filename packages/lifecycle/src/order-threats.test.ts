/** An ended life stays ended, in any order of its events, on each kind of database. */
import { describeInstallation, usualDatabases } from '@dowel/installation-store/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Lifecycle } from './lifecycle.ts';
import {
  createAccessTokenEvent,
  createEvent,
  createLifecycleWorld,
  issuer,
  type LifecycleWorld,
  pluginId,
} from './testing/lifecycle-world.ts';

const ended = { status: 400, reason: 'after_uninstall' };
const taken = { status: 201, reason: null };

for (const { name, isAvailable, create } of usualDatabases) {
  describe.skipIf(!isAvailable)(`on ${name}`, () => {
    let world: LifecycleWorld;
    let lifecycle: Lifecycle;

    beforeEach(async () => {
      world = await createLifecycleWorld(await create());
      lifecycle = await world.start();
    });

    afterEach(() => world.stop());

    const show = async () =>
      (await describeInstallation(world.store, (await world.find())?.id ?? ''))?.installation;

    test('C09: an uninstall that arrives first ends the life: its install and its code are refused', async () => {
      expect(await lifecycle.accept(createEvent('uninstall', { iat: 100 }))).toMatchObject(taken);

      expect(await lifecycle.accept(createEvent('install', { iat: 90 }))).toMatchObject(ended);
      expect(await lifecycle.accept(createAccessTokenEvent('captured', { iat: 91 }))).toMatchObject(
        ended,
      );
      expect(world.exchangedCodes).toEqual([]);
      expect(await world.find()).toMatchObject({
        status: 'uninstalled',
        generation: 0,
        endedIat: 100,
      });
    });

    test('C09: an install in the second of an uninstall that arrived before it is refused', async () => {
      await lifecycle.accept(createEvent('uninstall', { iat: 100 }));

      expect(await lifecycle.accept(createEvent('install', { iat: 100 }))).toMatchObject(ended);
    });

    test('an install after an uninstall that arrived first begins the first life', async () => {
      await lifecycle.accept(createEvent('uninstall', { iat: 100 }));

      expect(await lifecycle.accept(createEvent('install', { iat: 101 }))).toMatchObject(taken);
      await lifecycle.accept(createAccessTokenEvent('c1', { iat: 102 }));
      expect(await world.find()).toMatchObject({ status: 'active', generation: 1 });
    });

    test('an uninstall that arrives first gets the same answer when it is repeated', async () => {
      await lifecycle.accept(createEvent('uninstall', { iat: 100, jti: 'u' }));

      expect(
        await lifecycle.accept(createEvent('uninstall', { iat: 100, jti: 'u' })),
      ).toMatchObject(taken);
      expect(await lifecycle.accept(createEvent('uninstall', { iat: 100 }))).toMatchObject(taken);
    });

    test('an uninstall that arrives first shows as uninstalled, without an error', async () => {
      await lifecycle.accept(createEvent('uninstall', { iat: 100 }));
      await lifecycle.accept(createEvent('install', { iat: 90 }));

      expect(await show()).toMatchObject({ condition: 'uninstalled', lastFailure: null });
    });

    test('a late event of an ended life is not an error of the next life', async () => {
      await lifecycle.accept(createEvent('uninstall', { iat: 100 }));
      await lifecycle.accept(createEvent('install', { iat: 200 }));
      await lifecycle.accept(createAccessTokenEvent('c2', { iat: 201 }));
      await lifecycle.accept(createAccessTokenEvent('c1', { iat: 91 }));

      expect(await show()).toMatchObject({ condition: 'healthy', lastFailure: null });
    });

    test('C10: a late uninstall removes the tokens of the ended life from the next one', async () => {
      await lifecycle.accept(createEvent('install', { iat: 100 }));
      await lifecycle.accept(createAccessTokenEvent('of the first life', { iat: 110 }));
      await lifecycle.accept(createEvent('install', { iat: 300 }));

      expect(await lifecycle.accept(createEvent('uninstall', { iat: 200 }))).toMatchObject(taken);

      expect(await world.find()).toMatchObject({
        status: 'pending',
        endedIat: 200,
        appliedIat: null,
      });
      expect(await world.storedToken()).toBeUndefined();
      expect(await lifecycle.accept(createAccessTokenEvent('late', { iat: 111 }))).toMatchObject(
        ended,
      );
      await lifecycle.accept(createAccessTokenEvent('of the second life', { iat: 301 }));
      expect(await world.storedToken()).toBe('access of of the second life');
    });

    test('C10: a late uninstall keeps the tokens of an event from long after its signature', async () => {
      await lifecycle.accept(createEvent('install', { iat: 100 }));
      await lifecycle.accept(createAccessTokenEvent('of the second life', { iat: 300 }));

      await lifecycle.accept(createEvent('uninstall', { iat: 200 }));

      expect(await world.find()).toMatchObject({ status: 'active', endedIat: 200 });
      expect(await world.storedToken()).toBe('access of of the second life');
    });

    test('C10: a refresh stores nothing if a late uninstall removes its tokens', async () => {
      await lifecycle.accept(createEvent('install', { iat: 100 }));
      await lifecycle.accept(createAccessTokenEvent('of the first life', { iat: 110 }));
      const { id = '' } = (await world.find()) ?? {};
      const grant = await world.store.grants.load(id);
      if (!grant) throw new Error('Nothing is stored');
      await lifecycle.accept(createEvent('install', { iat: 300 }));
      await lifecycle.accept(createEvent('uninstall', { iat: 200 }));

      await world.store.transaction(({ grants }) => grants.commitRefresh(grant, grant));

      expect(await world.find()).toMatchObject({ status: 'pending' });
      expect(await world.storedToken()).toBeUndefined();
    });

    test('C02, C09: a code of an ended life stays refused when it is signed again', async () => {
      await lifecycle.accept(createEvent('install', { iat: 100 }));
      await lifecycle.accept(createAccessTokenEvent('c1', { iat: 101 }));
      await lifecycle.accept(createEvent('uninstall', { iat: 200 }));
      expect(
        await lifecycle.accept(createAccessTokenEvent('c1', { iat: 202, jti: 'again' })),
      ).toMatchObject(ended);

      await lifecycle.accept(createEvent('install', { iat: 300 }));
      expect(
        await lifecycle.accept(createAccessTokenEvent('c1', { iat: 301, jti: 'once more' })),
      ).toMatchObject(ended);
      expect(world.exchangedCodes).toEqual(['c1']);
      expect(await world.find()).toMatchObject({ status: 'pending', generation: 2 });
    });

    test('C09: a code that was refused because of an ended life is not exchanged when it is signed again', async () => {
      await lifecycle.accept(createEvent('uninstall', { iat: 200 }));
      await lifecycle.accept(createAccessTokenEvent('c1', { iat: 101 }));

      expect(
        await lifecycle.accept(createAccessTokenEvent('c1', { iat: 202, jti: 'again' })),
      ).toMatchObject(ended);
      expect(world.exchangedCodes).toEqual([]);
    });

    test('C08: an uninstall at the same time as the first install of its life wins, in two processes', async () => {
      const other = await world.start();
      for (let round = 0; round < 10; round += 1) {
        const key = { tenantId: crypto.randomUUID() };
        const answers = await Promise.all([
          lifecycle.accept(createAccessTokenEvent(`c${round}`, { ...key, iat: 91 })),
          other.accept(createEvent('uninstall', { ...key, iat: 100 })),
          lifecycle.accept(createEvent('install', { ...key, iat: 90 })),
          other.accept(createEvent('install', { ...key, iat: 90 })),
        ]);

        expect(answers[1]).toMatchObject(taken);
        const found = await world.store.installations.find({ issuer, pluginId, ...key });
        expect(found).toMatchObject({ status: 'uninstalled', endedIat: 100 });
        expect(await world.store.grants.load(found?.id ?? '')).toBeUndefined();
      }
    });
  });
}
