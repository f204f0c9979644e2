/** Lives that an uninstall and late events dispute: which tokens begin, enter or end them. */
import assert from 'node:assert/strict';
import { begin, check, granted, newKey, replace, tokenCheck, tokens, uninstall } from './check.ts';

export const tokenLifeChecks = [
  tokenCheck(
    'a late uninstall removes older tokens, and their refresh, from the life that continues',
    async ({ store }) => {
      const { installation, grant } = await granted(store);
      await begin(store, installation, 30);

      const late = await uninstall(store, installation, 20);

      assert.deepEqual([late.status, late.appliedIat, late.generation], ['pending', null, 1]);
      assert.equal(await store.grants.load(installation.id), undefined);
      const refreshed = await store.transaction(({ grants }) =>
        grants.commitRefresh(grant, tokens('refreshed')),
      );
      assert.ok(!refreshed);
      assert.equal(await replace(store, late, 'of before', 19), 'ended');
      assert.equal(await replace(store, late, 'next', 31), 'stored');
    },
  ),

  tokenCheck(
    'tokens of an event long after the uninstall prove a life that continues',
    async ({ store }) => {
      const { installation } = await granted(store);
      await replace(store, installation, 'b', 26);

      assert.equal((await uninstall(store, installation, 20)).status, 'active');
      assert.equal((await uninstall(store, installation, 25)).status, 'active');
      assert.equal((await uninstall(store, installation, 26)).status, 'uninstalled');
    },
  ),

  tokenCheck(
    'a code that was signed after an uninstall is exchanged for the next life',
    async (context) => {
      const { store } = context;
      const { installation } = await granted(store);
      const beginExchange = (iat: number) =>
        store.transaction(({ renewals }) =>
          renewals.beginExchange(
            installation,
            { iat, codeDigest: 'code', baseUrl: 'https://a.example', trigger: null },
            20_000,
          ),
        );
      await uninstall(store, installation, 10);
      assert.equal(await beginExchange(20), undefined);

      await begin(store, installation, 15);
      assert.equal(await beginExchange(10), undefined);
      assert.deepEqual(await beginExchange(20), { presented: 1, unanswered: 0 });
    },
  ),
];

