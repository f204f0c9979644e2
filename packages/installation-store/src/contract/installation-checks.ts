/** An installation: its key, and how it begins. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { assertSame, begin, check, newKey, uninstall } from './check.ts';

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

  check('all spellings of an issuer are one issuer', async ({ store, other }) => {
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
    assert.ok(found.outcome === 'found');
    assert.equal(found.installation.id, installation.id);
  }),

  check(
    'an installation begins pending, in its first generation, without tokens',
    async ({ store }) => {
      const key = newKey();
      const { id, lifeId, ...installation } = await begin(store, key, 7);

      assert.notEqual(id, '');
      assert.equal(lifeId, `${id}.1`);
      assert.deepEqual(installation, {
        ...key,
        status: 'pending',
        generation: 1,
        beganIat: 7,
        endedIat: null,
        appliedIat: null,
        baseUrl: null,
        plugin: '',
        usableGeneration: 0,
        awaitsAdmission: false,
        hasMoved: false,
        beganAt: 7,
      });
    },
  ),

  check(
    'a live installation keeps its life at a new install, and its start only moves forward',
    async ({ store }) => {
      const key = newKey();
      const first = await begin(store, key, 5);

      assertSame(await begin(store, key, 9), { ...first, beganIat: 9 });
      assertSame(await begin(store, key, 7), { ...first, beganIat: 9 });
    },
  ),

  check(
    'an installation that two processes begin at once exists once',
    async ({ store, other }) => {
      const key = newKey();

      const begun = await Promise.all(
        [store, other, store, other, store, other].map((each) => begin(each, key)),
      );

      assert.equal(new Set(begun.map(({ id }) => id)).size, 1);
      assert.deepEqual(new Set(begun.map(({ generation }) => generation)), new Set([1]));
    },
  ),
];
