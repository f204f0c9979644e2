import assert from 'node:assert/strict';
import { Secret } from '@dowel/schema';
import type { ExchangeEnding, Installation, Store } from '../store.ts';
import {
  access,
  assertOutcome,
  assertSame,
  begin,
  canary,
  check,
  granted,
  loadGrant,
  minute,
  replace,
  request,
  tokens,
  uninstall,
} from './check.ts';

const intent = {
  iat: 10,
  codeDigest: 'digest-of-the-code',
  baseUrl: 'https://new.example.com',
  trigger: { url: '/api/new-trigger', body: new Secret(`${canary}-new-trigger-body`) },
};

/** How often the code was presented. */
async function beginExchange(
  store: Store,
  installation: Installation,
  codeDigest = intent.codeDigest,
): Promise<number | undefined> {
  const begun = await store.transaction(({ renewals }) =>
    renewals.beginExchange(installation, { ...intent, codeDigest }, 20_000),
  );
  return begun?.presented;
}

function endExchange(
  store: Store,
  { id }: Installation,
  ending: ExchangeEnding,
  codeDigest = intent.codeDigest,
) {
  return store.transaction(({ renewals }) => renewals.endExchange(id, codeDigest, ending));
}

async function triggerOf(store: Store, { id }: Installation) {
  const found = await store.renewals.loadTrigger(id);
  return (
    found && {
      ...found,
      trigger: found.trigger && { ...found.trigger, body: found.trigger.body?.reveal() },
    }
  );
}

async function isDue(store: Store, { id }: Installation): Promise<boolean> {
  const due = await store.renewals.listDue(10_000);
  return due.some(({ installationId }) => installationId === id);
}

const ofGrant = {
  baseUrl: access.baseUrl,
  trigger: { url: '/api/trigger', body: `${canary}-trigger-body` },
};
const ofIntent = {
  baseUrl: 'https://new.example.com',
  trigger: { url: '/api/new-trigger', body: `${canary}-new-trigger-body` },
};

