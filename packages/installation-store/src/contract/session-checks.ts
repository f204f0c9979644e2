/** Sessions of plug-in pages and of operators: how each begins and ends. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Store } from '../store.ts';
import type { Installation } from '../stores/find-installation.ts';
import type { OpeningPage } from '../stores/session-store.ts';
import {
  access,
  assertEnds,
  assertSame,
  begin,
  canary,
  check,
  eventually,
  granted,
  loadGrant,
  operatorSession,
  tokens,
  uninstall,
} from './check.ts';

export const sessionChecks = [
  check(
    'a session nonce is known by every process, for its plug-in, until its end',
    async ({ store, other }) => {
      const nonce = store.sessions.createNonce({ plugin: 'polls', expiresAt: 1_000 });
      const isFresh = (text: string, plugin: string, now: number) =>
        other.sessions.isNonceFresh(text, { plugin, now });

      assert.equal(isFresh(nonce, 'polls', 999), true);
      assert.equal(isFresh(nonce, 'polls', 1_000), false);
      assert.equal(isFresh(nonce, 'lunch', 999), false);
      assert.equal(isFresh(nonce, '', 999), false);
      assert.equal(isFresh(nonce.replace('.1000.', '.2000.'), 'polls', 999), false);
      assert.equal(isFresh(nonce.replace('.1000.', '.01000.'), 'polls', 999), false);
      assert.equal(isFresh(`${nonce} `, 'polls', 999), false);
      for (const text of ['', randomUUID(), nonce.slice(1)]) {
        assert.equal(isFresh(text, 'polls', 999), false);
      }
    },
  ),

  check('a thousand session nonces are a thousand', async ({ store }) => {
    const create = () => store.sessions.createNonce({ plugin: '', expiresAt: 1_000 });

    assert.equal(new Set(Array.from({ length: 1_000 }, create)).size, 1_000);
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

  check(
    'a session ends at its time limit, and with its installation’s life',
    async ({ store, other }) => {
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

      const { issuer, tenantId, pluginId } = installation;
      assertSame(await other.sessions.findPluginSession(hash, 9), {
        ...session,
        issuer,
        tenantId,
        pluginId,
        plugin: '',
        claims: {},
        grantedScopes: [],
      });
      assert.equal(await other.sessions.findPluginSession(hash, 10), undefined);
      assert.equal(await other.sessions.findPluginSession(randomUUID(), 9), undefined);

      await uninstall(store, installation, 2);
      await assertEnds(other, hash, 9);
      const late = await store.sessions.createPluginSession(randomUUID(), session, randomUUID());
      assert.equal(late, 'over');
      await begin(store, installation, 3);
      await assertEnds(other, hash, 9);
    },
  ),

  check('a session has the scopes of the tokens that are stored now', async ({ store, other }) => {
    const { installation } = await granted(store);
    const { id: installationId, generation } = installation;
    const session = { installationId, generation, userId: 'u', instanceId: 'i', expiresAt: 10 };
    const hash = randomUUID();
    await store.sessions.createPluginSession(hash, session, randomUUID());
    const scopes = async () => (await other.sessions.findPluginSession(hash, 9))?.grantedScopes;
    assert.deepEqual(await scopes(), ['plugin:notify', 'plugin:read']);

    const fewer = { ...tokens('b'), grantedScopes: ['plugin:read'] };
    await store.transaction(({ grants }) =>
      grants.replace(installation, access, fewer, { iat: 2, newestIat: 2 }),
    );

    await eventually(async () => assert.deepEqual(await scopes(), ['plugin:read']));
  }),

  ...changesOfSessions().map(({ title, change }) =>
    check(
      `a session that was found is dropped by its own process, and by others soon: ${title}`,
      async (context) => {
        const { store, other } = context;
        const { installation } = await granted(store);
        const { id: installationId, generation } = installation;
        await store.installations.addInstance(installationId, 'i', 1);
        const session = { installationId, generation, userId: 'u', instanceId: 'i', expiresAt: 10 };
        const hash = randomUUID();
        await store.sessions.createPluginSession(hash, session, randomUUID());
        const before = await store.sessions.findPluginSession(hash, 9);
        assert.ok(before);
        assertSame(await other.sessions.findPluginSession(hash, 9), before);

        await change(store, installation);

        const stored = await store.transaction(({ sessions }) =>
          sessions.findPluginSession(hash, 9),
        );
        assert.notDeepEqual(stored, before);
        assert.deepEqual(await store.sessions.findPluginSession(hash, 9), stored);
        await eventually(async () =>
          assert.deepEqual(await other.sessions.findPluginSession(hash, 9), stored),
        );
      },
    ),
  ),

  check('a session ends permanently when its instance is removed', async ({ store, other }) => {
    const installation = await begin(store);
    const open = async (instanceId: string, jti: string = randomUUID()) => {
      const { id: installationId, generation } = installation;
      const session = { installationId, generation, userId: 'u', instanceId, expiresAt: 10 };
      const hash = randomUUID();
      const outcome = await store.sessions.createPluginSession(hash, session, jti);
      return {
        outcome,
        find: () => other.sessions.findPluginSession(hash, 9),
        ends: () => assertEnds(other, hash, 9),
      };
    };
    const early = await open('made-up');
    assert.ok(await early.find());
    await store.installations.addInstance(installation.id, 'one', 1);
    await store.installations.addInstance(installation.id, 'two', 1);
    const jti = randomUUID();
    const [one, two] = [await open('one', jti), await open('two')];
    assert.ok(await one.find());
    await early.ends();

    await store.installations.removeInstance(installation.id, 'one', 2);

    await one.ends();
    assert.ok(await two.find());
    // A session that is being opened in the meantime.
    assert.equal((await open('one')).outcome, 'over');
    assert.equal((await open('two', jti)).outcome, 'replayed');
    await store.installations.addInstance(installation.id, 'one', 3);
    await one.ends();
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
          // Long enough for the other process to open it, if it could.
          for (let count = 0; count < 50; count += 1) await installations.get(installationId);
        });

        assert.equal(await opened, 'over');
        await store.installations.addInstance(installationId, instanceId, 3);
        await assertEnds(other, hash, 9);
      }
    },
  ),

  check(
    'a session has the claims of its page on every process, sealed, until it ends',
    async ({ store, other, dump }) => {
      const { id: installationId, generation } = await begin(store);
      const session = { installationId, generation, userId: 'u', instanceId: 'i', expiresAt: 10 };
      const claims = { 'ctx.userName': `${canary}-name`, 'cfg.colours': ['red', 7, null] };
      const open = async (each: Store) => {
        const hash = randomUUID();
        const page = { match: 'unknown', form: '', claims } as const;
        await each.sessions.createPluginSession(hash, session, randomUUID(), page);
        return hash;
      };
      const [one, two] = [await open(store), await open(other)];

      for (const each of [store, other]) {
        assert.deepEqual((await each.sessions.findPluginSession(one, 9))?.claims, claims);
        assert.deepEqual((await each.sessions.findPluginSession(two, 9))?.claims, claims);
      }
      assert.ok(!(await dump()).includes(`${canary}-name`));

      await store.operators.endSessions(installationId, 9);

      await assertEnds(other, one, 9);
    },
  ),

  check(
    'a session without a placed instance stays open when another page has named one',
    async ({ store, other }) => {
      const { id: installationId, generation } = await begin(store);
      await store.installations.addInstance(installationId, 'placed', 1);
      const session = { installationId, generation, userId: 'u', expiresAt: 10 };
      const open = async (instanceId: string, match: OpeningPage['match']) => {
        const hash = randomUUID();
        const page = { match, form: '<text 4>', claims: {} };
        const opening = { ...session, instanceId };
        await store.sessions.createPluginSession(hash, opening, randomUUID(), page);
        return () => other.sessions.findPluginSession(hash, 9);
      };
      const unmatched = await open('guess', 'unmatched');
      const placed = await open('placed', 'placed');

      assert.equal((await unmatched())?.instanceId, 'guess');
      assert.ok(await placed());
      assert.equal(await (await open('guess', 'placed'))(), undefined);
      await store.installations.removeInstance(installationId, 'guess', 2);
      await eventually(async () => assert.equal(await unmatched(), undefined));
    },
  ),

  check(
    'an operator’s session ends when it is idle, and its use moves that',
    async ({ store, other }) => {
      const hash = randomUUID();
      const find = (now: number) => other.sessions.findAdminSession(hash, now);
      const session = operatorSession({ expiresAt: 100, idleAt: 10 });
      await store.sessions.createAdminSession(hash, session);
      assert.equal(await find(10), undefined);

      await store.sessions.extendAdminSession(hash, 18, 8);
      await other.sessions.extendAdminSession(hash, 15, 8);
      assertSame(await find(17), { ...session, idleAt: 18 });
      assert.equal(await find(18), undefined);

      await store.sessions.extendAdminSession(hash, 30, 18);
      assert.equal(await find(19), undefined);
      await store.sessions.extendAdminSession(hash, 200, 17);
      assert.ok(await find(99));
      assert.equal(await find(100), undefined);
      assert.equal(await store.sessions.findAdminSession(randomUUID(), 9), undefined);
    },
  ),

  check(
    'an operator’s session ends at its time limit, and at sign-out',
    async ({ store, other }) => {
      const hash = randomUUID();
      const session = operatorSession({ expiresAt: 10, idleAt: 10 });
      await store.sessions.createAdminSession(hash, session);

      assertSame(await other.sessions.findAdminSession(hash, 9), session);
      assert.equal(await other.sessions.findAdminSession(hash, 10), undefined);

      await other.sessions.removeAdminSession(hash);
      assert.equal(await store.sessions.findAdminSession(hash, 9), undefined);
    },
  ),
];

/** Everything that ends a session, or changes what a call needs to know. */
function changesOfSessions(): {
  title: string;
  change: (store: Store, installation: Installation) => Promise<unknown>;
}[] {
  const fewer = { ...tokens('b'), grantedScopes: ['plugin:read'] };
  return [
    { title: 'an uninstall', change: (store, key) => uninstall(store, key, 9) },
    {
      title: 'the next life',
      async change(store, key) {
        await uninstall(store, key, 9);
        await begin(store, key, 10);
      },
    },
    {
      title: 'the removal of its instance',
      change: (store, { id }) => store.installations.removeInstance(id, 'i', 2),
    },
    {
      title: 'an operator ends the sessions',
      change: (store, { id }) => store.operators.endSessions(id, 9),
    },
    {
      title: 'new tokens with fewer scopes',
      change: (store, installation) =>
        store.transaction(({ grants }) =>
          grants.replace(installation, access, fewer, { iat: 2, newestIat: 2 }),
        ),
    },
    {
      title: 'renewed tokens with fewer scopes',
      change: async (store, { id }) =>
        store.grants.commitRefresh(await loadGrant(store, id), fewer),
    },
  ];
}