export const lifeChecks = [
  check('tokens from after an uninstall begin the next life or belong to it', async ({ store }) => {
    for (const hasNext of [true, false]) {
      const { installation } = await granted(store);
      await uninstall(store, installation, 10);
      if (hasNext) await begin(store, installation, 15);

      assert.equal(await replace(store, installation, 'of before', 9), 'ended');
      assert.equal(await replace(store, installation, 'of its second', 10), 'ended');
      assert.equal(await replace(store, installation, 'next', 20), 'stored');

      const { status, generation, beganIat } =
        (await store.installations.get(installation.id)) ?? {};
      assert.deepEqual([status, generation, beganIat], ['active', 2, hasNext ? 15 : 20]);
      assert.equal((await store.grants.load(installation.id))?.generation, 2);
    }
  }),

  check('an install counts even if a newer code began its life', async ({ store, other }) => {
    const tombstone = await uninstall(store, newKey(), 10);
    const begun = await store.transaction(({ installations }) =>
      installations.begin(tombstone, 40, 1, { code: 'code' }),
    );
    await begin(other, tombstone, 20);
    await begin(other, tombstone, 30);
    await begin(other, tombstone, 25);

    await store.installations.giveUp(begun, 'code');

    const found = await store.installations.get(begun.id);
    assert.deepEqual([found?.status, found?.beganIat], ['pending', 30]);
    assert.equal((await uninstall(store, tombstone, 29)).status, 'pending');
    assert.equal((await uninstall(store, tombstone, 30)).status, 'uninstalled');
    await store.transaction(({ installations }) =>
      installations.begin(tombstone, 50, 1, { code: 'next code' }),
    );
    const next = await store.installations.get(begun.id);
    assert.ok(next);
    await store.installations.giveUp(next, 'next code');
    assert.equal((await store.installations.get(begun.id))?.status, 'uninstalled');
  }),

  check('a life that two codes may prove ends when both are refused', async ({ store, other }) => {
    const tombstone = await uninstall(store, newKey(), 10);
    const begun = await store.transaction(({ installations }) =>
      installations.begin(tombstone, 20, 1, { code: 'first' }),
    );
    const intent = { iat: 30, codeDigest: 'second', baseUrl: 'https://a.example', trigger: null };
    await store.transaction(({ renewals }) => renewals.beginExchange(begun, intent, 20_000));
    await other.installations.giveUp(begun, 'first');
    assert.equal((await store.installations.get(begun.id))?.status, 'pending');

    await store.transaction(({ renewals }) => renewals.endExchange(begun.id, 'second', 'over'));

    assert.equal((await store.installations.get(begun.id))?.status, 'uninstalled');
  }),

  check('a life began when the first copy of its code was signed', async ({ store }) => {
    const begun = await store.transaction(({ installations }) =>
      installations.begin(newKey(), 40, 1, { code: 'code' }),
    );
    await store.installations.antedate(begun, 'another code', 10);
    await store.installations.antedate(begun, 'code', 20);
    await store.installations.antedate(begun, 'code', 30);

    assert.equal((await store.installations.get(begun.id))?.beganIat, 20);
    assert.equal((await uninstall(store, begun, 20)).status, 'uninstalled');
  }),

  check('a life that began only with a refused code can be ended', async ({ store }) => {
    const tombstone = await uninstall(store, newKey(), 10);
    const beginBy = (iat: number, code?: string) =>
      store.transaction(({ installations }) => installations.begin(tombstone, iat, 1, { code }));
    const giveUp = (code: string) =>
      store.transaction(async ({ installations }) => {
        const found = await installations.find(tombstone);
        if (found) await installations.giveUp(found, code);
        return (await installations.find(tombstone))?.status;
      });

    await beginBy(20, 'a');
    assert.equal(await giveUp('b'), 'pending');
    assert.equal(await giveUp('a'), 'uninstalled');
    await beginBy(30, 'c');
    await beginBy(30);
    assert.equal(await giveUp('c'), 'pending');
    const next = await begin(store, newKey(), 40);
    await store.installations.giveUp(next, 'd');
    assert.equal((await store.installations.get(next.id))?.status, 'pending');
    // Before any uninstall, there is no end to go back to.
    const first = await store.transaction(({ installations }) =>
      installations.begin(newKey(), 50, 1, { code: 'e' }),
    );
    await store.installations.giveUp(first, 'e');
    assert.equal((await store.installations.get(first.id))?.status, 'pending');
  }),

  check('a life does not end while one of its codes may still bring tokens', async ({ store }) => {
    const tombstone = await uninstall(store, newKey(), 10);
    const begun = await store.transaction(({ installations }) =>
      installations.begin(tombstone, 20, 1, { code: 'code' }),
    );
    const trigger = { url: '/api/trigger', body: null };
    const intent = { iat: 20, codeDigest: 'a', baseUrl: 'https://a.example', trigger };
    await store.transaction(({ renewals }) => renewals.beginExchange(begun, intent, 20_000));

    await store.installations.giveUp(begun, 'code');

    assert.equal((await store.installations.get(begun.id))?.status, 'pending');
    assert.ok(await store.renewals.loadTrigger(begun.id));
  }),

  check(
    'a life from a refused code with tokens of an older code ends with an uninstall between them',
    async ({ store }) => {
      const key = newKey();
      const begun = await store.transaction(({ installations }) =>
        installations.begin(key, 30, 1, { code: 'code' }),
      );
      await replace(store, begun, 'of before', 10);

      await store.installations.giveUp(begun, 'code');

      assert.equal((await store.installations.get(begun.id))?.status, 'active');
      assert.equal((await uninstall(store, key, 20)).status, 'uninstalled');
    },
  ),
];
