import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  access,
  assertOutcome,
  begin,
  type CheckedTokenStore,
  canary,
  check,
  granted,
  newKey,
  replace,
  request,
  tokenCheck,
  tokens,
  uninstall,
} from './check.ts';

const failure = new Error('after the write');

export const tokenTransactionChecks = [
  tokenCheck('a failed transaction changes nothing', async ({ store, other }) => {
    const key = newKey();

    const failed = store.transaction(async ({ installations, grants }) => {
      const begun = await installations.begin(key, 1, 1);
      await grants.replace(begun, access, tokens('half'), { iat: 2, newestIat: 7 });
      throw failure;
    });

    await assert.rejects(failed, failure);
    assert.equal(await store.installations.find(key), undefined);
    assert.equal(await other.installations.find(key), undefined);
  }),

  tokenCheck('simultaneous transactions have separate failures', async ({ store, other }) => {
    const keys = Array.from({ length: 40 }, newKey);

    const outcomes = await Promise.allSettled(
      keys.map((key, index) =>
        store.transaction(async ({ installations }) => {
          await installations.begin(key, 1, 1);
          if (index % 10 === 3) throw failure;
        }),
      ),
    );

    for (const [index, key] of keys.entries()) {
      const hasFailed = index % 10 === 3;
      assert.equal(outcomes[index]?.status, hasFailed ? 'rejected' : 'fulfilled');
      assert.equal((await other.installations.find(key)) === undefined, hasFailed);
    }
  }),

  tokenCheck('a transaction is not visible before it ends', async ({ store, other }) => {
    const { installation } = await granted(store);
    const written = Promise.withResolvers<void>();
    const seen = Promise.withResolvers<void>();

    const running = store.transaction(async ({ grants }) => {
      await grants.replace(installation, access, tokens('quarter'), { iat: 2, newestIat: 7 });
      written.resolve();
      await seen.promise;
      await grants.replace(installation, access, tokens('half'), { iat: 3, newestIat: 8 });
    });
    await written.promise;
    const before = await other.grants.load(installation.id);
    seen.resolve();
    await running;
    const after = await other.grants.load(installation.id);

    assert.equal(before?.accessToken.reveal(), `${canary}-access-a`);
    assert.equal(after?.accessToken.reveal(), `${canary}-access-half`);
  }),

  tokenCheck(
    'a statement outside does not become part of an open transaction',
    async ({ store }) => {
      const { installation } = await granted(store);
      const written = Promise.withResolvers<void>();

      const running = store.transaction(async ({ grants }) => {
        await grants.replace(installation, access, tokens('inside'), { iat: 2, newestIat: 7 });
        written.resolve();
        for (let turn = 0; turn < 20; turn += 1) await nextTurn();
        throw failure;
      });
      const failed = assert.rejects(running, failure);
      await written.promise;
      const order = { iat: 2, newestIat: 7 };
      await store.grants.replace(installation, access, tokens('outside'), order);
      await failed;

      const grant = await store.grants.load(installation.id);
      assert.equal(grant?.accessToken.reveal(), `${canary}-access-outside`);
      assert.equal(grant?.tokenVersion, 2);
    },
  ),

  tokenCheck(
    'a transaction that waited for another one sees the tokens that it stored',
    async ({ store, other }) => {
      const key = newKey();
      const installation = await begin(store, key);
      let seen: Promise<(string | null | undefined)[]> | undefined;

      await store.transaction(async ({ installations, grants }) => {
        await installations.get(installation.id);
        seen = other.transaction(async (second) => [
          (await second.installations.find(key))?.baseUrl,
          (await second.installations.get(installation.id))?.baseUrl,
        ]);
        seen.catch(() => {});
        // Long enough for the other process to have read the state.
        for (let count = 0; count < 50; count += 1) await installations.get(installation.id);
        const order = { iat: 2, newestIat: 7 };
        await grants.replace(installation, access, tokens('of the first'), order);
      });

      assert.deepEqual(await seen, [access.baseUrl, access.baseUrl]);
    },
  ),

  tokenCheck(
    'tokens that wait for the end of an uninstall begin the next life, because their code is spent',
    async ({ store, other }) => {
      const key = newKey();
      const installation = await begin(store, key);
      let outcome: Promise<string> | undefined;

      await store.transaction(async ({ installations }) => {
        await installations.uninstall(key, 5);
        outcome = replace(other, installation, 'of a later event', 10);
        outcome.catch(() => {});
        // Long enough for the other to have looked.
        for (let count = 0; count < 50; count += 1) await installations.get(installation.id);
      });

      assert.equal(await outcome, 'stored');
      assert.equal((await store.installations.get(installation.id))?.status, 'active');
    },
  ),

  tokenCheck('another store sees a commit at once', async ({ store, other }) => {
    for (let count = 1; count <= 20; count += 1) {
      const { id } = await begin(store);
      assert.equal((await other.installations.get(id))?.id, id);
    }
  }),

  tokenCheck(
    'no change of simultaneous writers of one installation is lost',
    async ({ store, other }) => {
      const { installation } = await granted(store);
      const stores = [store, other];

      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          replace(stores[index % 2] ?? store, installation, String(index), 2),
        ),
      );

      assert.equal((await store.grants.findVersion(installation.id))?.tokenVersion, 21);
    },
  ),

  tokenCheck('a change is announced only after its commit', async ({ store }) => {
    const installation = await begin(store);
    const heard = listen(store, installation.id);

    await store.transaction(async ({ grants }) => {
      await grants.replace(installation, access, tokens('a'), { iat: 2, newestIat: 7 });
      for (let turn = 0; turn < 5; turn += 1) await nextTurn();
      assert.equal(heard.count(), 0);
    });
    assert.equal(heard.count(), 1);

    await store.operators.pause(installation.id, { by: 'night.desk', reason: 'stop' });
    assert.equal(heard.count(), 2);

    const failed = store.transaction(async ({ operators }) => {
      await operators.resume(installation.id);
      throw failure;
    });
    await assert.rejects(failed, failure);
    assert.equal(heard.count(), 2);

    heard.stop();
    await uninstall(store, installation, 9);
    assert.equal(heard.count(), 2);
  }),

  tokenCheck(
    'a change by another store is announced, also one outside of a transaction',
    async (context) => {
      const { store, other } = context;
      const { installation, grant } = await granted(store);
      const heard = listen(store, installation.id);
      const ofTokens = listen(store, installation.id, true);

      const leased = await other.renewals.acquire(grant, request());
      const { lease } = assertOutcome(leased, 'acquired');
      const failed = { mayBeSpent: false, mayArrive: false, retryInMs: 0 };
      await other.renewals.release(lease, failed);
      await heard.reach(1);
      assert.equal(ofTokens.count(), 0);

      await other.transaction(({ grants }) => grants.commitRefresh(grant, tokens('b')));
      await ofTokens.reach(1);
      await uninstall(other, installation, 2);
      await ofTokens.reach(2);

      heard.stop();
      ofTokens.stop();
    },
  ),

  tokenCheck(
    'a failed transaction of another store is not announced, and the next one is',
    async (context) => {
      const { store, other } = context;
      const [installation, next] = [await begin(store), await begin(store)];
      const [heard, heardNext] = [listen(store, installation.id), listen(store, next.id)];

      const failed = other.transaction(async ({ grants }) => {
        await grants.replace(installation, access, tokens('a'), { iat: 2, newestIat: 7 });
        throw failure;
      });
      await assert.rejects(failed, failure);
      await replace(other, next, 'a', 2);
      await heardNext.reach(1);

      assert.equal(heard.count(), 0);
      heard.stop();
      heardNext.stop();
    },
  ),
];

