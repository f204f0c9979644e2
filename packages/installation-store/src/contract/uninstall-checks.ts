/** An uninstall: what it ends, and the tombstone that it leaves. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { InstallationKey } from '../stores/find-installation.ts';
import { assertSame, begin, check, granted, newKey, replace, uninstall } from './check.ts';

export const uninstallChecks = [
  check(
    'an install after an uninstall begins the next generation, without the data of the last one',
    async ({ store }) => {
      const { installation } = await granted(store);
      await uninstall(store, installation, 2);

      const next = await begin(store, installation, 3);

      assert.equal(next.id, installation.id);
      assert.equal(next.generation, 2);
      assert.equal(next.status, 'pending');
      assert.equal(next.endedIat, 2);
      assert.equal(next.appliedIat, null);
      assert.equal(await store.grants.load(next.id), undefined);
    },
  ),

  check(
    'an uninstall that was signed before a life began leaves it and its tokens',
    async ({ store }) => {
      const { installation } = await granted(store);
      await uninstall(store, installation, 2);
      const next = await begin(store, installation, 30);
      await replace(store, next, 'next', 31);

      const late = await uninstall(store, installation, 20);

      assertSame(await store.installations.get(next.id), late);
      assert.deepEqual([late.status, late.endedIat, late.generation], ['active', 20, 2]);
      assert.ok(await store.grants.load(next.id));
    },
  ),

  check('an uninstall of something unknown leaves a tombstone', async ({ store, other }) => {
    const key = newKey();
    const { id, lifeId: _life, beganAt: _, ...tombstone } = await uninstall(store, key, 7);

    assert.deepEqual(tombstone, {
      ...key,
      status: 'uninstalled',
      generation: 0,
      beganIat: 0,
      endedIat: 7,
      appliedIat: null,
      baseUrl: null,
      plugin: '',
      usableGeneration: 0,
      awaitsAdmission: false,
      hasMoved: false,
    });
    assert.equal((await uninstall(other, key, 5)).endedIat, 7);
    assert.equal((await other.installations.find(key))?.id, id);
  }),

  check('no event from before an uninstall begins a life', async ({ store }) => {
    const beginBy = (key: InstallationKey, iat: number, event: 'install' | 'access_token') =>
      store.transaction(({ installations }) =>
        installations.begin(key, iat, 1, { code: event === 'install' ? undefined : 'code' }),
      );
    const unseen = await uninstall(store, newKey(), 10);
    const { installation: ended } = await granted(store);
    await uninstall(store, ended, 10);
    const outcomes = [
      [unseen, 9, 'install', 0],
      [unseen, 10, 'install', 0],
      [unseen, 10, 'access_token', 0],
      [ended, 9, 'install', 1],
      [ended, 10, 'access_token', 1],
      [ended, 10, 'install', 2],
      [unseen, 11, 'access_token', 1],
    ] as const;
    for (const [key, iat, event, generation] of outcomes) {
      const found = await beginBy(key, iat, event);
      assert.equal(found.generation, generation, `${event} of ${iat}`);
      assert.equal(found.isRevival, generation > key.generation, `${event} of ${iat}`);
      assert.equal(found.status === 'pending', generation > key.generation, `${event} of ${iat}`);
    }
  }),

  check(
    'an install and a later uninstall end in a tombstone, in either order of arrival',
    async ({ store, other }) => {
      for (let round = 0; round < 20; round += 1) {
        const key = newKey();
        const work = [
          () => begin(store, key, 9),
          () => uninstall(other, key, 10),
          () => begin(other, key, 8),
        ];
        await Promise.all((round % 2 ? work : work.toReversed()).map((each) => each()));

        const found = await store.installations.find(key);
        assert.deepEqual([found?.status, found?.endedIat], ['uninstalled', 10]);
      }
    },
  ),

  check(
    'an uninstall in the second of an install ends its life, even after a lost uninstall',
    async ({ store }) => {
      const { installation } = await granted(store);
      await begin(store, installation, 9);

      assert.equal((await uninstall(store, installation, 9)).status, 'uninstalled');
    },
  ),

  check(
    'an uninstall deletes the tokens of its installation and of no other',
    async ({ store }) => {
      const { installation } = await granted(store);
      const neighbour = await begin(store, { ...installation, pluginId: randomUUID() });
      await replace(store, neighbour, 'neighbour');

      await uninstall(store, installation, 2);

      assert.equal((await store.installations.get(installation.id))?.status, 'uninstalled');
      assert.equal(await store.grants.load(installation.id), undefined);
      assert.ok(await store.grants.load(neighbour.id));
    },
  ),

  check('the time of a tombstone never moves back', async ({ store }) => {
    const installation = await begin(store);
    await uninstall(store, installation, 300);
    await uninstall(store, installation, 250);
    assert.equal((await store.installations.get(installation.id))?.endedIat, 300);

    await uninstall(store, installation, 310);
    assert.equal((await store.installations.get(installation.id))?.endedIat, 310);
  }),
];
