/** The exchange of a code: it holds refreshes back, counts presentations, and ends. */
import assert from 'node:assert/strict';
import {
  assertOutcome,
  begin,
  granted,
  loadGrant,
  replace,
  request,
  tokenCheck,
  tokens,
  uninstall,
} from './check.ts';
import {
  beginExchange,
  endExchange,
  intent,
  ofGrant,
  ofIntent,
  triggerOf,
} from './exchange-steps.ts';

export const exchangeChecks = [
  tokenCheck(
    'no refresh begins while an event’s code is exchanged',
    async ({ store, other, shiftClock }) => {
      const { installation, grant } = await granted(store);
      await beginExchange(store, installation);
      const held = assertOutcome(await other.renewals.acquire(grant, request()), 'held');
      assert.ok(held.retryInMs > 15_000 && held.retryInMs <= 20_000, `${held.retryInMs} ms`);

      await shiftClock(20_001);
      assertOutcome(await other.renewals.acquire(grant, request()), 'acquired');
    },
  ),

  tokenCheck('a lease from before the exchange continues after it', async ({ store, other }) => {
    const { installation, grant } = await granted(store);
    const { lease } = assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
    await beginExchange(store, installation);
    await endExchange(store, installation, 'unspent');
    assertOutcome(await other.renewals.acquire(grant, request()), 'held');

    await store.renewals.release(lease, { mayBeSpent: false, mayArrive: false, retryInMs: 0 });
    assertOutcome(await other.renewals.acquire(grant, request()), 'acquired');
  }),

  tokenCheck(
    'a refresh that ends during an exchange allows no other to begin',
    async ({ store, other }) => {
      const { installation, grant } = await granted(store);
      const { lease } = assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
      await beginExchange(other, installation);
      await store.renewals.release(lease, { mayBeSpent: false, mayArrive: false, retryInMs: 0 });
      assertOutcome(await store.renewals.acquire(grant, request()), 'held');

      await store.transaction(({ grants }) => grants.commitRefresh(grant, tokens('refreshed')));
      const refreshed = { ...grant, tokenVersion: grant.tokenVersion + 1 };
      assertOutcome(await store.renewals.acquire(refreshed, request()), 'held');
    },
  ),

  tokenCheck('refreshes continue after an exchange without tokens', async ({ store }) => {
    const { installation, grant } = await granted(store);
    await beginExchange(store, installation);
    await endExchange(store, installation, 'over', 'another code');
    assertOutcome(await store.renewals.acquire(grant, request()), 'held');

    await endExchange(store, installation, 'over');
    assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
  }),

  tokenCheck(
    'of two exchanges at once, neither ends the hold of the other',
    async ({ store, other, shiftClock }) => {
      const { installation } = await granted(store);
      await beginExchange(store, installation);
      await beginExchange(other, installation, 'another code');
      await endExchange(other, installation, 'unspent', 'another code');
      const grant = await loadGrant(store, installation.id);
      assertOutcome(await store.renewals.acquire(grant, request()), 'held');

      await replace(store, installation, 'one', intent.iat);
      const stored = await loadGrant(store, installation.id);
      assertOutcome(await store.renewals.acquire(stored, request()), 'held');

      await shiftClock(20_001);
      assertOutcome(await store.renewals.acquire(stored, request()), 'acquired');
      await beginExchange(store, installation);
      await replace(store, installation, 'two', intent.iat);
      const alone = await loadGrant(store, installation.id);
      assertOutcome(await store.renewals.acquire(alone, request()), 'acquired');
    },
  ),

  tokenCheck(
    'a code’s presentations are counted until an answer was read',
    async ({ store, other }) => {
      const { installation } = await granted(store);
      assert.equal(await beginExchange(store, installation), 1);
      await endExchange(store, installation, 'unknown');
      assert.equal(await beginExchange(other, installation), 2);
      await endExchange(store, installation, 'unspent');
      assert.equal(await beginExchange(store, installation), 2);

      assert.equal(await beginExchange(store, installation, 'another code'), 1);
      await endExchange(store, installation, 'unspent');
      await endExchange(store, installation, 'over', 'another code');
      assert.equal(await beginExchange(store, installation, 'another code'), 1);
    },
  ),

  tokenCheck(
    'an attempt whose answer was lost is taken back once, and no other one',
    async ({ store, other }) => {
      const { installation, grant } = await granted(store);
      const takeBack = (attempt: string) =>
        other.transaction(({ renewals }) =>
          renewals.endExchange(installation.id, { attempt }, 'unspent'),
        );
      assert.equal(await takeBack('first'), false);
      assert.equal(await beginExchange(store, installation, intent.codeDigest, 'first'), 1);
      assert.equal(await takeBack('second'), false);
      assertOutcome(await store.renewals.acquire(grant, request()), 'held');

      assert.equal(await takeBack('first'), true);
      assert.equal(await takeBack('first'), false);

      assert.equal(await beginExchange(store, installation, intent.codeDigest, 'second'), 1);
      assert.equal(await takeBack('first'), false);
      assert.equal(await takeBack('second'), true);
      assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
      assert.deepEqual(await triggerOf(store, installation), ofIntent);
    },
  ),

  tokenCheck(
    'stored tokens end the intents of older events, and keep those of others',
    async ({ store }) => {
      const { installation } = await granted(store);
      await beginExchange(store, installation);
      for (const [name, iat] of [
        ['older', intent.iat - 6],
        ['a little older', intent.iat - 1],
        ['of the same second', intent.iat],
      ] as const) {
        await replace(store, installation, name, iat);
        assert.deepEqual(await triggerOf(store, installation), ofIntent);
      }
      assert.equal(await beginExchange(store, installation), 2);

      await replace(store, installation, 'newer', intent.iat + 1);
      assert.deepEqual(await triggerOf(store, installation), ofGrant);
      assert.equal(await beginExchange(store, installation), 1);
    },
  ),

  tokenCheck('no exchange begins in a life that has ended', async ({ store, other }) => {
    const { installation } = await granted(store);
    await uninstall(other, installation, intent.iat);
    assert.equal(await beginExchange(store, installation), undefined);
    assert.equal(await triggerOf(store, installation), undefined);

    const next = await begin(store, installation, 10);
    assert.equal(await beginExchange(store, installation), undefined);
    assert.equal(await triggerOf(store, next), undefined);
    assert.equal(await beginExchange(store, next), 1);

    // An exchange of the next life, with an earlier event.
    const later = await begin(store, installation, 13);
    await uninstall(other, installation, 11);
    assert.equal(await triggerOf(store, later), undefined);
    assert.equal(await beginExchange(store, later), undefined);
  }),
];
