/** The inbox: which process decides an event, and which answer stands. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Store } from '../store.ts';
import { assertSame, begin, check } from './check.ts';

const claim = { owner: 'one', claimMs: 20_000, receivedAt: 100 };
const accepted = { status: 201, reason: null };

async function newInboxKey(store: Store) {
  return { installationId: (await begin(store)).id, digest: randomUUID() };
}

export const receptionChecks = [
  check('an event is claimed once, until its claim ends', async ({ store, other, shiftClock }) => {
    const key = await newInboxKey(store);
    const second = { ...claim, owner: 'two' };

    assert.equal(await store.inbox.claim(key, claim), true);
    assert.equal(await other.inbox.claim(key, second), false);
    await shiftClock(20_001);
    assert.equal(await other.inbox.claim(key, second), true);
    assert.equal(await store.inbox.settle(key, 'one', accepted), false);
    assert.equal(await store.inbox.findVerdict(key), undefined);
  }),

  check(
    'a claim is extended by its owner, while nobody has decided or taken it over',
    async ({ store, other, shiftClock }) => {
      const key = await newInboxKey(store);
      const second = { ...claim, owner: 'two' };
      await store.inbox.claim(key, claim);

      await shiftClock(19_000);
      assert.equal(await store.inbox.extend(key, claim), true);
      assert.equal(await other.inbox.extend(key, second), false);
      await shiftClock(19_000);
      assert.equal(await other.inbox.claim(key, second), false);

      await shiftClock(1_001);
      assert.equal(await store.inbox.extend(key, claim), true);
      await shiftClock(20_001);
      assert.equal(await other.inbox.claim(key, second), true);
      assert.equal(await store.inbox.extend(key, claim), false);
      await other.inbox.settle(key, 'two', accepted);
      assert.equal(await other.inbox.extend(key, second), false);
    },
  ),

  check('a claim from before the clock was set back ends', async ({ store, other, shiftClock }) => {
    const key = await newInboxKey(store);
    await store.inbox.claim(key, claim);

    await shiftClock(-3_600_000);
    assert.equal(await other.inbox.claim(key, { ...claim, owner: 'two' }), true);
    await shiftClock(3_600_000);
  }),

  check(
    'a process that has the tokens decides, even without the claim',
    async ({ store, other }) => {
      const key = await newInboxKey(store);
      await other.inbox.claim(key, claim);

      assert.equal(await store.inbox.settle(key, null, accepted), true);
      assert.equal(await store.inbox.settle(key, null, { status: 400, reason: 'x' }), false);
      assertSame(await other.inbox.findVerdict(key), accepted);
    },
  ),

  check('only one of several claims made at once succeeds', async ({ store, other }) => {
    const key = await newInboxKey(store);
    const stores = [store, other, store, other, store, other];

    const claimed = await Promise.all(
      stores.map((each, index) => each.inbox.claim(key, { ...claim, owner: String(index) })),
    );

    assert.equal(claimed.filter(Boolean).length, 1);
  }),

  check('a verdict is permanent', async ({ store, other }) => {
    const key = await newInboxKey(store);
    const refused = { status: 400, reason: 'scope_missing' };
    await store.inbox.claim(key, claim);

    assert.equal(await store.inbox.settle(key, 'one', refused), true);
    assert.equal(await other.inbox.claim(key, { ...claim, owner: 'two' }), false);
    assert.equal(await other.inbox.decide(key, accepted, 999), false);
    assert.equal(await store.inbox.settle(key, 'one', accepted), false);
    assertSame(await other.inbox.findVerdict(key), refused);
  }),

  check('a released claim is free at once', async ({ store, other }) => {
    const key = await newInboxKey(store);
    await store.inbox.claim(key, claim);
    await other.inbox.release(key, 'two');
    assert.equal(await other.inbox.claim(key, { ...claim, owner: 'two' }), false);

    await store.inbox.release(key, 'one');
    assert.equal(await other.inbox.claim(key, { ...claim, owner: 'two' }), true);
  }),

  check(
    'an event is decided at once, unless another delivery has it',
    async ({ store, other, shiftClock }) => {
      const key = await newInboxKey(store);
      assert.equal(await store.inbox.decide(key, accepted, 100), true);
      assert.equal(await other.inbox.decide(key, { status: 400, reason: 'x' }, 100), false);
      assertSame(await other.inbox.findVerdict(key), accepted);

      const claimed = await newInboxKey(store);
      await store.inbox.claim(claimed, claim);
      assert.equal(await other.inbox.decide(claimed, accepted, 100), false);
      await shiftClock(20_001);
      assert.equal(await other.inbox.decide(claimed, accepted, 100), true);
    },
  ),

  check('the codes of a life get the same answer once it has ended', async ({ store, other }) => {
    const { id: installationId } = await begin(store);
    const ended = { status: 400, reason: 'ended' };
    const decide = async (codeIat?: number) => {
      const key = { installationId, digest: randomUUID() };
      await store.inbox.decide(key, accepted, 100, codeIat);
      return key;
    };
    const [older, newer, without] = [await decide(10), await decide(20), await decide()];
    const claimed = { installationId, digest: randomUUID() };
    const undecided = { installationId, digest: randomUUID() };
    await store.inbox.claim(claimed, { ...claim, codeIat: 10 });

    const by = (signedBy: number, withAccepted: boolean) =>
      other.inbox.retireCodes(installationId, ended, { signedBy, withAccepted });
    await by(10, false);
    assertSame(await store.inbox.findVerdict(older), ended);
    assertSame(await store.inbox.findVerdict(newer), accepted);
    assertSame(await store.inbox.findVerdict(claimed), ended);
    assert.equal(await store.inbox.settle(claimed, 'one', accepted), false);

    await store.inbox.claim(undecided, { ...claim, codeIat: 20 });
    await by(10, true);
    assertSame(await store.inbox.findVerdict(newer), ended);
    assertSame(await store.inbox.findVerdict(without), accepted);
    assert.equal(await store.inbox.settle(undecided, 'one', accepted), true);
  }),

  check(
    'a code that another process releases while its life ends is retired with it',
    async ({ store, other }) => {
      const { id: installationId } = await begin(store);
      const claimed = { installationId, digest: randomUUID() };
      await store.inbox.claim(claimed, { ...claim, codeIat: 10 });
      const ended = { status: 400, reason: 'ended' };

      let retired: Promise<void> | undefined;
      await store.transaction(async ({ inbox }) => {
        await inbox.release(claimed, claim.owner);
        retired = other.transaction((stores) =>
          stores.inbox.retireCodes(installationId, ended, { signedBy: 10, withAccepted: false }),
        );
        retired.catch(() => {});
        // Long enough for the other process to have read the state.
        for (let count = 0; count < 50; count += 1) await inbox.findVerdict(claimed);
      });
      await retired;

      assertSame(await store.inbox.findVerdict(claimed), ended);
    },
  ),

  check('a code counts from the signing of its first copy', async ({ store, other }) => {
    const { id: installationId } = await begin(store);
    const ended = { status: 400, reason: 'ended' };
    for (const copies of [
      [10, 30],
      [30, 10],
    ]) {
      const key = { installationId, digest: randomUUID() };
      for (const codeIat of copies) {
        assert.equal(await store.inbox.claim(key, { ...claim, codeIat }), true);
        await store.inbox.release(key, claim.owner);
      }
      await other.inbox.retireCodes(installationId, ended, { signedBy: 20, withAccepted: false });
      assertSame(await store.inbox.findVerdict(key), ended);
    }
  }),

  check('an event of one installation is not an event of another', async ({ store }) => {
    const key = await newInboxKey(store);
    await store.inbox.decide(key, accepted, 100);
    const { id: installationId } = await begin(store);

    assert.equal(await store.inbox.findVerdict({ ...key, installationId }), undefined);
    assert.equal(await store.inbox.claim({ ...key, installationId }, claim), true);
  }),
];
