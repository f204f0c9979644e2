/** Whether a life has become usable, and whether it still is. */
import assert from 'node:assert/strict';
import type { FailingGrant } from '@dowel/token-client';
import type { Store } from '../store.ts';
import {
  assertOutcome,
  begin,
  type ContractContext,
  check,
  granted,
  loadGrant,
  minute,
  newKey,
  replace,
  request,
  tokens,
  uninstall,
} from './check.ts';

const probe = { afterMs: minute, everyMs: 30_000, limit: 100 };

async function claimFailing(store: Store, id: string): Promise<FailingGrant | undefined> {
  const claimed = await store.usability.claimFailing(probe);
  return claimed.find(({ installationId }) => installationId === id);
}

const markBroken = (store: Store, failing: FailingGrant) =>
  store.usability.markBroken(failing, { afterMs: minute });

/** A refresh of its tokens, which have expired, fails. */
async function failRefresh(store: Store, installationId: string): Promise<void> {
  const grant = await loadGrant(store, installationId);
  const { lease } = assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
  const failure = { mayBeSpent: false, mayArrive: false, retryInMs: 1, reason: 'server_error' };
  await store.renewals.release(lease, failure);
}

/** Its grant has been dead for two minutes, and it is claimed. */
async function claimDead({ store, shiftClock }: ContractContext, isUsable: boolean) {
  const { installation, grant } = await granted(store);
  if (isUsable) await store.usability.becomeUsable(installation.id, 1);
  await store.transaction(({ grants }) =>
    grants.markAwaitingEvent(grant, 'invalid_grant', Date.now()),
  );
  await shiftClock(2 * minute);
  const failing = await claimFailing(store, installation.id);
  assert.ok(failing?.isDead);
  return { installation, failing };
}

