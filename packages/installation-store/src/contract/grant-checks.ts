import assert from 'node:assert/strict';
import {
  access,
  accessTokenOf,
  assertOutcome,
  assertSame,
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

export const grantChecks = [
  tokenCheck(
    'tokens of an event long before the applied one replace nothing',
    async ({ store }) => {
      const installation = await begin(store);
      await replace(store, installation, 'newer', 20);
      const current = await store.installations.get(installation.id);
      assert.ok(current);

      assert.equal(await replace(store, current, 'older', 14), 'superseded');
      assert.equal(await accessTokenOf(store, installation), `${canary}-access-newer`);
      assert.equal(await replace(store, current, 'of about that time', 15), 'stored');
    },
  ),

  tokenCheck('a grant comes back as it was stored', async ({ store, other }) => {
    const { installation, grant } = await granted(store);

    for (const each of [grant, await loadGrant(other, installation.id)]) {
      const { clientSecret, trigger, accessToken, refreshToken, ...rest } = each;
      assert.deepEqual(rest, {
        installationId: installation.id,
        isInDoubt: false,
        isPaused: false,
        generation: 1,
        tokenVersion: 1,
        issuer: installation.issuer,
        baseUrl: access.baseUrl,
        clientId: access.clientId,
        tokenEndpointUrl: access.tokenEndpointUrl,
        grantedScopes: ['plugin:notify', 'plugin:read'],
        issuedAt: 1_000,
        expiresAt: 61_000,
      });
      assert.equal(clientSecret.reveal(), `${canary}-client-secret`);
      assert.equal(trigger?.url, '/api/trigger');
      assert.equal(trigger?.body?.reveal(), `${canary}-trigger-body`);
      assert.equal(accessToken.reveal(), `${canary}-access-a`);
      assert.equal(refreshToken?.reveal(), `${canary}-refresh-a`);
    }
  }),

  tokenCheck('a point in time with a fraction becomes a whole one', async ({ store }) => {
    const installation = await begin(store);
    const set = { ...tokens('a'), issuedAt: 1_000.4, expiresAt: 61_000.6 };
    await store.transaction(({ grants }) =>
      grants.replace(installation, access, set, { iat: 1, newestIat: 1 }),
    );

    const { issuedAt, expiresAt } = await loadGrant(store, installation.id);
    assert.deepEqual([issuedAt, expiresAt], [1_000, 61_001]);
  }),

  tokenCheck('a grant may have no refresh token, expiry, scopes or trigger', async ({ store }) => {
    const installation = await begin(store);
    await store.transaction(({ grants }) =>
      grants.replace(
        installation,
        { ...access, trigger: null },
        { ...tokens('a'), refreshToken: null, expiresAt: null, grantedScopes: [] },
        { iat: 1, newestIat: 6 },
      ),
    );

    const grant = await loadGrant(store, installation.id);
    assert.equal(grant.refreshToken, null);
    assert.equal(grant.expiresAt, null);
    assert.equal(grant.trigger, null);
    assert.deepEqual(grant.grantedScopes, []);
  }),

  tokenCheck(
    'stored tokens make the installation active, and it has their version',
    async ({ store }) => {
      const { installation } = await granted(store);

      const stored = await store.installations.get(installation.id);
      assert.equal(stored?.status, 'active');
      assert.equal(stored?.appliedIat, 1);
      assert.equal(stored?.baseUrl, access.baseUrl);
    },
  ),

  tokenCheck('the version is known without decrypting', async ({ store }) => {
    const { installation } = await granted(store);

    assertSame(await store.grants.findVersion(installation.id), {
      installationId: installation.id,
      generation: 1,
      tokenVersion: 1,
      grantedScopes: ['plugin:notify', 'plugin:read'],
      isPaused: false,
    });
    assert.equal(await store.grants.findVersion((await begin(store)).id), undefined);
  }),

  tokenCheck('a token version is never used again, in any generation', async ({ store }) => {
    const { installation } = await granted(store);
    await uninstall(store, installation, 2);
    const next = await begin(store, installation, 3);
    await replace(store, next, 'b', 3);

    const grant = await loadGrant(store, next.id);
    assert.equal(grant.generation, 2);
    assert.equal(grant.tokenVersion, 2);
  }),

  tokenCheck('tokens of an older event do not replace those of a newer one', async ({ store }) => {
    const installation = await begin(store);
    await replace(store, installation, 'newer', 100);

    assert.equal(await replace(store, installation, 'older', 94), 'superseded');
    assert.equal(await accessTokenOf(store, installation), `${canary}-access-newer`);
    const current = (await store.installations.get(installation.id)) ?? installation;
    assert.equal(await replace(store, current, 'of the same time', 96), 'stored');
    assert.equal((await store.installations.get(installation.id))?.appliedIat, 100);
  }),

  tokenCheck(
    'tokens of an event do not replace those of one that was applied meanwhile, even if barely newer',
    async ({ store }) => {
      const before = await begin(store);
      await replace(store, before, 'newer', 100);

      assert.equal(await replace(store, before, 'older', 99), 'superseded');
      assert.equal(await replace(store, before, 'of the same second', 100), 'stored');
    },
  ),

  tokenCheck('tokens of an ended life are not stored', async ({ store }) => {
    const { installation } = await granted(store);
    await uninstall(store, installation, 2);

    for (const iat of [1, 2]) {
      assert.equal(await replace(store, installation, 'b', iat), 'ended');
    }
    await begin(store, installation, 4);
    for (const iat of [1, 2]) {
      assert.equal(await replace(store, installation, 'b', iat), 'ended');
    }
    assert.equal(await store.grants.load(installation.id), undefined);
  }),

  tokenCheck('a refresh stores the successor of the version it refreshed', async ({ store }) => {
    const { installation, grant } = await granted(store);

    const stored = await store.transaction(({ grants }) =>
      grants.commitRefresh(grant, tokens('b')),
    );

    assert.deepEqual(stored, { isInDoubt: false, isPaused: false });
    const next = await loadGrant(store, installation.id);
    assert.equal(next.tokenVersion, 2);
    assert.equal(next.accessToken.reveal(), `${canary}-access-b`);
    assert.equal(next.clientSecret.reveal(), `${canary}-client-secret`);
  }),

  tokenCheck('only one of several refreshes of a version is stored', async ({ store, other }) => {
    const { installation, grant } = await granted(store);
    const stores = [store, other, store, other, store, other];

    const stored = await Promise.all(
      stores.map((each, index) =>
        each.transaction(({ grants }) => grants.commitRefresh(grant, tokens(String(index)))),
      ),
    );

    assert.equal(stored.filter(Boolean).length, 1);
    const winner = stored.findIndex(Boolean);
    assert.equal(await accessTokenOf(store, installation), `${canary}-access-${winner}`);
    assert.equal((await store.grants.findVersion(installation.id))?.tokenVersion, 2);
  }),

  tokenCheck(
    'a refresh changes nothing if an event’s tokens were stored first',
    async ({ store }) => {
      const { installation, grant } = await granted(store);
      await replace(store, installation, 'event', 2);

      const stored = await store.transaction(({ grants }) =>
        grants.commitRefresh(grant, tokens('late')),
      );

      assert.equal(stored, undefined);
      assert.equal(await accessTokenOf(store, installation), `${canary}-access-event`);
    },
  ),

  tokenCheck('a refresh of an ended life changes nothing', async ({ store }) => {
    const { installation, grant } = await granted(store);
    await uninstall(store, installation, 2);
    const commit = () =>
      store.transaction(({ grants }) => grants.commitRefresh(grant, tokens('late')));
    assert.equal(await commit(), undefined);

    await begin(store, installation, 3);
    assert.equal(await commit(), undefined);
    assert.equal(await store.grants.load(installation.id), undefined);
  }),

  tokenCheck(
    'a refresh is stored even if another process has the lease by then',
    async ({ store, other, shiftClock }) => {
      const { installation, grant } = await granted(store);
      await store.renewals.acquire(grant, request({ owner: 'late' }));
      await shiftClock(minute);
      await other.renewals.acquire(grant, request({ owner: 'other' }));

      const stored = await store.transaction(({ grants }) =>
        grants.commitRefresh(grant, tokens('late')),
      );

      assert.deepEqual(stored, { isInDoubt: true, isPaused: false });
      assert.equal(await accessTokenOf(other, installation), `${canary}-access-late`);
    },
  ),

  tokenCheck('a dead grant loses its refresh token and counts as expired', async ({ store }) => {
    const { installation, grant } = await granted(store);

    const reason = await store.transaction(({ grants }) =>
      grants.markAwaitingEvent(grant, 'invalid_grant', 5_000),
    );

    assert.equal(reason, 'invalid_grant');
    assert.equal((await store.installations.get(installation.id))?.status, 'awaiting_event');
    const dead = await loadGrant(store, installation.id);
    assert.equal(dead.refreshToken, null);
    assert.equal(dead.expiresAt, 5_000);
    const { outcome } = await store.renewals.acquire(grant, request());
    assert.equal(outcome, 'spent');
  }),

  tokenCheck(
    'a grant that one process cannot read keeps its tokens, and the lease of another',
    async ({ store, other }) => {
      const { installation, grant } = await granted(store);
      assertOutcome(await other.renewals.acquire(grant, request()), 'acquired');

      const reason = await store.transaction(({ grants }) =>
        grants.markAwaitingEvent(grant, 'secret_integrity', 5_000),
      );

      assert.equal(reason, 'secret_integrity');
      assert.equal((await store.installations.get(installation.id))?.status, 'awaiting_event');
      const kept = await loadGrant(store, installation.id);
      assert.equal(kept.refreshToken?.reveal(), `${canary}-refresh-a`);
      assert.equal(kept.expiresAt, 61_000);
      assertOutcome(await store.renewals.acquire(grant, request()), 'held');
    },
  ),

  tokenCheck(
    'a dead grant keeps its first reason, and is not written or announced again',
    async ({ store, other }) => {
      const { installation, grant } = await granted(store);
      const mark = (reason: string, at: number) =>
        store.transaction(({ grants }) => grants.markAwaitingEvent(grant, reason, at));
      await mark('invalid_grant', 5_000);
      let announced = 0;
      // The changes of other installations of this database may be announced late.
      const stop = store.onChange((id) => {
        if (id === installation.id) announced += 1;
      });

      assert.equal(await mark('no_refresh_token', 6_000), 'invalid_grant');

      stop();
      assert.equal(announced, 0);
      assert.equal((await loadGrant(other, installation.id)).expiresAt, 5_000);
    },
  ),

  tokenCheck(
    'a grant that one process cannot read is dead when another process finds it dead',
    async ({ store, other }) => {
      const { installation, grant } = await granted(store);
      await store.grants.markAwaitingEvent(grant, 'secret_integrity', 5_000);

      await other.grants.markAwaitingEvent(grant, 'invalid_grant', 6_000);

      const { refreshToken, expiresAt } = await loadGrant(store, installation.id);
      assert.deepEqual({ refreshToken, expiresAt }, { refreshToken: null, expiresAt: 6_000 });
    },
  ),

  tokenCheck('a grant that was replaced is not marked as dead', async ({ store }) => {
    const { installation, grant } = await granted(store);
    await replace(store, installation, 'b', 2);
    const mark = () =>
      store.transaction(({ grants }) => grants.markAwaitingEvent(grant, 'invalid_grant', 5_000));

    assert.equal(await mark(), undefined);
    assert.equal((await store.installations.get(installation.id))?.status, 'active');
    assert.ok((await loadGrant(store, installation.id)).refreshToken);

    await uninstall(store, installation, 3);
    assert.equal(await mark(), undefined);
    assert.equal((await store.installations.get(installation.id))?.status, 'uninstalled');
  }),
];
