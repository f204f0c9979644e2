import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Store } from '../store.ts';
import { assertSame, begin, check, uninstall } from './check.ts';

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
    'a claim that was made when the clock was set back does not stay for ever',
    async ({ store, other, shiftClock }) => {
      const key = await newInboxKey(store);
      await store.inbox.claim(key, claim);

      await shiftClock(-3_600_000);
      assert.equal(await other.inbox.claim(key, { ...claim, owner: 'two' }), true);
      await shiftClock(3_600_000);
    },
  ),

  check('who has the tokens decides, whoever has the claim', async ({ store, other }) => {
    const key = await newInboxKey(store);
    await other.inbox.claim(key, claim);

    assert.equal(await store.inbox.settle(key, null, accepted), true);
    assert.equal(await store.inbox.settle(key, null, { status: 400, reason: 'x' }), false);
    assertSame(await other.inbox.findVerdict(key), accepted);
  }),

  check('of claims made at once, one is had', async ({ store, other }) => {
    const key = await newInboxKey(store);
    const stores = [store, other, store, other, store, other];

    const claimed = await Promise.all(
      stores.map((each, index) => each.inbox.claim(key, { ...claim, owner: String(index) })),
    );

    assert.equal(claimed.filter(Boolean).length, 1);
  }),

  check('a verdict stands for good', async ({ store, other }) => {
    const key = await newInboxKey(store);
    const refused = { status: 400, reason: 'scope_missing' };
    await store.inbox.claim(key, claim);

    assert.equal(await store.inbox.settle(key, 'one', refused), true);
    assert.equal(await other.inbox.claim(key, { ...claim, owner: 'two' }), false);
    assert.equal(await other.inbox.decide(key, accepted, 999), false);
    assert.equal(await store.inbox.settle(key, 'one', accepted), false);
    assertSame(await other.inbox.findVerdict(key), refused);
  }),

  check('a claim that was given back is free at once', async ({ store, other }) => {
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

  check('an event of one installation is not an event of another', async ({ store }) => {
    const key = await newInboxKey(store);
    await store.inbox.decide(key, accepted, 100);
    const { id: installationId } = await begin(store);

    assert.equal(await store.inbox.findVerdict({ ...key, installationId }), undefined);
    assert.equal(await store.inbox.claim({ ...key, installationId }, claim), true);
  }),

  check('an init JWT opens one session', async ({ store, other }) => {
    const { id: installationId } = await begin(store);
    const hash = () => randomUUID();
    const session = { installationId, generation: 1, userId: 'u', instanceId: 'i', expiresAt: 10 };
    const jti = randomUUID();

    const opened = await Promise.all(
      [store, other, store, other].map((each) =>
        each.sessions.createPluginSession(hash(), session, jti),
      ),
    );

    assert.equal(opened.filter(Boolean).length, 1);
    assert.equal(await store.sessions.createPluginSession(hash(), session, randomUUID()), true);
  }),

  check('a session ends by itself, and with its installation’s life', async ({ store, other }) => {
    const installation = await begin(store);
    const session = {
      installationId: installation.id,
      generation: 1,
      userId: 'u',
      instanceId: 'i',
      expiresAt: 10,
    };
    const hash = randomUUID();
    await store.sessions.createPluginSession(hash, session, randomUUID());

    assertSame(await other.sessions.findPluginSession(hash, 9), session);
    assert.equal(await other.sessions.findPluginSession(hash, 10), undefined);
    assert.equal(await other.sessions.findPluginSession(randomUUID(), 9), undefined);

    await uninstall(store, installation, 2);
    assert.equal(await other.sessions.findPluginSession(hash, 9), undefined);
    await begin(store, installation, 3);
    assert.equal(await other.sessions.findPluginSession(hash, 9), undefined);
  }),

  check('an operator’s session ends by itself, and at sign-out', async ({ store, other }) => {
    const hash = randomUUID();
    await store.sessions.createAdminSession(hash, 10);

    assertSame(await other.sessions.findAdminSession(hash, 9), { expiresAt: 10 });
    assert.equal(await other.sessions.findAdminSession(hash, 10), undefined);

    await other.sessions.removeAdminSession(hash);
    assert.equal(await store.sessions.findAdminSession(hash, 9), undefined);
  }),
];
