/** A paused installation: what no process may do to it, and what goes on. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { TokenStore } from '@dowel/token-client';
import {
  assertOutcome,
  begin,
  check,
  granted,
  loadGrant,
  minute,
  newKey,
  replace,
  request,
  tokenCheck,
  tokens,
  uninstall,
} from './check.ts';
import { isDue } from './exchange-steps.ts';

const pause = { by: 'night.desk', reason: 'tenant asked for it' };

const claimTrigger = async (store: TokenStore, id: string, gapMs?: number) =>
  store.renewals.claimTrigger(await loadGrant(store, id), () => 30_000, gapMs);

export const tokenPauseChecks = [
  tokenCheck('a paused installation gets no lease, no trigger and no healing', async (context) => {
    const { store, other, shiftClock } = context;
    const { installation, grant } = await granted(store);
    const { id } = installation;
    assert.equal(await store.operators.pause(id, pause), true);
    assert.equal(await other.operators.pause(id, pause), false);

    assertOutcome(await other.renewals.acquire(grant, request()), 'paused');
    assert.equal((await claimTrigger(other, id)).outcome, 'paused');
    assert.equal((await claimTrigger(other, id, 0)).outcome, 'paused');
    await store.grants.markAwaitingEvent(grant, 'invalid_grant', 1);
    await shiftClock(minute);
    assert.equal(await isDue(store, installation), false);

    assert.equal(await other.operators.resume(id), true);
    assert.equal(await store.operators.resume(id), false);
    assert.equal(await isDue(store, installation), true);
  }),

  tokenCheck(
    'a lease from before the pause is not extended, and counts as not taken',
    async (c) => {
      const { store, other, shiftClock } = c;
      const { installation, grant } = await granted(store);
      const limits = request({ maxPresentations: 1 });
      const { lease } = assertOutcome(await store.renewals.acquire(grant, limits), 'acquired');
      await other.operators.pause(installation.id, pause);
      await shiftClock(minute);

      assert.equal(await store.renewals.extend(lease, limits), false);

      await other.operators.resume(installation.id);
      assertOutcome(await other.renewals.acquire(grant, limits), 'acquired');
    },
  ),

  tokenCheck(
    'the tokens of a refresh that was sent before the pause are stored as paused',
    async (c) => {
      const { store, other } = c;
      const { installation, grant } = await granted(store);
      await store.renewals.acquire(grant, request());
      await other.operators.pause(installation.id, pause);

      const stored = await store.transaction(({ grants }) =>
        grants.commitRefresh(grant, tokens('b')),
      );

      assert.deepEqual(stored, { isInDoubt: false, isPaused: true });
    },
  ),

  tokenCheck('an operator asks ahead of the pause, but not twice in the gap', async (context) => {
    const { store, other, shiftClock } = context;
    const { installation } = await granted(store);
    const { id } = installation;
    assert.equal((await claimTrigger(store, id)).outcome, 'claimed');
    assert.equal((await claimTrigger(store, id)).outcome, 'too_early');
    assert.equal((await claimTrigger(store, id, 5_000)).outcome, 'too_early');

    await shiftClock(5_000);
    assert.equal((await claimTrigger(store, id)).outcome, 'too_early');
    const claims = await Promise.all([
      claimTrigger(store, id, 5_000),
      claimTrigger(other, id, 5_000),
    ]);

    assert.deepEqual(claims.map(({ outcome }) => outcome).toSorted(), ['claimed', 'too_early']);
  }),
];

export const pauseChecks = [
  check('a paused installation is not probed, and is not marked as broken', async (context) => {
    const { store, shiftClock } = context;
    const { installation, grant } = await granted(store);
    const { id } = installation;
    await store.usability.becomeUsable(id, 1);
    const { lease } = assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
    await store.renewals.release(lease, { mayBeSpent: false, mayArrive: false, retryInMs: 1 });
    await shiftClock(2 * minute);
    await store.operators.pause(id, pause);
    const probe = { afterMs: minute, everyMs: 30_000, limit: 10_000 };
    const isProbed = async () =>
      (await store.usability.claimFailing(probe)).some((each) => each.installationId === id);

    assert.equal(await isProbed(), false);
    const failing = { ...grant, isDead: false };
    assert.equal(await store.usability.markBroken(failing, { afterMs: minute }), undefined);

    await store.operators.resume(id);
    assert.equal(await isProbed(), true);
  }),

  check('a pause is announced to every process, and read with the tokens', async (context) => {
    const { store, other } = context;
    const { installation } = await granted(store);
    const { id } = installation;
    const heard = Promise.withResolvers<boolean>();
    const stop = other.onChange((changed, ofTokens) => {
      if (changed === id && ofTokens) heard.resolve(ofTokens);
    });
    assert.equal((await loadGrant(other, id)).isPaused, false);

    await store.operators.pause(id, pause);

    assert.equal(await heard.promise, true);
    stop();
    assert.equal((await loadGrant(other, id)).isPaused, true);
    assert.equal((await other.grants.findVersion(id))?.isPaused, true);
    const found = await other.operators.find(id);
    assert.equal(found?.pause?.by, 'night.desk');
    assert.equal(found?.pause?.reason, 'tenant asked for it');
  }),

  check('a paused installation takes in events, and stays paused in its next life', async (c) => {
    const { store } = c;
    const key = newKey();
    const installation = await begin(store, key, 10);
    const { id } = installation;
    await store.operators.pause(id, pause);

    assert.equal(await replace(store, installation, 'new', 11), 'stored');
    assert.equal((await loadGrant(store, id)).isPaused, true);
    await uninstall(store, key, 20);
    assert.equal((await begin(store, key, 30)).generation, 2);

    assert.notEqual((await store.operators.find(id))?.pause ?? null, null);
    assert.equal(await store.operators.resume(randomUUID()), false);
  }),
];
