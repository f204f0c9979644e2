import assert from 'node:assert/strict';
import {
  access,
  assertOutcome,
  begin,
  canary,
  granted,
  loadGrant,
  minute,
  replace,
  request,
  tokenCheck,
  tokens,
  uninstall,
} from './check.ts';

const hour = 60 * minute;
const unspent = { mayBeSpent: false, mayArrive: false };
const unanswered = { mayBeSpent: true, mayArrive: true };

export const leaseChecks = [
  tokenCheck(
    'only one of several leases requested at once is granted',
    async ({ store, other }) => {
      const { grant } = await granted(store);
      const stores = [store, other, store, other, store, other, store, other];

      const results = await Promise.all(
        stores.map((each, index) =>
          each.renewals.acquire(grant, request({ owner: `owner-${index}` })),
        ),
      );

      const held = results.filter(({ outcome }) => outcome === 'held');
      assert.equal(held.length, stores.length - 1);
      const winner = results.findIndex(({ outcome }) => outcome === 'acquired');
      const { lease } = assertOutcome(results[winner] ?? { outcome: 'gone' }, 'acquired');
      assert.equal(lease.owner, `owner-${winner}`);
    },
  ),

  tokenCheck('a lease comes with the grant and the tenant', async ({ store }) => {
    const { installation, grant } = await granted(store);

    const acquired = assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');

    assert.equal(acquired.tenantId, installation.tenantId);
    assert.equal(acquired.grant.refreshToken?.reveal(), `${canary}-refresh-a`);
    assert.equal(acquired.grant.tokenVersion, grant.tokenVersion);
    const { installationId, generation, tokenVersion, owner, sequence, failures } = acquired.lease;
    assert.deepEqual(
      { installationId, generation, tokenVersion, owner, failures },
      {
        installationId: installation.id,
        generation: 1,
        tokenVersion: 1,
        owner: 'one',
        failures: 0,
      },
    );
    assert.ok(sequence > 0);
  }),

  tokenCheck('a lease is held for its time and no longer', async ({ store, other, shiftClock }) => {
    const { grant } = await granted(store);
    await store.renewals.acquire(grant, request({ leaseMs: 15_000 }));

    const held = assertOutcome(
      await other.renewals.acquire(grant, request({ owner: 'two' })),
      'held',
    );
    assert.ok(held.retryInMs > 10_000 && held.retryInMs <= 15_000, `${held.retryInMs} ms`);

    await shiftClock(15_001);
    assertOutcome(await other.renewals.acquire(grant, request({ owner: 'two' })), 'acquired');
  }),

  tokenCheck(
    'a lease from before the clock was set back ends',
    async ({ store, other, shiftClock }) => {
      const { grant } = await granted(store);
      await store.renewals.acquire(grant, request());

      await shiftClock(-hour);

      const presentedOnce = request({ owner: 'two', maxPresentations: 1 });
      assertOutcome(await other.renewals.acquire(grant, presentedOnce), 'spent');
      assertOutcome(await other.renewals.acquire(grant, request({ owner: 'two' })), 'acquired');
      await shiftClock(hour);
    },
  ),

  tokenCheck(
    'a refresh that failed is tried again when its pause is over',
    async ({ store, other, shiftClock }) => {
      const { grant } = await granted(store);
      const { lease } = assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
      await store.renewals.release(lease, { ...unspent, retryInMs: 5_000 });

      const paused = assertOutcome(await other.renewals.acquire(grant, request()), 'backing_off');
      assert.equal(paused.failures, 1);
      assert.ok(paused.retryInMs > 0 && paused.retryInMs <= 5_000, `${paused.retryInMs} ms`);

      await shiftClock(5_001);
      const again = assertOutcome(await other.renewals.acquire(grant, request()), 'acquired');
      assert.equal(again.lease.failures, 1);
      assert.ok(again.lease.sequence > lease.sequence);
    },
  ),

  tokenCheck(
    'only the owner of the newest lease can return it',
    async ({ store, other, shiftClock }) => {
      const { grant } = await granted(store);
      const { lease: lapsed } = assertOutcome(
        await store.renewals.acquire(grant, request()),
        'acquired',
      );
      await shiftClock(minute);
      const { lease } = assertOutcome(await other.renewals.acquire(grant, request()), 'acquired');

      const failure = { ...unspent, retryInMs: 0 };
      await store.renewals.release(lapsed, failure);
      await store.renewals.release({ ...lease, owner: 'stranger' }, failure);
      assertOutcome(await store.renewals.acquire(grant, request()), 'held');

      await other.renewals.release(lease, failure);
      assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
    },
  ),

  tokenCheck(
    'a lease that was not used is extended, also after its end, and counts once',
    async ({ store, other, shiftClock }) => {
      const { grant } = await granted(store);
      const limits = request({ leaseMs: 15_000, maxPresentations: 1 });
      const { lease } = assertOutcome(await store.renewals.acquire(grant, limits), 'acquired');
      for (const _ of [1, 2]) {
        await shiftClock(16_000);
        assert.equal(await store.renewals.extend(lease, limits), true);
      }

      const held = await other.renewals.acquire(grant, request({ owner: 'two' }));
      const { retryInMs } = assertOutcome(held, 'held');
      assert.ok(retryInMs > 10_000 && retryInMs <= 15_000, `${retryInMs} ms`);
      await store.renewals.release(lease, { ...unspent, retryInMs: 0 });
      await shiftClock(minute);
      assertOutcome(await other.renewals.acquire(grant, limits), 'acquired');
    },
  ),

  ...['two', 'one'].map((owner) =>
    tokenCheck(
      `a lease is not extended when ${owner} has taken the next one, and only that one counts`,
      async ({ store, other, shiftClock }) => {
        const { grant } = await granted(store);
        const limits = request({ maxPresentations: 2 });
        const { lease } = assertOutcome(await store.renewals.acquire(grant, limits), 'acquired');
        await shiftClock(minute);
        const next = { ...limits, owner };
        const second = assertOutcome(await other.renewals.acquire(grant, next), 'acquired');
        assert.equal(second.lease.unanswered, 1);

        assert.equal(await store.renewals.extend(lease, limits), false);

        assertOutcome(await store.renewals.acquire(grant, limits), 'held');
        await other.renewals.release(second.lease, { ...unanswered, retryInMs: 0 });
        await shiftClock(minute);
        const third = assertOutcome(await store.renewals.acquire(grant, limits), 'acquired');
        assert.equal(third.lease.unanswered, 1);
      },
    ),
  ),

  tokenCheck(
    'a lease is not extended during an exchange, and counts as not taken',
    async ({ store, shiftClock }) => {
      const { installation, grant } = await granted(store);
      const limits = request({ leaseMs: 15_000, maxPresentations: 1 });
      const { lease } = assertOutcome(await store.renewals.acquire(grant, limits), 'acquired');
      const intent = { iat: 3, codeDigest: 'digest', baseUrl: access.baseUrl, trigger: null };
      await store.transaction(({ renewals }) =>
        renewals.beginExchange(installation, intent, 15_000),
      );

      assert.equal(await store.renewals.extend(lease, limits), false);

      await shiftClock(minute);
      assertOutcome(await store.renewals.acquire(grant, limits), 'acquired');
    },
  ),

  tokenCheck('a lease of a version that was replaced is not extended', async ({ store }) => {
    const { installation, grant } = await granted(store);
    const { lease } = assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
    await replace(store, installation, 'b', 2);

    assert.equal(await store.renewals.extend(lease, request()), false);

    const version = { ...grant, tokenVersion: 2 };
    const next = assertOutcome(await store.renewals.acquire(version, request()), 'acquired');
    assert.equal(next.lease.unanswered, 0);
  }),

  tokenCheck(
    'the lease of an attempt is taken back once, and as if it had not been asked for',
    async ({ store, other }) => {
      const { grant } = await granted(store);
      const limits = request({ owner: 'attempt', maxPresentations: 1, burst: 1 });
      for (let count = 0; count < 3; count += 1) {
        const { lease } = assertOutcome(await store.renewals.acquire(grant, limits), 'acquired');
        assert.equal(lease.unanswered, 0);
        assert.equal(await other.renewals.takeBack(grant, limits), true);
        assert.equal(await store.renewals.takeBack(grant, limits), false);
      }
      const next = assertOutcome(await other.renewals.acquire(grant, limits), 'acquired');
      assert.equal(next.lease.failures, 0);
    },
  ),

  tokenCheck(
    'the lease of another attempt is not taken back',
    async ({ store, other, shiftClock }) => {
      const { grant } = await granted(store);
      const lapsed = request({ owner: 'lapsed' });
      assertOutcome(await store.renewals.acquire(grant, lapsed), 'acquired');
      await shiftClock(minute);
      assertOutcome(await other.renewals.acquire(grant, request({ owner: 'next' })), 'acquired');

      assert.equal(await store.renewals.takeBack(grant, lapsed), false);

      assertOutcome(await store.renewals.acquire(grant, request()), 'held');
    },
  ),

  tokenCheck('the lease of a version that was replaced is not taken back', async ({ store }) => {
    const { installation, grant } = await granted(store);
    assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
    await replace(store, installation, 'b', 2);
    const version = { ...grant, tokenVersion: 2 };
    assertOutcome(await store.renewals.acquire(version, request()), 'acquired');

    assert.equal(await store.renewals.takeBack(grant, request()), false);

    assertOutcome(await store.renewals.acquire(version, request({ owner: 'two' })), 'held');
  }),

  tokenCheck(
    'a refresh token is spent once it was presented too often without an answer',
    async ({ store, shiftClock }) => {
      const { grant } = await granted(store);
      for (let count = 0; count < 2; count += 1) {
        const limits = request({ maxPresentations: 2 });
        const { lease } = assertOutcome(await store.renewals.acquire(grant, limits), 'acquired');
        await store.renewals.release(lease, { ...unanswered, retryInMs: 0 });
        await shiftClock(minute);
      }

      const limits = request({ maxPresentations: 2 });
      const spent = assertOutcome(await store.renewals.acquire(grant, limits), 'spent');
      assert.equal(spent.hasRefreshToken, true);
    },
  ),

  tokenCheck(
    'a refresh token that was certainly not used may be presented again',
    async ({ store, shiftClock }) => {
      const { grant } = await granted(store);
      for (let count = 0; count < 4; count += 1) {
        const limits = request({ maxPresentations: 1 });
        const { lease } = assertOutcome(await store.renewals.acquire(grant, limits), 'acquired');
        await store.renewals.release(lease, { ...unspent, retryInMs: 0 });
        await shiftClock(minute);
      }
    },
  ),

  tokenCheck('a fraction of a millisecond changes nothing', async ({ store, shiftClock }) => {
    const installation = await begin(store);
    const times = { issuedAt: 1_000.4, expiresAt: 61_000.4 };
    await store.transaction(({ grants }) =>
      grants.replace(installation, access, { ...tokens('a'), ...times }, { iat: 1, newestIat: 6 }),
    );
    const grant = await loadGrant(store, installation.id);
    assert.ok(Math.abs((grant.expiresAt ?? 0) - 61_000) < 1);

    const limits = request({ leaseMs: 15_000.4, intervalMs: 10_000.4 });
    const { lease } = assertOutcome(await store.renewals.acquire(grant, limits), 'acquired');
    await store.renewals.release(lease, { ...unspent, retryInMs: 5_000.4 });
    assertOutcome(await store.renewals.acquire(grant, limits), 'backing_off');

    await shiftClock(5_002);
    assertOutcome(await store.renewals.acquire(grant, limits), 'acquired');
  }),

  tokenCheck('a grant without a refresh token has nothing to lease', async ({ store }) => {
    const installation = await begin(store);
    await store.transaction(({ grants }) =>
      grants.replace(
        installation,
        access,
        { ...tokens('a'), refreshToken: null },
        { iat: 1, newestIat: 6 },
      ),
    );
    const version = { installationId: installation.id, generation: 1, tokenVersion: 1 };

    const spent = assertOutcome(await store.renewals.acquire(version, request()), 'spent');
    assert.equal(spent.hasRefreshToken, false);
  }),

  tokenCheck(
    'refreshes of one installation are limited, for all versions together',
    async ({ store, other, shiftClock }) => {
      const { installation, grant } = await granted(store);
      const limits = request({ burst: 2, intervalMs: 10_000 });
      let version = { ...grant };
      for (const each of [store, other]) {
        assertOutcome(await each.renewals.acquire(version, limits), 'acquired');
        await each.transaction(({ grants }) => grants.commitRefresh(version, tokens('b')));
        version = { ...version, tokenVersion: version.tokenVersion + 1 };
      }

      const limited = assertOutcome(await store.renewals.acquire(version, limits), 'rate_limited');
      assert.ok(limited.retryInMs > 0 && limited.retryInMs <= 10_000, `${limited.retryInMs} ms`);

      await shiftClock(10_001);
      assertOutcome(await store.renewals.acquire(version, limits), 'acquired');
      assert.equal((await store.grants.findVersion(installation.id))?.tokenVersion, 3);
    },
  ),

  tokenCheck(
    'a replaced version has moved, and a version that is not stored is gone',
    async ({ store }) => {
      const { installation, grant } = await granted(store);
      await replace(store, installation, 'b', 2);
      assertOutcome(await store.renewals.acquire(grant, request()), 'moved');

      await uninstall(store, installation, 3);
      assertOutcome(await store.renewals.acquire(grant, request()), 'gone');
    },
  ),

  tokenCheck('new tokens start without lease and failures', async ({ store }) => {
    const { installation, grant } = await granted(store);
    const { lease } = assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
    await store.renewals.release(lease, { ...unanswered, retryInMs: minute });
    await replace(store, installation, 'b', 2);

    const version = { ...grant, tokenVersion: 2 };
    const acquired = assertOutcome(await store.renewals.acquire(version, request()), 'acquired');
    assert.equal(acquired.lease.failures, 0);
  }),
];
