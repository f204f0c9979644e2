import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Store } from '../store.ts';
import { assertSame, begin, check, minute, uninstall } from './check.ts';

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

  check('a claim from before the clock was set back ends', async ({ store, other, shiftClock }) => {
    const key = await newInboxKey(store);
    await store.inbox.claim(key, claim);

    await shiftClock(-3_600_000);
    assert.equal(await other.inbox.claim(key, { ...claim, owner: 'two' }), true);
    await shiftClock(3_600_000);
  }),

  check('a process with the tokens decides, even without the claim', async ({ store, other }) => {
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
    'a code that another process gives back while its life ends is retired with it',
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
        // Long enough for the other to have looked.
        for (let count = 0; count < 50; count += 1) await inbox.findVerdict(claimed);
      });
      await retired;

      assertSame(await store.inbox.findVerdict(claimed), ended);
    },
  ),

  check('a code counts from when the first of its copies was signed', async ({ store, other }) => {
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

    assert.deepEqual(opened.toSorted(), ['opened', ...Array(3).fill('replayed')]);
    const next = await store.sessions.createPluginSession(hash(), session, randomUUID());
    assert.equal(next, 'opened');
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

    const { pluginId } = installation;
    assertSame(await other.sessions.findPluginSession(hash, 9), { ...session, pluginId });
    assert.equal(await other.sessions.findPluginSession(hash, 10), undefined);
    assert.equal(await other.sessions.findPluginSession(randomUUID(), 9), undefined);

    await uninstall(store, installation, 2);
    assert.equal(await other.sessions.findPluginSession(hash, 9), undefined);
    const late = await store.sessions.createPluginSession(randomUUID(), session, randomUUID());
    assert.equal(late, 'over');
    await begin(store, installation, 3);
    assert.equal(await other.sessions.findPluginSession(hash, 9), undefined);
  }),

  check('a session ends when its instance is removed, for good', async ({ store, other }) => {
    const installation = await begin(store);
    const open = async (instanceId: string, jti: string = randomUUID()) => {
      const { id: installationId, generation } = installation;
      const session = { installationId, generation, userId: 'u', instanceId, expiresAt: 10 };
      const hash = randomUUID();
      const outcome = await store.sessions.createPluginSession(hash, session, jti);
      return { outcome, find: () => other.sessions.findPluginSession(hash, 9) };
    };
    const early = await open('made-up');
    assert.ok(await early.find());
    await store.installations.addInstance(installation.id, 'one', 1);
    await store.installations.addInstance(installation.id, 'two', 1);
    const jti = randomUUID();
    const [one, two] = [await open('one', jti), await open('two')];
    assert.ok(await one.find());
    assert.equal(await early.find(), undefined);

    await store.installations.removeInstance(installation.id, 'one', 2);

    assert.equal(await one.find(), undefined);
    assert.ok(await two.find());
    // A session that was being opened meanwhile.
    assert.equal((await open('one')).outcome, 'over');
    assert.equal((await open('two', jti)).outcome, 'replayed');
    await store.installations.addInstance(installation.id, 'one', 3);
    assert.equal(await one.find(), undefined);
    const again = await open('one');
    await store.installations.removeInstance(installation.id, 'one', 2);
    assert.ok(await again.find());
  }),

  check(
    'a session that is opened while its instance is removed stays ended when the instance is placed again',
    async ({ store, other }) => {
      const installation = await begin(store);
      const { id: installationId, generation } = installation;
      for (const isPlacedBefore of [true, false]) {
        const instanceId = randomUUID();
        if (isPlacedBefore) await store.installations.addInstance(installationId, instanceId, 1);
        const session = { installationId, generation, userId: 'u', instanceId, expiresAt: 10 };
        const hash = randomUUID();

        let opened: Promise<string> | undefined;
        await store.transaction(async ({ installations }) => {
          await installations.removeInstance(installationId, instanceId, 2);
          opened = other.transaction(({ sessions }) =>
            sessions.createPluginSession(hash, session, randomUUID()),
          );
          opened.catch(() => {});
          // Long enough for the other to have opened it, if it could.
          for (let count = 0; count < 50; count += 1) await installations.get(installationId);
        });

        assert.equal(await opened, 'over');
        await store.installations.addInstance(installationId, instanceId, 3);
        assert.equal(await other.sessions.findPluginSession(hash, 9), undefined);
      }
    },
  ),

  check(
    'an operator’s session ends when it is idle, and its use moves that',
    async ({ store, other }) => {
      const hash = randomUUID();
      const find = (now: number) => other.sessions.findAdminSession(hash, now);
      await store.sessions.createAdminSession(hash, { expiresAt: 100, idleAt: 10 });
      assert.equal(await find(10), undefined);

      await store.sessions.extendAdminSession(hash, 18, 8);
      await other.sessions.extendAdminSession(hash, 15, 8);
      assertSame(await find(17), { expiresAt: 100, idleAt: 18 });
      assert.equal(await find(18), undefined);

      await store.sessions.extendAdminSession(hash, 30, 18);
      assert.equal(await find(19), undefined);
      await store.sessions.extendAdminSession(hash, 200, 17);
      assert.ok(await find(99));
      assert.equal(await find(100), undefined);
      assert.equal(await store.sessions.findAdminSession(randomUUID(), 9), undefined);
    },
  ),

  check('a key location is remembered for every process, once', async ({ store, other }) => {
    const location = `https://keys.example.com/${randomUUID()}.json`;
    await store.keyLocations.remember(location);
    await other.keyLocations.remember(location);

    const listed = (await other.keyLocations.list()).filter((each) => each.location === location);
    assert.equal(listed.length, 1);
    assert.equal(typeof listed[0]?.usedAt, 'number');
  }),

  check(
    'of more than 512 key locations, those used longest ago are forgotten',
    async ({ store, other, shiftClock }) => {
      const inUse = `https://keys.example.com/${randomUUID()}.json`;
      const unused = `https://keys.example.com/${randomUUID()}.json`;
      const series = randomUUID();
      await store.keyLocations.remember(inUse);
      await shiftClock(minute);
      await store.keyLocations.remember(unused);
      await shiftClock(minute);
      for (let index = 0; index < 510; index += 1) {
        await store.keyLocations.remember(`https://keys.example.com/${series}/${index}.json`);
      }
      await shiftClock(minute);
      await other.keyLocations.remember(inUse);
      await store.keyLocations.remember(`https://keys.example.com/${randomUUID()}.json`);
      await shiftClock(-3 * minute);

      const listed = (await other.keyLocations.list()).map(({ location }) => location);
      assert.equal(listed.length, 512);
      assert.ok(listed.slice(0, 2).includes(inUse), 'the newest come first');
      assert.ok(!listed.includes(unused));
    },
  ),

  check('an operator’s session ends by itself, and at sign-out', async ({ store, other }) => {
    const hash = randomUUID();
    const session = { expiresAt: 10, idleAt: 10 };
    await store.sessions.createAdminSession(hash, session);

    assertSame(await other.sessions.findAdminSession(hash, 9), session);
    assert.equal(await other.sessions.findAdminSession(hash, 10), undefined);

    await other.sessions.removeAdminSession(hash);
    assert.equal(await store.sessions.findAdminSession(hash, 9), undefined);
  }),
];
