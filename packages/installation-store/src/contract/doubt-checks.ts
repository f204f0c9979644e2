/** Every process knows which tokens a late request may still revoke (docs/decisions/0019). */
import assert from 'node:assert/strict';
import type { Grant, InstallationLife, RequestFailure, TokenStore } from '@dowel/token-client';
import {
  access,
  assertOutcome,
  begin,
  granted,
  loadGrant,
  minute,
  replace,
  request,
  tokenCheck,
  tokens,
  uninstall,
} from './check.ts';

async function present(store: TokenStore, grant: Grant, failure: RequestFailure): Promise<void> {
  const { lease } = assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
  await store.renewals.release(lease, { ...failure, retryInMs: 0 });
}

/** Refreshes the newest tokens. Returns whether they are in doubt for this process and for another one. */
async function refresh(store: TokenStore, other: TokenStore, { id }: InstallationLife) {
  const grant = await loadGrant(store, id);
  const { lease } = assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
  const stored = await store.transaction(({ grants }) => grants.commitRefresh(grant, tokens('b')));
  const { isInDoubt } = await loadGrant(other, id);
  return { unanswered: lease.unanswered, stored: stored?.isInDoubt, loaded: isInDoubt };
}

function beginExchange(
  store: TokenStore,
  installation: InstallationLife,
  codeDigest: string,
  iat = 10,
) {
  const { baseUrl, trigger } = access;
  return store.transaction(({ renewals }) =>
    renewals.beginExchange(installation, { iat, codeDigest, baseUrl, trigger }, 20_000),
  );
}

const endExchange = (store: TokenStore, { id }: InstallationLife, ending: 'unspent' | 'deferred') =>
  store.transaction(({ renewals }) => renewals.endExchange(id, 'code', ending));

const unsent = { mayBeSpent: false, mayArrive: false };
const unanswered = { mayBeSpent: true, mayArrive: true };
const deferred = { mayBeSpent: false, mayArrive: true };

const sure = { unanswered: 0, stored: false, loaded: false };
const inDoubt = { unanswered: 1, stored: true, loaded: true };

