/** Placed instances: which installation each leads to. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Store } from '../store.ts';
import type { InstallationKey, InstanceLookup, LookupRules } from '../stores/find-installation.ts';
import type { OpeningPage } from '../stores/session-store.ts';
import { assertSame, begin, check, newKey, uninstall } from './check.ts';

export const instanceChecks = [
  check('placed instances are listed in pages, by their ids', async ({ store, other }) => {
    const { id } = await begin(store);
    const neighbour = await begin(store);
    for (const instanceId of ['c', 'a', 'gone', 'b']) {
      await store.installations.addInstance(id, instanceId, 1);
    }
    await store.installations.addInstance(neighbour.id, 'bb', 1);
    await store.installations.removeInstance(id, 'gone', 2);

    const { listInstances } = other.installations;
    assert.deepEqual(await listInstances(id, { after: '', limit: 2 }), ['a', 'b']);
    assert.deepEqual(await listInstances(id, { after: 'b', limit: 2 }), ['c']);
    assert.deepEqual(await listInstances(randomUUID(), { after: '', limit: 2 }), []);
  }),

  check(
    'an instance id leads to the issuers of the tenants that use it',
    async ({ store, other }) => {
      const one = await begin(store, { ...newKey(), issuer: 'https://one.example' });
      const two = await begin(store, { ...newKey(), issuer: 'https://two.example' });
      for (const { id } of [one, two]) await store.installations.addInstance(id, 'shared', 1);
      await store.installations.addInstance(one.id, 'own', 1);
      const { listIssuersOf } = other.installations;

      assert.deepEqual(await listIssuersOf(['own'], 9), ['https://one.example']);
      assert.deepEqual(await listIssuersOf(['shared'], 9), [
        'https://one.example',
        'https://two.example',
      ]);
      assert.deepEqual(await listIssuersOf(['shared'], 1), ['https://one.example']);
      assert.deepEqual(await listIssuersOf(['unknown'], 9), []);
      assert.deepEqual(await listIssuersOf(['unknown', 'own'], 9), ['https://one.example']);

      await store.installations.removeInstance(one.id, 'own', 2);
      await uninstall(store, two, 2);
      assert.deepEqual(await listIssuersOf(['own'], 9), []);
      assert.deepEqual(await listIssuersOf(['shared'], 9), ['https://one.example']);
    },
  ),

  check('an instance is found with the installation that placed it', async ({ store, other }) => {
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
    'an instance is found with the last uninstall of its plug-in at its tenant',
    async ({ store, other }) => {
      const one = await begin(store);
      const lastEnd = async () => {
        const found = await find(other, one, 'any');
        return found.outcome === 'found' ? found.lastEndedIat : found.outcome;
      };
      assert.equal(await lastEnd(), null);

      await uninstall(store, one, 7);
      const two = await begin(store, { ...one, pluginId: randomUUID() });
      assert.equal(await lastEnd(), 7);

      await uninstall(store, two, 9);
      await store.installations.begin(one, 11, 0);
      assert.equal(await lastEnd(), 9);
    },
  ),

  check(
    'without instance events, an instance belongs to the only live installation of its tenant',
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
    'without instance events, an instance belongs to the only live installation of the plug-in that asks',
    async ({ store, other }) => {
      const polls = await store.installations.begin(newKey(), 1, 1, { plugin: 'polls' });
      const beside = { ...polls, pluginId: randomUUID() };
      const ask = (plugin: string) =>
        other.installations.findByInstance(polls.issuer, polls.tenantId, 'any', { plugin });
      assert.equal(idOf(await ask('lunch')), polls.id);

      const lunch = await store.installations.begin(beside, 1, 1, { plugin: 'lunch' });
      assert.equal(idOf(await ask('polls')), polls.id);
      assert.equal(idOf(await ask('lunch')), lunch.id);
      assert.equal((await ask('third')).outcome, 'instance_unknown');

      await store.installations.addInstance(polls.id, 'placed', 1);
      assert.equal(idOf(await ask('polls')), polls.id);
      assert.equal(idOf(await ask('lunch')), lunch.id);
    },
  ),

  check(
    'until a page has named a placed instance, others of its installation are found, too',
    async ({ store, other }) => {
      const installation = await begin(store);
      const { id: installationId, generation, issuer, tenantId } = installation;
      for (const each of ['known', 'second']) {
        await store.installations.addInstance(installationId, each, 1);
      }
      await store.installations.removeInstance(installationId, 'gone', 1);
      const ask = (src: string, options?: LookupRules) =>
        other.installations.findByInstance(issuer, tenantId, src, options);
      const openPage = (match: OpeningPage['match']) =>
        store.sessions.createPluginSession(
          randomUUID(),
          { installationId, generation, userId: 'u', instanceId: 'known', expiresAt: 10 },
          randomUUID(),
          { match, form: '<text 7>', claims: {} },
        );
      const ofPages = { match: 'unmatched', instanceId: 'made-up' } as const;

      const first = await ask('made-up');
      await openPage('unmatched');
      const next = await ask('made-up');

      assert.deepEqual(partOf(first), { ...ofPages, srcForm: null });
      assert.deepEqual(partOf(next), { ...ofPages, srcForm: '<text 7>' });
      assert.equal((await ask('gone')).outcome, 'instance_unknown');
      assert.equal((await ask('made-up', { unmatched: 'refuse' })).outcome, 'instance_unknown');

      await openPage('placed');

      assert.equal((await ask('made-up')).outcome, 'instance_unknown');
      assert.deepEqual(partOf(await ask('made-up', { unmatched: 'allow' })), {
        ...ofPages,
        srcForm: null,
      });
      assert.equal((await ask('known')).outcome, 'found');

      await uninstall(store, installation, 2);
      await begin(store, installation, 3);
      assert.equal((await ask('made-up')).outcome, 'instance_unknown');
    },
  ),

  check('an instance is found in a src that names its tenant, too', async ({ store, other }) => {
    const one = await begin(store);
    const two = await begin(store, { ...one, pluginId: randomUUID() });
    const [ofOne, ofTwo] = [randomUUID(), randomUUID()];
    const ask = (src: string) => find(other, one, src);
    assert.equal(idOf(await ask(`${one.tenantId}_${two.pluginId}`)), two.id);

    await store.installations.addInstance(one.id, ofOne, 1);
    await store.installations.addInstance(two.id, ofTwo, 1);

    for (const [src, installation, instanceId, match] of [
      [`${one.tenantId}_${ofOne}`, one, ofOne, 'placed'],
      [`${one.tenantId}-${ofTwo.toUpperCase()}`, two, ofTwo, 'placed'],
      [`${one.tenantId}_${two.pluginId}`, two, ofTwo, 'derived'],
    ] as const) {
      const found = await ask(src);
      assert.equal(idOf(found), installation.id);
      assert.deepEqual(found.outcome === 'found' && [found.match, found.instanceId], [
        match,
        instanceId,
      ]);
    }
    const gone = randomUUID();
    await store.installations.removeInstance(two.id, gone, 1);
    assert.equal((await ask(`${two.pluginId}_${gone}`)).outcome, 'instance_unknown');
    const foreign = await begin(store);
    await store.installations.addInstance(foreign.id, 'of-another-tenant', 1);
    assert.equal((await ask('of-another-tenant')).outcome, 'instance_unknown');
  }),

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
      const report = await other.reports.describe(id);
      assert.ok(report?.instanceIds.includes(instanceId));
    }
    await store.installations.removeInstance(id, 'removed', 5);
    const report = await other.reports.describe(id);
    assert.equal(report?.instanceIds.length, orders.length);
  }),

  check('after simultaneous instance events the newest one counts', async ({ store, other }) => {
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

const partOf = (found: InstanceLookup) =>
  found.outcome === 'found' && {
    match: found.match,
    instanceId: found.instanceId,
    srcForm: found.srcForm,
  };

const idOf = (found: InstanceLookup) =>
  found.outcome === 'found' ? found.installation.id : undefined;