export const exchangeChecks = [
  check(
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

  check('a lease taken before the exchange outlives it', async ({ store, other }) => {
    const { installation, grant } = await granted(store);
    const { lease } = assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
    await beginExchange(store, installation);
    await endExchange(store, installation, 'unspent');
    assertOutcome(await other.renewals.acquire(grant, request()), 'held');

    await store.renewals.release(lease, { mayBeSpent: false, mayArrive: false, retryInMs: 0 });
    assertOutcome(await other.renewals.acquire(grant, request()), 'acquired');
  }),

  check('a refresh that ends during an exchange lets no other begin', async ({ store, other }) => {
    const { installation, grant } = await granted(store);
    const { lease } = assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
    await beginExchange(other, installation);
    await store.renewals.release(lease, { mayBeSpent: false, mayArrive: false, retryInMs: 0 });
    assertOutcome(await store.renewals.acquire(grant, request()), 'held');

    await store.transaction(({ grants }) => grants.commitRefresh(grant, tokens('refreshed')));
    const refreshed = { ...grant, tokenVersion: grant.tokenVersion + 1 };
    assertOutcome(await store.renewals.acquire(refreshed, request()), 'held');
  }),

  check(
    'an older event leaves the way to ask for another as a newer one said',
    async ({ store }) => {
      const installation = await begin(store);
      const trigger = {
        url: '/api/older-trigger',
        body: new Secret(`${canary}-older-trigger-body`),
      };
      const older = { iat: 5, codeDigest: 'older', baseUrl: 'https://older.example.com', trigger };
      const beginOlder = async () => {
        const begun = await store.transaction(({ renewals }) =>
          renewals.beginExchange(installation, older, 20_000),
        );
        return begun?.presented;
      };
      assert.equal(await beginOlder(), 1);
      await beginExchange(store, installation);
      assert.deepEqual(await triggerOf(store, installation), ofIntent);

      assert.equal(await beginOlder(), 1);
      assert.equal(await beginOlder(), 2);
      assert.deepEqual(await triggerOf(store, installation), ofIntent);
    },
  ),

  check('an exchange that brought nothing lets refreshes go on', async ({ store }) => {
    const { installation, grant } = await granted(store);
    await beginExchange(store, installation);
    await endExchange(store, installation, 'over', 'another code');
    assertOutcome(await store.renewals.acquire(grant, request()), 'held');

    await endExchange(store, installation, 'over');
    assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
  }),

  check(
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

  check('a code’s presentations are counted until an answer was read', async ({ store, other }) => {
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
  }),

  check(
    'the trigger is the newest event’s, its code exchanged or not',
    async ({ store, other }) => {
      const { installation } = await granted(store);
      assert.deepEqual(await triggerOf(store, installation), ofGrant);

      await beginExchange(store, installation);
      assert.deepEqual(await triggerOf(other, installation), ofIntent);

      await endExchange(store, installation, 'unknown');
      assert.deepEqual(await triggerOf(other, installation), ofIntent);

      await endExchange(store, installation, 'over');
      assert.deepEqual(await triggerOf(other, installation), ofGrant);
    },
  ),

  check(
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

  check('an older event’s late exchange does not hide the newest trigger', async ({ store }) => {
    const { installation } = await granted(store);
    await replace(store, installation, 'newest', intent.iat + 1);
    await beginExchange(store, installation);

    assert.deepEqual(await triggerOf(store, installation), ofGrant);
  }),

  check(
    'the first event’s trigger is known before there are tokens, and forgotten with its life',
    async ({ store }) => {
      const installation = await begin(store);
      assert.equal(await triggerOf(store, installation), undefined);
      await beginExchange(store, installation);
      assert.deepEqual(await triggerOf(store, installation), ofIntent);

      await uninstall(store, installation, 11);
      assert.equal(await triggerOf(store, installation), undefined);
      assert.equal(await triggerOf(store, await begin(store, installation, 12)), undefined);
    },
  ),

  check('no exchange begins in a life that has ended', async ({ store, other }) => {
    const { installation } = await granted(store);
    await uninstall(other, installation, intent.iat);
    assert.equal(await beginExchange(store, installation), undefined);
    assert.equal(await triggerOf(store, installation), undefined);

    const next = await begin(store, installation, 10);
    assert.equal(await beginExchange(store, installation), undefined);
    assert.equal(await triggerOf(store, next), undefined);
    assert.equal(await beginExchange(store, next), 1);

    // One of the next life, though its event is of before.
    const later = await begin(store, installation, 13);
    await uninstall(other, installation, 11);
    assert.equal(await triggerOf(store, later), undefined);
    assert.equal(await beginExchange(store, later), undefined);
  }),

  check('of triggers claimed at once, one is sent', async ({ store, other }) => {
    const { grant } = await granted(store);
    const stores = [store, other, store, other, store, other, store, other];

    const claims = await Promise.all(
      stores.map((each) => each.renewals.claimTrigger(grant, () => 30_000)),
    );

    const outcomes = claims.map(({ outcome }) => outcome).toSorted();
    assert.deepEqual(outcomes, ['claimed', ...stores.slice(1).map(() => 'too_early')]);
  }),

  check(
    'the next trigger waits as long as the number of those before asks for',
    async ({ store, shiftClock }) => {
      const { grant } = await granted(store);
      const counts: number[] = [];
      const claim = () =>
        store.renewals.claimTrigger(grant, (sent) => {
          counts.push(sent);
          return (sent + 1) * 10_000;
        });

      assert.equal((await claim()).outcome, 'claimed');
      await shiftClock(10_001);
      assertSame(await claim(), { outcome: 'claimed', sent: 1 });
      await shiftClock(10_001);
      const early = await claim();
      assert.equal(early.outcome, 'too_early');
      assert.ok(early.outcome === 'too_early' && early.retryInMs > 0 && early.retryInMs <= 10_000);
      await shiftClock(10_001);
      assertSame(await claim(), { outcome: 'claimed', sent: 2 });
      assert.deepEqual(counts, [0, 1, 2]);
    },
  ),

  check(
    'no trigger is claimed while an exchange runs, and one is when it has failed',
    async ({ store, other, shiftClock }) => {
      const { installation, grant } = await granted(store);
      const claim = () => other.renewals.claimTrigger(grant, () => 1);
      await beginExchange(store, installation);

      const early = await claim();
      assert.ok(early.outcome === 'too_early' && early.retryInMs > 0 && early.retryInMs <= 20_000);
      await endExchange(store, installation, 'unspent');
      assert.equal((await claim()).outcome, 'claimed');

      await beginExchange(store, installation);
      await shiftClock(20_001);
      assert.equal((await claim()).outcome, 'claimed');
    },
  ),

  check('a trigger that is delayed waits longer, by whole milliseconds', async (context) => {
    const { store, shiftClock } = context;
    const { grant } = await granted(store);
    await store.renewals.claimTrigger(grant, () => 1_000.4);
    await store.renewals.delayTrigger(grant, 60_000.4);

    await shiftClock(30_000);
    assert.equal((await store.renewals.claimTrigger(grant, () => 1_000)).outcome, 'too_early');
    await shiftClock(30_001);
    assert.equal((await store.renewals.claimTrigger(grant, () => 1_000)).outcome, 'claimed');
  }),

  check(
    'no trigger is sent for tokens that were replaced, or a life that has ended',
    async ({ store }) => {
      const { installation, grant } = await granted(store);
      const claim = () => store.renewals.claimTrigger(grant, () => 1_000);
      await replace(store, installation, 'b', 2);
      assertSame(await claim(), { outcome: 'moved' });

      await uninstall(store, installation, 3);
      assertSame(await claim(), { outcome: 'moved' });
    },
  ),

  check(
    'tokens of an event restart the triggers, half a minute after a recent one',
    async ({ store, shiftClock }) => {
      const { installation, grant } = await granted(store);
      await store.renewals.claimTrigger(grant, () => 10 * minute);
      await replace(store, installation, 'b', 2);
      const version = { ...grant, tokenVersion: 2 };
      const claim = () => store.renewals.claimTrigger(version, () => 1_000);

      await shiftClock(25_000);
      const early = await claim();
      assert.ok(early.outcome === 'too_early' && early.retryInMs > 0 && early.retryInMs <= 5_000);
      await shiftClock(5_001);
      assertSame(await claim(), { outcome: 'claimed', sent: 0 });

      await shiftClock(1_001);
      await replace(store, installation, 'c', 3);
      const next = { ...grant, tokenVersion: 3 };
      assertSame(await store.renewals.claimTrigger(next, () => 1_000), {
        outcome: 'claimed',
        sent: 0,
      });
    },
  ),

  check('refreshed tokens restart the triggers at once', async ({ store }) => {
    const { grant } = await granted(store);
    await store.renewals.claimTrigger(grant, () => 10 * minute);
    await store.transaction(({ grants }) => grants.commitRefresh(grant, tokens('b')));

    const version = { ...grant, tokenVersion: 2 };
    assertSame(await store.renewals.claimTrigger(version, () => 1_000), {
      outcome: 'claimed',
      sent: 0,
    });
  }),

  check(
    'an installation that awaits an event is due until a trigger is claimed',
    async ({ store, other, shiftClock }) => {
      const { installation, grant } = await granted(store);
      assert.equal(await isDue(store, installation), false);
      await store.transaction(({ grants }) => grants.markAwaitingEvent(grant, 'invalid_grant', 1));
      assert.equal(await isDue(other, installation), true);

      await store.renewals.claimTrigger(grant, () => 30_000);
      assert.equal(await isDue(other, installation), false);
      await shiftClock(30_001);
      assert.equal(await isDue(other, installation), true);

      await uninstall(store, installation, 2);
      assert.equal(await isDue(other, installation), false);
    },
  ),

  check(
    'an installation whose exchange was left behind is due once it has surely ended',
    async ({ store, shiftClock }) => {
      const { installation } = await granted(store);
      await beginExchange(store, installation);
      assert.equal(await isDue(store, installation), false);

      await shiftClock(35_000);
      assert.equal(await isDue(store, installation), false);
      await shiftClock(15_000);
      assert.equal(await isDue(store, installation), true);

      await endExchange(store, installation, 'over');
      assert.equal(await isDue(store, installation), false);
    },
  ),

  check('no more installations are due than the limit', async ({ store }) => {
    for (let count = 0; count < 3; count += 1) {
      const { grant } = await granted(store);
      await store.transaction(({ grants }) => grants.markAwaitingEvent(grant, 'x', 1));
    }

    assert.equal((await store.renewals.listDue(2)).length, 2);
  }),
];
