/** A tenant with two addresses: the older one rests when its access has ended, and never for good. */
import assert from 'node:assert/strict';
import type { Store } from '../store.ts';
import type { Installation } from '../stores/find-installation.ts';
import { begin, check, granted, loadGrant, minute, replace, request, uninstall } from './check.ts';
import { append, delivered, mustClaim } from './hook-steps.ts';

const newIssuer = 'https://moved.example.org';
const hour = 60 * minute;

/** Tokens of an event that was signed at `iat` are stored under another issuer. */
async function move(store: Store, old: Installation, { mayRest = true, iat = 100 } = {}) {
  const moved = await begin(store, { ...keyOf(old), issuer: newIssuer }, iat);
  await replace(store, moved, 'moved', iat);
  const isSamePlatform = (issuer: string) => mayRest && issuer === old.issuer;
  const others = await store.transaction(({ installations }) =>
    installations.noteMove(moved, { iat, isSamePlatform }),
  );
  return { moved, others };
}

const keyOf = ({ issuer, tenantId, pluginId }: Installation) => ({ issuer, tenantId, pluginId });

async function pauseOf(store: Store, { id }: Installation) {
  return (await store.operators.find(id))?.pause ?? null;
}

async function addressOf(store: Store, { id }: Installation) {
  return (await store.reports.describe(id))?.installation.otherAddress;
}

/** Every process may do it, ten minutes after the last time. */
async function maintain({
  store,
  shiftClock,
}: {
  store: Store;
  shiftClock(ms: number): Promise<void>;
}) {
  await shiftClock(11 * minute);
  await store.maintain({ now: Date.now() + 10 * hour, historyDays: 30 });
}

async function fail(store: Store, { id }: Installation): Promise<void> {
  await store.grants.markAwaitingEvent(await loadGrant(store, id), 'no_answer', 1);
}

export const moveChecks = [
  check('of two addresses of a tenant, each says which one is newer', async ({ store, other }) => {
    const { installation: old } = await granted(store);
    assert.equal(await addressOf(store, old), null);
    const { moved, others } = await move(store, old);

    assert.deepEqual(others, [{ id: old.id, issuer: old.issuer, mayRest: true }]);
    const host = 'acme.example.com';
    assert.deepEqual(await addressOf(other, moved), { id: old.id, host, isNewer: false });
    const newer = { id: moved.id, host: 'moved.example.org', isNewer: true };
    assert.deepEqual(await addressOf(other, old), newer);
    assert.equal((await other.operators.find(old.id))?.hasNewerAddress, true);
    assert.equal((await other.operators.find(moved.id))?.hasNewerAddress, false);
    assert.deepEqual((await move(store, old, { iat: 101 })).others, []);

    await uninstall(store, old, 102);
    assert.deepEqual([await addressOf(other, old), await addressOf(other, moved)], [null, null]);
  }),

  check('the older address works on, and rests an hour after its access ended', async (c) => {
    const { store, other, shiftClock } = c;
    const { installation: old, grant } = await granted(store);
    const { moved } = await move(store, old);
    await maintain(c);
    assert.equal(await pauseOf(store, old), null);
    await fail(store, old);
    await maintain(c);
    assert.equal(await pauseOf(store, old), null);

    await shiftClock(hour);
    await maintain(c);

    assert.deepEqual({ ...(await pauseOf(other, old)), at: 0 }, { at: 0, by: '', reason: '' });
    assert.equal((await other.renewals.acquire(grant, request())).outcome, 'paused');
    const trigger = await other.renewals.claimTrigger(grant, () => minute, 0);
    assert.equal(trigger.outcome, 'paused');
    assert.equal(await pauseOf(other, moved), null);
  }),

  check(
    'an older address that has failed for an hour rests at once',
    async ({ store, shiftClock }) => {
      const { installation: old } = await granted(store);
      await fail(store, old);
      await shiftClock(hour);
      await move(store, old);

      assert.equal((await pauseOf(store, old))?.by, '');
    },
  ),

  check('another platform, and an older event, make no address rest', async (c) => {
    const { store, shiftClock } = c;
    const { installation: foreign } = await granted(store);
    const { installation: newest } = await granted(store);
    await replace(store, newest, 'newest', 200);
    for (const each of [foreign, newest]) await fail(store, each);
    await shiftClock(hour);

    const { others } = await move(store, foreign, { mayRest: false });
    assert.deepEqual(
      others.map(({ mayRest }) => mayRest),
      [false],
    );
    assert.deepEqual((await move(store, newest)).others, []);
    await maintain(c);

    assert.deepEqual([await pauseOf(store, foreign), await pauseOf(store, newest)], [null, null]);
  }),

  check('a rest ends when the address is used, and an operator decides over it', async (c) => {
    const { store, other, shiftClock } = c;
    const { installation: old } = await granted(store);
    await fail(store, old);
    await shiftClock(hour);
    await move(store, old);
    assert.equal((await store.installations.get(old.id))?.hasMoved, true);

    await other.installations.endMove(old.id);
    assert.equal(await pauseOf(store, old), null);
    assert.equal((await store.installations.get(old.id))?.hasMoved, false);
    await maintain(c);
    assert.equal(await pauseOf(store, old), null);

    await move(store, old, { iat: 101 });
    assert.equal((await pauseOf(store, old))?.by, '');
    const pause = { by: 'night.desk', reason: 'tenant asked for it' };
    assert.equal(await other.operators.pause(old.id, pause), true);
    await other.installations.endMove(old.id);
    assert.equal((await pauseOf(store, old))?.by, 'night.desk');

    assert.equal(await other.operators.resume(old.id), true);
    await move(store, old, { iat: 102 });
    assert.equal(await other.operators.resume(old.id), true);
    await maintain(c);
    assert.equal(await pauseOf(store, old), null);
  }),

  check('the end of an older address says that the tenant has the plug-in elsewhere', async (c) => {
    const { store, other } = c;
    const { installation: old } = await granted(store);
    await move(store, old);
    await uninstall(store, old, 101);
    await append(store, old, 'uninstalled');

    const claimed = await mustClaim(other, old);
    assert.equal(claimed.isReinstalled, true);
    await store.hooks.settle(claimed, delivered);
  }),
];
