/** Triggers: whose is stored, when one may be claimed, and which installations are due. */
import assert from 'node:assert/strict';
import { Secret } from '@dowel/schema';
import {
  assertSame,
  begin,
  canary,
  granted,
  minute,
  replace,
  tokenCheck,
  tokens,
  uninstall,
} from './check.ts';
import {
  beginExchange,
  endExchange,
  intent,
  isDue,
  ofGrant,
  ofIntent,
  triggerOf,
} from './exchange-steps.ts';

export const triggerChecks = [
  tokenCheck('an older event does not replace a newer event’s trigger', async ({ store }) => {
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
  }),

  tokenCheck(
    'the newest event’s trigger is used, even if its code was not exchanged',
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

  tokenCheck(
    'an older event’s late exchange does not hide the newest trigger',
    async ({ store }) => {
      const { installation } = await granted(store);
      await replace(store, installation, 'newest', intent.iat + 1);
      await beginExchange(store, installation);

      assert.deepEqual(await triggerOf(store, installation), ofGrant);
    },
  ),

  tokenCheck(
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

  tokenCheck('of triggers claimed at once, one is sent', async ({ store, other }) => {
    const { grant } = await granted(store);
    const stores = [store, other, store, other, store, other, store, other];

    const claims = await Promise.all(
      stores.map((each) => each.renewals.claimTrigger(grant, () => 30_000)),
    );

    const outcomes = claims.map(({ outcome }) => outcome).toSorted();
    assert.deepEqual(outcomes, ['claimed', ...stores.slice(1).map(() => 'too_early')]);
  }),

  tokenCheck(
    'the pause before the next trigger depends on the number of earlier ones',
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

  tokenCheck(
    'a trigger cannot be claimed while an exchange runs, but can after its failure',
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

  tokenCheck(
    'a trigger cannot be claimed while the first exchange runs, but can after its failure',
    async ({ store, other }) => {
      const installation = await begin(store);
      const version = { installationId: installation.id, generation: 1, tokenVersion: 0 };
      await beginExchange(store, installation);

      assert.equal((await other.renewals.claimTrigger(version, () => 1)).outcome, 'too_early');
      await endExchange(store, installation, 'unknown');
      assert.equal((await other.renewals.claimTrigger(version, () => 1)).outcome, 'claimed');
    },
  ),

  tokenCheck('a trigger that is delayed waits longer, by whole milliseconds', async (context) => {
    const { store, shiftClock } = context;
    const { grant } = await granted(store);
    await store.renewals.claimTrigger(grant, () => 1_000.4);
    await store.renewals.delayTrigger(grant, 60_000.4);

    await shiftClock(30_000);
    assert.equal((await store.renewals.claimTrigger(grant, () => 1_000)).outcome, 'too_early');
    await shiftClock(30_001);
    assert.equal((await store.renewals.claimTrigger(grant, () => 1_000)).outcome, 'claimed');
  }),

  tokenCheck(
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

  tokenCheck(
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

  tokenCheck('refreshed tokens restart the triggers at once', async ({ store }) => {
    const { grant } = await granted(store);
    await store.renewals.claimTrigger(grant, () => 10 * minute);
    await store.transaction(({ grants }) => grants.commitRefresh(grant, tokens('b')));

    const version = { ...grant, tokenVersion: 2 };
    assertSame(await store.renewals.claimTrigger(version, () => 1_000), {
      outcome: 'claimed',
      sent: 0,
    });
  }),

  tokenCheck(
    'an installation that awaits an event is due every five seconds, until a trigger is claimed',
    async ({ store, other, shiftClock }) => {
      const { installation, grant } = await granted(store);
      assert.equal(await isDue(store, installation), false);
      await store.transaction(({ grants }) => grants.markAwaitingEvent(grant, 'invalid_grant', 1));
      assert.equal(await isDue(other, installation), true);
      assert.equal(await isDue(store, installation), false);
      await shiftClock(5_001);
      assert.equal(await isDue(other, installation), true);

      await store.renewals.claimTrigger(grant, () => 30_000);
      await shiftClock(25_000);
      assert.equal(await isDue(other, installation), false);
      await shiftClock(5_001);
      assert.equal(await isDue(other, installation), true);

      await uninstall(store, installation, 2);
      await shiftClock(5_001);
      assert.equal(await isDue(other, installation), false);
    },
  ),

  tokenCheck(
    'an installation with new tokens is not due any more',
    async ({ store, shiftClock }) => {
      const marked = await Promise.all([granted(store), granted(store)]);
      for (const { grant } of marked) {
        await store.transaction(({ grants }) =>
          grants.markAwaitingEvent(grant, 'invalid_grant', 1),
        );
      }
      const [byEvent, byRefresh] = marked.map(({ installation }) => installation);
      assert.ok(byEvent && byRefresh);

      await replace(store, byEvent, 'b', 2);
      const refreshed = marked[1]?.grant;
      assert.ok(refreshed);
      await store.transaction(({ grants }) => grants.commitRefresh(refreshed, tokens('b')));

      await shiftClock(5_001);
      assert.equal(await isDue(store, byEvent), false);
      await shiftClock(5_001);
      assert.equal(await isDue(store, byRefresh), false);
    },
  ),

  tokenCheck('of processes that ask at once, each gets other installations', async (context) => {
    const { store, other } = context;
    const ids = new Set<string>();
    for (let count = 0; count < 6; count += 1) {
      const { installation, grant } = await granted(store);
      await store.transaction(({ grants }) => grants.markAwaitingEvent(grant, 'x', 1));
      ids.add(installation.id);
    }

    const stores = [store, other, store, other];
    const pages = await Promise.all(stores.map((each) => each.renewals.claimDue(10_000)));

    const claimed = pages.flat().filter(({ installationId }) => ids.has(installationId));
    assert.equal(claimed.length, ids.size);
  }),

  tokenCheck(
    'an installation with an abandoned exchange is due when the exchange has certainly ended',
    async ({ store, shiftClock }) => {
      const { installation } = await granted(store);
      await beginExchange(store, installation);
      assert.equal(await isDue(store, installation), false);

      await shiftClock(35_000);
      assert.equal(await isDue(store, installation), false);
      await shiftClock(15_000);
      assert.equal(await isDue(store, installation), true);

      await endExchange(store, installation, 'over');
      await shiftClock(5_001);
      assert.equal(await isDue(store, installation), false);
    },
  ),

  tokenCheck('no more installations are due than the limit', async ({ store }) => {
    for (let count = 0; count < 3; count += 1) {
      const { grant } = await granted(store);
      await store.transaction(({ grants }) => grants.markAwaitingEvent(grant, 'x', 1));
    }

    assert.equal((await store.renewals.claimDue(2)).length, 2);
  }),
];
