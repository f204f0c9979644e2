import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import type { InstallationKey, InstanceLookup, Store } from '../store.ts';
import { assertSame, begin, check, granted, newKey, replace, tokens, uninstall } from './check.ts';

export const installationChecks = [
  check('an installation is found by issuer, tenant and plug-in together', async ({ store }) => {
    const key = newKey();
    const installation = await begin(store, key);

    assertSame(await store.installations.find(key), installation);
    assertSame(await store.installations.get(installation.id), installation);
    for (const part of ['issuer', 'tenantId', 'pluginId']) {
      assert.equal(await store.installations.find({ ...key, [part]: randomUUID() }), undefined);
    }
  }),

  check('an issuer is one issuer, however it is spelled', async ({ store, other }) => {
    const key = newKey();
    const spellings = [key.issuer, `${key.issuer}/`, 'HTTPS://ACME.example.com:443/'];
    const begun = await Promise.all(
      spellings.map((issuer, index) => begin(index % 2 ? other : store, { ...key, issuer })),
    );
    assert.equal(new Set(begun.map(({ id }) => id)).size, 1);
    assert.deepEqual(new Set(begun.map(({ issuer }) => issuer)), new Set([key.issuer]));

    for (const issuer of spellings) {
      assertSame(await store.installations.find({ ...key, issuer }), begun[0] ?? {});
      const found = await store.installations.findByInstance(issuer, key.tenantId, 'any');
      assert.equal(found.outcome, 'found');
    }
    await uninstall(store, { ...key, issuer: `${key.issuer}/` }, 2);
    assert.equal((await store.installations.find(key))?.status, 'uninstalled');
  }),

  check('names may be as long as claims allow', async ({ store, other }) => {
    const issuer = `https://acme.example.com/${randomBytes(1_500).toString('base64url')}`;
    const installation = await begin(store, { ...newKey(), issuer });
    const instanceId = randomBytes(128).toString('hex');
    await store.installations.addInstance(installation.id, instanceId, 1);

    const { tenantId } = installation;
    const found = await other.installations.findByInstance(issuer, tenantId, instanceId);
    assert.equal(idOf(found), installation.id);
  }),

  check(
    'an installation begins pending, in its first generation, without tokens',
    async ({ store }) => {
      const key = newKey();
      const { id, ...installation } = await begin(store, key, 7);

      assert.notEqual(id, '');
      assert.deepEqual(installation, {
        ...key,
        status: 'pending',
        generation: 1,
        beganIat: 7,
        endedIat: null,
        appliedIat: null,
        baseUrl: null,
      });
    },
  ),

  check(
    'a live installation that begins again keeps its life, whose start moves forwards only',
    async ({ store }) => {
      const key = newKey();
      const first = await begin(store, key, 5);

      assertSame(await begin(store, key, 9), { ...first, beganIat: 9 });
      assertSame(await begin(store, key, 7), { ...first, beganIat: 9 });
    },
  ),

  check('installations that begin at once are one', async ({ store, other }) => {
    const key = newKey();

    const begun = await Promise.all(
      [store, other, store, other, store, other].map((each) => begin(each, key)),
    );

    assert.equal(new Set(begun.map(({ id }) => id)).size, 1);
    assert.deepEqual(new Set(begun.map(({ generation }) => generation)), new Set([1]));
  }),

  check(
    'an install after an uninstall begins the next generation, without what the last one had',
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
    const { id, ...tombstone } = await uninstall(store, key, 7);

    assert.deepEqual(tombstone, {
      ...key,
      status: 'uninstalled',
      generation: 0,
      beganIat: 0,
      endedIat: 7,
      appliedIat: null,
      baseUrl: null,
    });
    assert.equal((await uninstall(other, key, 5)).endedIat, 7);
    assert.equal((await other.installations.find(key))?.id, id);
  }),

  check('nothing from before an uninstall begins a life', async ({ store }) => {
    const beginBy = (key: InstallationKey, iat: number, event: 'install' | 'access_token') =>
      store.transaction(({ installations }) =>
        installations.begin(key, iat, 1, event === 'install' ? undefined : 'code'),
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
    'an install and the uninstall that follows it end in a tombstone, whichever is first',
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
    'a late uninstall takes tokens of before it from the life that goes on, and their refresh',
    async ({ store }) => {
      const { installation, grant } = await granted(store);
      await begin(store, installation, 30);

      const late = await uninstall(store, installation, 20);

      assert.deepEqual([late.status, late.appliedIat, late.generation], ['pending', null, 1]);
      assert.equal(await store.grants.load(installation.id), undefined);
      const refreshed = await store.transaction(({ grants }) =>
        grants.commitRefresh(grant, tokens('refreshed')),
      );
      assert.ok(!refreshed);
      assert.equal(await replace(store, late, 'of before', 19), 'ended');
      assert.equal(await replace(store, late, 'next', 31), 'stored');
    },
  ),

  check(
    'tokens of an event of long after the uninstall show a life that goes on',
    async ({ store }) => {
      const { installation } = await granted(store);
      await replace(store, installation, 'b', 26);

      assert.equal((await uninstall(store, installation, 20)).status, 'active');
      assert.equal((await uninstall(store, installation, 25)).status, 'active');
      assert.equal((await uninstall(store, installation, 26)).status, 'uninstalled');
    },
  ),

  check(
    'an uninstall of the second of an install ends its life, also after an uninstall that was lost',
    async ({ store }) => {
      const { installation } = await granted(store);
      await begin(store, installation, 9);

      assert.equal((await uninstall(store, installation, 9)).status, 'uninstalled');
    },
  ),

  check('tokens of after an uninstall begin the next life, or enter it', async ({ store }) => {
    for (const hasNext of [true, false]) {
      const { installation } = await granted(store);
      await uninstall(store, installation, 10);
      if (hasNext) await begin(store, installation, 15);

      assert.equal(await replace(store, installation, 'of before', 9), 'ended');
      assert.equal(await replace(store, installation, 'of its second', 10), 'ended');
      assert.equal(await replace(store, installation, 'next', 20), 'stored');

      const { status, generation, beganIat } =
        (await store.installations.get(installation.id)) ?? {};
      assert.deepEqual([status, generation, beganIat], ['active', 2, hasNext ? 15 : 20]);
      assert.equal((await store.grants.load(installation.id))?.generation, 2);
    }
  }),

  check(
    'a code that was signed after an uninstall is exchanged for the next life',
    async (context) => {
      const { store } = context;
      const { installation } = await granted(store);
      const beginExchange = (iat: number) =>
        store.transaction(({ renewals }) =>
          renewals.beginExchange(
            installation,
            { iat, codeDigest: 'code', baseUrl: 'https://a.example', trigger: null },
            20_000,
          ),
        );
      await uninstall(store, installation, 10);
      assert.equal(await beginExchange(20), undefined);

      await begin(store, installation, 15);
      assert.equal(await beginExchange(10), undefined);
      assert.deepEqual(await beginExchange(20), { presented: 1, unanswered: 0 });
    },
  ),

  check('an install counts though a newer code began its life', async ({ store, other }) => {
    const tombstone = await uninstall(store, newKey(), 10);
    const begun = await store.transaction(({ installations }) =>
      installations.begin(tombstone, 40, 1, 'code'),
    );
    await begin(other, tombstone, 20);
    await begin(other, tombstone, 30);
    await begin(other, tombstone, 25);

    await store.installations.giveUp(begun, 'code');

    const found = await store.installations.get(begun.id);
    assert.deepEqual([found?.status, found?.beganIat], ['pending', 30]);
    assert.equal((await uninstall(store, tombstone, 29)).status, 'pending');
    assert.equal((await uninstall(store, tombstone, 30)).status, 'uninstalled');
    await store.transaction(({ installations }) =>
      installations.begin(tombstone, 50, 1, 'next code'),
    );
    const next = await store.installations.get(begun.id);
    assert.ok(next);
    await store.installations.giveUp(next, 'next code');
    assert.equal((await store.installations.get(begun.id))?.status, 'uninstalled');
  }),

  check('a life that two codes may show ends when both were refused', async ({ store, other }) => {
    const tombstone = await uninstall(store, newKey(), 10);
    const begun = await store.transaction(({ installations }) =>
      installations.begin(tombstone, 20, 1, 'first'),
    );
    const intent = { iat: 30, codeDigest: 'second', baseUrl: 'https://a.example', trigger: null };
    await store.transaction(({ renewals }) => renewals.beginExchange(begun, intent, 20_000));
    await other.installations.giveUp(begun, 'first');
    assert.equal((await store.installations.get(begun.id))?.status, 'pending');

    await store.transaction(({ renewals }) => renewals.endExchange(begun.id, 'second', 'over'));
    await other.installations.giveUp(begun, 'second');

    assert.equal((await store.installations.get(begun.id))?.status, 'uninstalled');
  }),

  check('a life began when the first copy of its code was signed', async ({ store }) => {
    const begun = await store.transaction(({ installations }) =>
      installations.begin(newKey(), 40, 1, 'code'),
    );
    await store.installations.antedate(begun, 'another code', 10);
    await store.installations.antedate(begun, 'code', 20);
    await store.installations.antedate(begun, 'code', 30);

    assert.equal((await store.installations.get(begun.id))?.beganIat, 20);
    assert.equal((await uninstall(store, begun, 20)).status, 'uninstalled');
  }),

  check('a life that only a refused code began can be given up', async ({ store }) => {
    const tombstone = await uninstall(store, newKey(), 10);
    const beginBy = (iat: number, code?: string) =>
      store.transaction(({ installations }) => installations.begin(tombstone, iat, 1, code));
    const giveUp = (code: string) =>
      store.transaction(async ({ installations }) => {
        const found = await installations.find(tombstone);
        if (found) await installations.giveUp(found, code);
        return (await installations.find(tombstone))?.status;
      });

    await beginBy(20, 'a');
    assert.equal(await giveUp('b'), 'pending');
    assert.equal(await giveUp('a'), 'uninstalled');
    await beginBy(30, 'c');
    await beginBy(30);
    assert.equal(await giveUp('c'), 'pending');
    const next = await begin(store, newKey(), 40);
    await store.installations.giveUp(next, 'd');
    assert.equal((await store.installations.get(next.id))?.status, 'pending');
  }),

  check('a life is not given up while a code of it may still bring tokens', async ({ store }) => {
    const tombstone = await uninstall(store, newKey(), 10);
    const begun = await store.transaction(({ installations }) =>
      installations.begin(tombstone, 20, 1, 'code'),
    );
    const trigger = { url: '/api/trigger', body: null };
    const intent = { iat: 20, codeDigest: 'a', baseUrl: 'https://a.example', trigger };
    await store.transaction(({ renewals }) => renewals.beginExchange(begun, intent, 20_000));

    await store.installations.giveUp(begun, 'code');

    assert.equal((await store.installations.get(begun.id))?.status, 'pending');
    assert.ok(await store.renewals.loadTrigger(begun.id));
  }),

  check(
    'a life that a refused code began, and that an older code filled, ends with an uninstall between',
    async ({ store }) => {
      const key = newKey();
      const begun = await store.transaction(({ installations }) =>
        installations.begin(key, 30, 1, 'code'),
      );
      await replace(store, begun, 'of before', 10);

      await store.installations.giveUp(begun, 'code');

      assert.equal((await store.installations.get(begun.id))?.status, 'active');
      assert.equal((await uninstall(store, key, 20)).status, 'uninstalled');
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

  check('the tombstone never goes back', async ({ store }) => {
    const installation = await begin(store);
    await uninstall(store, installation, 300);
    await uninstall(store, installation, 250);
    assert.equal((await store.installations.get(installation.id))?.endedIat, 300);

    await uninstall(store, installation, 310);
    assert.equal((await store.installations.get(installation.id))?.endedIat, 310);
  }),

  check('an instance leads to the installation that placed it', async ({ store, other }) => {
    const one = await begin(store);
    const two = await begin(store, { ...one, pluginId: randomUUID() });
    await store.installations.addInstance(one.id, 'instance-1', 1);
    await store.installations.addInstance(two.id, 'instance-2', 1);
    await store.installations.addInstance(two.id, 'instance-2', 1);

    const found = await find(other, one, 'instance-1');
    assert.equal(found.outcome, 'found');
    assertSame(found.outcome === 'found' ? found.installation : undefined, one);
    assert.equal(idOf(await find(other, one, 'instance-2')), two.id);
    assert.equal((await find(other, one, 'instance-3')).outcome, 'instance_unknown');

    await store.installations.removeInstance(two.id, 'instance-2', 1);
    assert.equal((await find(other, one, 'instance-2')).outcome, 'instance_unknown');
  }),

  check(
    'an instance leads to the only live installation of its tenant while no instance event came',
    async ({ store, other }) => {
      const one = await begin(store);
      const two = await begin(store, { ...one, pluginId: randomUUID() });
      assert.equal((await find(other, one, 'any')).outcome, 'instance_unknown');

      await uninstall(store, two, 2);
      assert.equal(idOf(await find(other, one, 'any')), one.id);

      await uninstall(store, one, 2);
      assert.equal((await find(other, one, 'any')).outcome, 'tenant_unknown');
    },
  ),

  check(
    'once an instance event came, only instances that are placed lead to the installation',
    async ({ store, other }) => {
      for (const event of ['addInstance', 'removeInstance'] as const) {
        const installation = await begin(store);
        await store.installations[event](installation.id, 'known', 1);

        assert.equal((await find(other, installation, 'made-up')).outcome, 'instance_unknown');
        const known = await find(other, installation, 'known');
        assert.equal(known.outcome, event === 'addInstance' ? 'found' : 'instance_unknown');

        await uninstall(store, installation, 2);
        await begin(store, installation, 3);
        assert.equal((await find(other, installation, 'made-up')).outcome, 'instance_unknown');
      }
    },
  ),

  check('instance events may come in any order', async ({ store, other }) => {
    const { id, ...key } = await begin(store);
    for (const order of orders) {
      const instanceId = randomUUID();
      for (const { isRemoved, iat } of order) {
        const { addInstance, removeInstance } = store.installations;
        await (isRemoved ? removeInstance : addInstance)(id, instanceId, iat);
      }
      assert.equal((await find(other, key, instanceId)).outcome, 'instance_unknown');
      await store.installations.addInstance(id, instanceId, 4);
      assert.equal((await find(other, key, instanceId)).outcome, 'found');
      const report = await other.reports.describeInstallation(id);
      assert.ok(report?.instanceIds.includes(instanceId));
    }
    await store.installations.removeInstance(id, 'removed', 5);
    const report = await other.reports.describeInstallation(id);
    assert.equal(report?.installation.instanceCount, orders.length);
    assert.equal(report?.instanceIds.length, orders.length);
  }),

  check('instance events that come at once end as the newest says', async ({ store, other }) => {
    const { id, ...key } = await begin(store);
    for (let round = 0; round < 10; round += 1) {
      const instanceId = randomUUID();
      await Promise.all([
        store.transaction(({ installations }) => installations.addInstance(id, instanceId, 1)),
        other.transaction(({ installations }) => installations.removeInstance(id, instanceId, 2)),
        store.transaction(({ installations }) => installations.addInstance(id, instanceId, 2)),
      ]);
      assert.equal((await find(other, key, instanceId)).outcome, 'instance_unknown');
    }
  }),
];

/** Every order of an addition, a removal and an addition of the removal's own second. */
const orders = permute([
  { isRemoved: false, iat: 2 },
  { isRemoved: true, iat: 3 },
  { isRemoved: false, iat: 3 },
]);

function permute<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) =>
    permute(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  );
}

function find(store: Store, { issuer, tenantId }: InstallationKey, instanceId: string) {
  return store.installations.findByInstance(issuer, tenantId, instanceId);
}

const idOf = (found: InstanceLookup) =>
  found.outcome === 'found' ? found.installation.id : undefined;