export const doubtChecks = [
  tokenCheck(
    'tokens are not in doubt if their refresh token was presented once',
    async (context) => {
      const { store, other } = context;
      const { installation, grant } = await granted(store);
      assert.equal(grant.isInDoubt, false);

      assert.deepEqual(await refresh(store, other, installation), sure);
    },
  ),

  tokenCheck(
    'tokens that follow an unanswered presentation are in doubt',
    async ({ store, other }) => {
      const { installation, grant } = await granted(store);
      await present(other, grant, unanswered);

      assert.deepEqual(await refresh(store, other, installation), inDoubt);
    },
  ),

  tokenCheck('tokens that follow a killed process are in doubt', async (context) => {
    const { store, other, shiftClock } = context;
    const { installation, grant } = await granted(store);
    assertOutcome(await other.renewals.acquire(grant, request({ owner: 'dead' })), 'acquired');
    await shiftClock(minute);

    assert.deepEqual(await refresh(store, other, installation), inDoubt);
  }),

  tokenCheck(
    'tokens that follow a gateway’s answer are in doubt, and it counts as no presentation',
    async (context) => {
      const { store, other } = context;
      const { installation, grant } = await granted(store);
      await present(store, grant, deferred);

      const once = request({ maxPresentations: 1 });
      const { lease } = assertOutcome(await store.renewals.acquire(grant, once), 'acquired');
      await store.renewals.release(lease, { ...unsent, retryInMs: 0 });
      assert.deepEqual(await refresh(store, other, installation), inDoubt);
    },
  ),

  tokenCheck('a presentation that was not sent causes no doubt', async ({ store, other }) => {
    const { installation, grant } = await granted(store);
    await present(store, grant, unsent);

    assert.deepEqual(await refresh(store, other, installation), sure);
  }),

  tokenCheck('the next refresh ends the doubt', async ({ store, other, shiftClock }) => {
    const { installation, grant } = await granted(store);
    await present(store, grant, unanswered);
    await refresh(store, other, installation);
    await shiftClock(minute);

    assert.deepEqual(await refresh(store, other, installation), sure);
  }),

  tokenCheck('an event’s tokens are in doubt if its exchange reports it', async ({ store }) => {
    const installation = await begin(store);
    for (const isInDoubt of [true, false]) {
      await store.transaction(({ grants }) =>
        grants.replace(
          installation,
          access,
          { ...tokens('a'), isInDoubt },
          { iat: 1, newestIat: 6 },
        ),
      );
      assert.equal((await loadGrant(store, installation.id)).isInDoubt, isInDoubt);
    }
  }),

  tokenCheck('an event’s tokens are in doubt while another code is exchanged', async (context) => {
    const { store, other } = context;
    const { installation } = await granted(store);
    await beginExchange(store, installation, 'code');
    await beginExchange(other, installation, 'another code');
    await replace(store, installation, 'b', 2);

    assert.equal((await loadGrant(store, installation.id)).isInDoubt, true);
  }),

  tokenCheck(
    'the first tokens are in doubt when two codes were exchanged at once, in either order of storing',
    async ({ store, other }) => {
      for (const order of [
        ['code', 'another code'],
        ['another code', 'code'],
      ]) {
        const installation = await begin(store);
        await beginExchange(store, installation, 'code');
        await beginExchange(other, installation, 'another code');
        for (const [index, code] of order.entries()) {
          await store.transaction(async ({ grants, renewals }) => {
            const position = { iat: 10 + index, newestIat: 15 + index };
            await grants.replace(installation, access, tokens(code), position);
            await renewals.endExchange(installation.id, code, 'over');
          });
          assert.equal((await loadGrant(other, installation.id)).isInDoubt, true, code);
        }
        const grant = await loadGrant(store, installation.id);
        assertOutcome(await store.renewals.acquire(grant, request()), 'held');
      }
    },
  ),

  tokenCheck(
    'the first tokens of a code that was exchanged alone are not in doubt',
    async ({ store }) => {
      const installation = await begin(store);
      await beginExchange(store, installation, 'another code', 5);
      await store.transaction(({ renewals }) =>
        renewals.endExchange(installation.id, 'another code', 'unspent'),
      );
      await beginExchange(store, installation, 'code');
      await replace(store, installation, 'a', 10);

      const grant = await loadGrant(store, installation.id);
      assert.equal(grant.isInDoubt, false);
      assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
    },
  ),

  tokenCheck('an event’s tokens are in doubt after two unanswered refreshes', async ({ store }) => {
    const { installation, grant } = await granted(store);
    await present(store, grant, unanswered);
    await replace(store, installation, 'b', 2);
    assert.equal((await loadGrant(store, installation.id)).isInDoubt, false);

    const next = await loadGrant(store, installation.id);
    await present(store, next, unanswered);
    await present(store, next, unanswered);
    await replace(store, installation, 'c', 3);
    assert.equal((await loadGrant(store, installation.id)).isInDoubt, true);
  }),

  tokenCheck('an exchange knows which codes may still arrive', async ({ store, other }) => {
    const { installation } = await granted(store);
    assert.deepEqual(await beginExchange(store, installation, 'code'), {
      presented: 1,
      unanswered: 0,
    });
    await endExchange(store, installation, 'unspent');
    assert.deepEqual(await beginExchange(store, installation, 'code'), {
      presented: 1,
      unanswered: 0,
    });
    await endExchange(store, installation, 'deferred');
    assert.deepEqual(await beginExchange(other, installation, 'code'), {
      presented: 1,
      unanswered: 1,
    });
    assert.deepEqual(await beginExchange(other, installation, 'another code'), {
      presented: 1,
      unanswered: 2,
    });

    await uninstall(store, installation, 11);
    const next = await begin(store, installation, 12);
    assert.deepEqual(await beginExchange(store, next, 'code', 13), { presented: 1, unanswered: 0 });
  }),
];