export const transactionChecks = [
  check(
    'transactions that decide about one installation run one after the other',
    async ({ store, other }) => {
      const key = await begin(store);
      const decided = await Promise.all(
        [store, other, store, other, store, other].map((each) =>
          each.transaction(async ({ installations, inbox }) => {
            const installation = await installations.find(key);
            assert.ok(installation);
            const inboxKey = { installationId: installation.id, digest: 'one' };
            if (await inbox.findVerdict(inboxKey)) return false;
            await nextTurn();
            assert.equal(await inbox.decide(inboxKey, { status: 201, reason: null }, 1), true);
            return true;
          }),
        ),
      );

      assert.equal(decided.filter(Boolean).length, 1);
    },
  ),

  check(
    'a transaction that reads an installation to decide waits for an earlier one',
    async ({ store, other }) => {
      const { id } = await begin(store);
      const looked = Promise.withResolvers<void>();
      let waiting: Promise<void> | undefined;
      let isFirstDone = false;

      await store.transaction(async ({ installations }) => {
        await installations.get(id);
        waiting = other.transaction(async (second) => {
          looked.resolve();
          await second.installations.get(id);
          assert.equal(isFirstDone, true);
        });
        // Long enough for the other process to read the state, if it could.
        for (let count = 0; count < 50; count += 1) await installations.get(id);
        isFirstDone = true;
      });

      await looked.promise;
      await waiting;
    },
  ),
];

/** @param onlyTokens counts only changes of tokens or lives. */
function listen(store: CheckedTokenStore, installationId: string, onlyTokens = false) {
  let count = 0;
  let wake = () => {};
  const stop = store.onChange((id, ofTokens) => {
    if (id !== installationId || (onlyTokens && !ofTokens)) return;
    count += 1;
    wake();
  });
  return {
    count: () => count,
    stop,
    /** Resolves when this many changes were announced. */
    async reach(expected: number): Promise<void> {
      while (count < expected) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
