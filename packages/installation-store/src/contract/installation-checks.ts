import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { assertSame, begin, check, granted, newKey, replace, uninstall } from './check.ts';

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

  check('names may be as long as claims allow', async ({ store, other }) => {
    const issuer = `https://acme.example.com/${randomBytes(1_500).toString('base64url')}`;
    const installation = await begin(store, { ...newKey(), issuer });
    const instanceId = randomBytes(128).toString('hex');
    await store.installations.addInstance(installation.id, instanceId);

    const { tenantId } = installation;
    const found = await other.installations.findByInstance(issuer, tenantId, instanceId);
    assert.equal(found?.id, installation.id);
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

  check('an uninstall of another generation changes nothing', async ({ store }) => {
    const { installation } = await granted(store);
    await uninstall(store, installation, 2);
    const next = await begin(store, installation, 3);
    await replace(store, next, 'next');

    await uninstall(store, installation, 4);

    assert.equal((await store.installations.get(next.id))?.status, 'active');
    assert.ok(await store.grants.load(next.id));
  }),

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

  check('an instance leads to the installation that placed it', async ({ store }) => {
    const one = await begin(store);
    const two = await begin(store, { ...one, pluginId: randomUUID() });
    const find = (instanceId: string) =>
      store.installations.findByInstance(one.issuer, one.tenantId, instanceId);
    await store.installations.addInstance(one.id, 'instance-1');
    await store.installations.addInstance(two.id, 'instance-2');
    await store.installations.addInstance(two.id, 'instance-2');

    assert.equal((await find('instance-1'))?.id, one.id);
    assert.equal((await find('instance-2'))?.id, two.id);
    assert.equal(await find('instance-3'), undefined);

    await store.installations.removeInstance(two.id, 'instance-2');
    assert.equal(await find('instance-2'), undefined);
  }),

  check(
    'an instance without a record leads to the only live installation of its tenant',
    async ({ store }) => {
      const one = await begin(store);
      const two = await begin(store, { ...one, pluginId: randomUUID() });
      const find = () => store.installations.findByInstance(one.issuer, one.tenantId, 'unknown');
      assert.equal(await find(), undefined);

      await uninstall(store, two, 2);
      assert.equal((await find())?.id, one.id);

      await uninstall(store, one, 2);
      assert.equal(await find(), undefined);
    },
  ),
];