export const usabilityChecks = [
  check('a life becomes usable once, and a later one is a re-install', async ({ store, other }) => {
    const key = newKey();
    const first = await begin(store, key);
    assert.equal(first.usableGeneration, 0);
    assert.deepEqual(await store.usability.becomeUsable(first.id, 1), { isReinstall: false });
    assert.equal(await other.usability.becomeUsable(first.id, 1), undefined);
    await uninstall(store, key, 2);
    const second = await begin(store, key, 3);
    assert.equal(second.usableGeneration, 1);

    assert.equal(await store.usability.becomeUsable(first.id, 1), undefined);
    assert.deepEqual(await store.usability.becomeUsable(first.id, 2), { isReinstall: true });
  }),

  check('the widgets of this life are listed, but not those of earlier ones', async ({ store }) => {
    const key = newKey();
    const { id } = await begin(store, key, 1);
    await store.installations.addInstance(id, 'of the first life', 1);
    await uninstall(store, key, 2);
    await begin(store, key, 3);
    await store.installations.addInstance(id, 'one', 3);
    await store.installations.addInstance(id, 'removed', 4);
    await store.installations.removeInstance(id, 'removed', 5);
    await store.installations.addInstance(id, 'two', 4);

    assert.deepEqual(await store.usability.listPlacedSinceBegin(id), ['one', 'two']);
    // A second install of the same life.
    await begin(store, key, 6);
    assert.deepEqual(await store.usability.listPlacedSinceBegin(id), ['one', 'two']);
  }),

  check(
    'an instance event that is older than the newest one is reported as no change',
    async ({ store }) => {
      const { id } = await begin(store);
      const { addInstance, removeInstance } = store.installations;
      assert.equal(await addInstance(id, 'i', 5), true);
      assert.equal(await addInstance(id, 'i', 5), false);
      assert.equal(await removeInstance(id, 'i', 4), false);
      assert.equal(await removeInstance(id, 'i', 5), true);
    },
  ),

  check('a life that awaits its admission opens no session', async ({ store, other }) => {
    const key = newKey();
    const { id } = await store.installations.begin(key, 1, 1, { awaitsAdmission: true });
    const find = () => other.installations.findByInstance(key.issuer, key.tenantId, 'i');
    const open = (jti: string) =>
      store.transaction(({ sessions }) => {
        const session = { installationId: id, generation: 1, userId: 'u', instanceId: 'i' };
        return sessions.createPluginSession(jti, { ...session, expiresAt: 1 }, jti);
      });
    assert.equal((await find()).outcome, 'tenant_unknown');
    assert.equal(await open(`${id} 1`), 'over');
    assert.equal((await other.installations.get(id))?.awaitsAdmission, true);

    await store.usability.admit(id, 1);
    assert.equal((await find()).outcome, 'found');
    assert.equal(await open(`${id} 2`), 'opened');
  }),

  check('the next life of an installation does not inherit what it awaits', async ({ store }) => {
    const key = newKey();
    await store.installations.begin(key, 1, 1, { awaitsAdmission: true, plugin: 'polls' });
    await uninstall(store, key, 2);
    const next = await begin(store, key, 3);

    assert.equal(next.awaitsAdmission, false);
    assert.equal(next.plugin, 'polls');
  }),

  check(
    'an installation is broken once its refreshes have failed for long enough',
    async ({ store, other, shiftClock }) => {
      const { installation } = await granted(store);
      const { id } = installation;
      await store.usability.becomeUsable(id, 1);
      assert.equal(await claimFailing(store, id), undefined);
      await failRefresh(store, id);
      assert.equal(await claimFailing(store, id), undefined);

      await shiftClock(minute);
      const failing = await claimFailing(store, id);
      assert.ok(failing && !failing.isDead);
      assert.equal(await claimFailing(other, id), undefined);
      const change = await markBroken(store, failing);
      assert.equal(change?.event, 'broken');
      assert.equal(change?.data.reason, 'server_error');
      assert.equal(await markBroken(other, failing), undefined);

      await shiftClock(probe.everyMs);
      assert.ok(await claimFailing(other, id));
      const recovered = await store.transaction(async ({ grants, usability }) => {
        await grants.commitRefresh(await loadGrant(store, id), tokens('new'));
        return usability.endBroken(id);
      });
      assert.deepEqual(recovered?.data, { brokenSince: change?.data.since });
      assert.equal(await store.usability.endBroken(id), undefined);
      await shiftClock(probe.everyMs);
      assert.equal(await claimFailing(other, id), undefined);
      assert.equal(await markBroken(store, failing), undefined);
    },
  ),

  check('a dead grant breaks its installation, if that was ever usable', async (context) => {
    for (const isUsable of [true, false]) {
      const { failing } = await claimDead(context, isUsable);
      const change = await markBroken(context.store, failing);
      assert.equal(change?.data.reason, isUsable ? 'invalid_grant' : undefined);
    }
  }),

  check(
    'a dead grant is not claimed again when there is nothing left to report',
    async (context) => {
      const { store, other, shiftClock } = context;
      for (const isUsable of [true, false]) {
        const { installation, failing } = await claimDead(context, isUsable);
        const { id } = installation;
        await shiftClock(probe.everyMs);
        assert.ok(await claimFailing(other, id));
        await markBroken(store, failing);

        await shiftClock(2 * probe.everyMs);
        assert.equal(await claimFailing(store, id), undefined);
        await replace(store, installation, 'b', 2);
        assert.equal((await store.usability.endBroken(id)) !== undefined, isUsable);
        await failRefresh(store, id);
        await shiftClock(minute);
        assert.ok(await claimFailing(store, id));
        await shiftClock(-(3 * minute + 3 * probe.everyMs));
      }
    },
  ),

  check('an event with new tokens ends the failure', async ({ store, shiftClock }) => {
    const { installation } = await granted(store);
    await failRefresh(store, installation.id);
    await shiftClock(2 * minute);
    assert.equal(await replace(store, installation, 'b', 2), 'stored');

    assert.equal(await claimFailing(store, installation.id), undefined);
  }),
];
