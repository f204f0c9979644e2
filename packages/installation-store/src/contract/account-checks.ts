/** Operators: their one-time codes, their accounts, and what ends their sessions. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Secret } from '@dowel/schema';
import type { Store } from '../store.ts';
import { assertSame, canary, check, operatorSession } from './check.ts';

const hash = new Secret('scrypt$17$8$1$c2FsdA$aGFzaA');

/** An account, and a session that was opened with its password. */
async function signInto(store: Store) {
  const account = { name: `ada-${randomUUID()}`, role: 'operator', createdAt: 5 } as const;
  assert.equal(await store.accounts.addAccount(account), true);
  assert.equal(await store.accounts.changePassword(account.name, hash), true);
  const { revision } = (await store.accounts.findAccount(account.name)) ?? assert.fail();
  const tokenHash = randomUUID();
  const session = operatorSession({
    name: account.name,
    method: 'password',
    accountRevision: revision,
    expiresAt: 100,
    idleAt: 100,
  });
  await store.sessions.createAdminSession(tokenHash, session);
  return { account, session, tokenHash };
}

export const accountChecks = [
  check('a one-time code signs in once, on any process', async ({ store, other, dump }) => {
    const code = await store.accounts.createSignInCode({ name: 'ada', expiresAt: 100 });
    assert.ok(!(await dump()).includes(code));

    assert.equal(await other.accounts.redeemSignInCode(randomUUID(), 99), undefined);
    const redeemed = await Promise.all(
      [store, other, store].map(({ accounts }) => accounts.redeemSignInCode(code, 99)),
    );

    const taken = redeemed.filter((each) => each !== undefined);
    assert.equal(taken.length, 1);
    assertSame(taken[0], { name: 'ada' });
  }),

  check('an operator has one language in all browsers', async ({ store, other }) => {
    const { account } = await signInto(store);
    const ada = { method: 'password', issuer: null, subject: account.name } as const;
    const ofProvider = { ...ada, method: 'oidc', issuer: 'https://login.example' } as const;
    assert.equal(await store.accounts.findLanguage(ada), undefined);

    await store.accounts.chooseLanguage(ada, 'de');
    await other.accounts.chooseLanguage(ofProvider, 'en');
    assert.equal(await other.accounts.findLanguage(ada), 'de');
    await other.accounts.chooseLanguage(ada, 'en');
    assert.equal(await store.accounts.findLanguage(ada), 'en');

    await store.accounts.removeAccount(account.name);
    assert.equal(await store.accounts.findLanguage(ada), undefined);
    assert.equal(await store.accounts.findLanguage(ofProvider), 'en');
  }),

  check('a one-time code does not sign in at its end', async ({ store }) => {
    const code = await store.accounts.createSignInCode({ name: 'ada', expiresAt: 100 });

    assert.equal(await store.accounts.redeemSignInCode(code, 100), undefined);
  }),

  check(
    'an account has a name of its own, and is found with its hash',
    async ({ store, other }) => {
      const { account } = await signInto(store);

      assert.equal(await other.accounts.addAccount({ ...account, role: 'owner' }), false);
      const found = await other.accounts.findAccount(account.name);
      assert.equal(found?.role, 'operator');
      assert.equal(found?.passwordHash.reveal(), hash.reveal());
      assert.equal(await other.accounts.findAccount(randomUUID()), undefined);
      const listed = await other.accounts.listAccounts();
      assertSame(
        listed.find(({ name }) => name === account.name),
        { ...account, hasPassword: true, linkExpiresAt: null },
      );
    },
  ),

  check(
    'a link sets the password of a new account once, on any process',
    async ({ store, other, dump }) => {
      const name = `ada-${randomUUID()}`;
      const { accounts } = other;
      await store.accounts.addAccount({ name, role: 'viewer', createdAt: 5 });
      const listed = async () => (await accounts.listAccounts()).find((each) => each.name === name);
      const code = (await store.accounts.createPasswordLink(name, 100)) ?? assert.fail();
      assert.ok(!(await dump()).includes(code));
      assertSame(await accounts.findPasswordLink(code, 99), {
        state: 'open',
        name,
        expiresAt: 100,
      });
      assertSame(await accounts.findPasswordLink(code, 100), { state: 'expired' });
      assertSame(await accounts.findPasswordLink(randomUUID(), 99), { state: 'unknown' });
      const role = 'viewer';
      const before = { name, role, createdAt: 5, hasPassword: false, linkExpiresAt: 100 };
      assertSame(await listed(), before);
      assert.equal(await accounts.redeemPasswordLink(code, hash, 100), undefined);

      const redeemed = await Promise.all(
        [store, other, store].map((each) => each.accounts.redeemPasswordLink(code, hash, 99)),
      );

      const [taken, ...more] = redeemed.filter((each) => each !== undefined);
      assert.equal(more.length, 0);
      const { revision, passwordHash } = (await accounts.findAccount(name)) ?? assert.fail();
      assertSame(taken, { name, role: 'viewer', revision });
      assert.equal(passwordHash.reveal(), hash.reveal());
      assertSame(await accounts.findPasswordLink(code, 99), { state: 'used' });
      assertSame(await listed(), { ...before, hasPassword: true, linkExpiresAt: null });
    },
  ),

  check('a newer link and another password end a link', async ({ store }) => {
    const { accounts } = store;
    const { account } = await signInto(store);
    const create = async () =>
      (await accounts.createPasswordLink(account.name, 100)) ?? assert.fail();
    const [first, second] = [await create(), await create()];
    assertSame(await accounts.findPasswordLink(first, 9), { state: 'unknown' });

    await accounts.changePassword(account.name, hash);

    assertSame(await accounts.findPasswordLink(second, 9), { state: 'unknown' });
    assert.equal(await accounts.redeemPasswordLink(second, hash, 9), undefined);
    assert.equal(await accounts.createPasswordLink(randomUUID(), 100), undefined);
  }),

  check('another password can keep one session of the account', async ({ store, other }) => {
    const { account, tokenHash } = await signInto(store);
    const { revision } = (await store.accounts.findAccount(account.name)) ?? assert.fail();
    const second = randomUUID();
    const ofAccount = {
      name: account.name,
      method: 'password',
      accountRevision: revision,
    } as const;
    const session = operatorSession({ ...ofAccount, expiresAt: 100, idleAt: 100 });
    await store.sessions.createAdminSession(second, session);

    await store.transaction(({ accounts }) =>
      accounts.changePassword(account.name, hash, tokenHash),
    );

    assert.ok(await other.sessions.findAdminSession(tokenHash, 99));
    assert.equal(await other.sessions.findAdminSession(second, 99), undefined);
  }),

  check('each change of an account ends its sessions, and no others', async ({ store, other }) => {
    const redeemLink = async (name: string) => {
      const code = await other.accounts.createPasswordLink(name, 100);
      return (await other.accounts.redeemPasswordLink(code ?? '', hash, 99)) !== undefined;
    };
    const changes: ((name: string) => Promise<boolean>)[] = [
      redeemLink,
      (name) => other.accounts.changeRole(name, 'viewer'),
      (name) => other.accounts.changePassword(name, hash),
      (name) => other.accounts.removeAccount(name),
    ];
    const neighbour = await signInto(store);
    for (const change of changes) {
      const { account, session, tokenHash } = await signInto(store);
      assertSame(await store.sessions.findAdminSession(tokenHash, 99), session);

      assert.equal(await change(account.name), true);

      assert.equal(await store.sessions.findAdminSession(tokenHash, 99), undefined);
      assert.ok(!(await store.accounts.listSessions(99)).some(({ id }) => id === session.id));
      assert.equal(await change(randomUUID()), false);
    }
    assert.ok(await store.sessions.findAdminSession(neighbour.tokenHash, 99));
  }),

  check('the ID token of a session is sealed, and ends with it', async ({ store, other, dump }) => {
    const [tokenHash, without] = [randomUUID(), randomUUID()];
    const session = () => operatorSession({ method: 'oidc', expiresAt: 100, idleAt: 100 });
    const idToken = new Secret(`${canary}-id-token`);

    await store.sessions.createAdminSession(tokenHash, session(), idToken);
    await store.sessions.createAdminSession(without, session());

    assert.ok(!(await dump()).includes(idToken.reveal()));
    const { sessions } = other;
    assert.equal((await sessions.findIdToken(tokenHash))?.reveal(), idToken.reveal());
    assert.equal(await sessions.findIdToken(without), undefined);
    await sessions.removeAdminSession(tokenHash);
    assert.equal(await sessions.findIdToken(tokenHash), undefined);
  }),

  check('an account with a former name does not revive sessions', async ({ store }) => {
    const { account, tokenHash } = await signInto(store);

    await store.accounts.removeAccount(account.name);
    await store.accounts.addAccount(account);
    await store.accounts.changePassword(account.name, hash);

    assert.equal(await store.sessions.findAdminSession(tokenHash, 99), undefined);
  }),

  check(
    'sessions are listed while they last, and one is ended by its id',
    async ({ store, other }) => {
      const { session, tokenHash } = await signInto(store);
      const find = async (now: number) =>
        (await other.accounts.listSessions(now)).find(({ id }) => id === session.id);
      assertSame(await find(99), session);
      assert.equal(await find(100), undefined);

      assert.equal(await other.accounts.endSession(session.id), true);

      assert.equal(await store.sessions.findAdminSession(tokenHash, 9), undefined);
      assert.equal(await other.accounts.endSession(session.id), false);
    },
  ),
];
