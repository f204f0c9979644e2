/** Sign-in at a third-party identity provider: rows F15 to F17 of docs/threats.md. */
import { signInMethodsSchema, signOutAnswerSchema } from '@dowel/admin-api';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  changeKept,
  createBrowser,
  keptName,
  oidcSettingsOf,
  oidcStart,
  targetOf,
} from '../testing/oidc-browser.ts';
import { signInAs } from '../testing/sign-in-as.ts';
import {
  oidcClient,
  startOidcProvider,
  type TestOidcProvider,
} from '../testing/start-oidc-provider.ts';
import { startWorld, type World } from '../testing/start-world.ts';

const publicUrl = 'https://dowel.example';
const begin = oidcStart;
let provider: TestOidcProvider;
let world: World;

beforeAll(async () => {
  provider = await startOidcProvider(`${publicUrl}${begin}/callback`);
});
afterAll(() => provider[Symbol.asyncDispose]());
beforeEach(async () => {
  provider.person = { email: 'ada@staff.example', email_verified: true, groups: ['all', 'ops'] };
  provider.inIdToken = {};
  world = await startWorld({
    app: { publicUrl, dashboard: { directory: '', oidc: oidcSettingsOf(provider) } },
  });
});
afterEach(() => world[Symbol.asyncDispose]());

const pathOf = (url: string) => url.slice(publicUrl.length);

/** Returns the browser, and where it ends. */
async function signIn(path = begin) {
  const browser = createBrowser(world.url);
  const atProvider = targetOf(await browser.visit(path));
  const back = await provider.signIn(atProvider);
  expect(back).toContain(`${publicUrl}${begin}/callback?`);
  const answer = await browser.visit(pathOf(back));
  expect(answer.status).toBe(303);
  return { browser, back, end: targetOf(answer) };
}

describe('an identity provider', () => {
  test('signs an operator in, under the verified address and the highest role of the groups', async () => {
    const { browser, end } = await signIn(`${begin}?returnTo=/installations?group=broken`);

    expect(end).toBe(`${publicUrl}/admin/installations?group=broken`);
    const session = await browser.visit('/admin/api/session');
    expect(await session.json()).toMatchObject({
      name: 'ada@staff.example',
      role: 'operator',
      method: 'oidc',
    });
    expect(browser.attributes).toContainEqual(
      expect.stringMatching(/^__Host-dowel_admin Path=\/; HttpOnly; SameSite=Strict; Secure/),
    );
    expect(world.logs.join('')).toContain('operator.signed_in');
  });

  test('is offered by the page only where one is configured', async () => {
    const offered = await createBrowser(world.url).visit('/admin/api/session/methods');
    expect(signInMethodsSchema.parse(await offered.json()).methods).toContain('oidc');

    await using without = await startWorld();
    const answer = await fetch(`${without.url}/admin/api/session/methods`);
    expect(signInMethodsSchema.parse(await answer.json()).methods).toEqual(['code', 'password']);
    expect((await fetch(`${without.url}${begin}`)).status).toBe(404);
  });

  test('ends its own session too when the operator signs out', async () => {
    const { browser } = await signIn();

    const answer = await browser.visit('/admin/api/session', { method: 'DELETE' });

    const { continueAt } = signOutAnswerSchema.parse(await answer.json());
    const url = new URL(continueAt ?? '');
    expect(url.origin).toBe(provider.issuer);
    expect(url.searchParams.get('client_id')).toBe(oidcClient.clientId);
    expect((await browser.visit('/admin/api/session')).status).toBe(401);
    expect(await provider.signOut(url.href)).toBe(`${publicUrl}/admin/sign-in`);
  });

  test('learns at the sign-out who signs out, so that it need not ask', async () => {
    const { browser } = await signIn();

    const answer = await browser.visit('/admin/api/session', { method: 'DELETE' });

    const { continueAt } = signOutAnswerSchema.parse(await answer.json());
    const hint = new URL(continueAt ?? '').searchParams.get('id_token_hint') ?? '';
    const [, claims = ''] = hint.split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      iss: provider.issuer,
      aud: oidcClient.clientId,
      sub: 'ada-1',
    });
    const forged = (continueAt ?? '').replace('id_token_hint=', 'id_token_hint=x');
    await expect(provider.signOut(forged)).rejects.toThrow('400');
  });

  test('gets no hint that would make its URL too long, and still ends its session', async () => {
    provider.inIdToken = { groups: ['all', 'x'.repeat(6_000)] };
    const { browser } = await signIn();

    const answer = await browser.visit('/admin/api/session', { method: 'DELETE' });

    const { continueAt } = signOutAnswerSchema.parse(await answer.json());
    expect(new URL(continueAt ?? '').searchParams.has('id_token_hint')).toBe(false);
    expect(await provider.signOut(continueAt ?? '')).toBe(`${publicUrl}/admin/sign-in`);
  });

  test('an outage shows on the sign-in page and in the log, and the next sign-in asks again', async () => {
    provider.isAway = true;

    const answer = await createBrowser(world.url).visit(begin);

    expect(targetOf(answer)).toBe(`${publicUrl}/admin/sign-in?refused=provider_failed`);
    expect(world.infoLines()).toContainEqual(
      expect.objectContaining({ msg: 'operator.sign_in_refused', refusal: 'provider_failed' }),
    );
    provider.isAway = false;
    const again = await createBrowser(world.url).visit(begin);
    expect(targetOf(again)).toContain(`${provider.issuer}/auth?`);
  });
});

describe('nobody is signed in', () => {
  test('F15: when none of the groups gives a role', async () => {
    provider.person = { email: 'eve@staff.example', email_verified: true, groups: ['guests'] };

    const { browser, end } = await signIn();

    expect(end).toBe(`${publicUrl}/admin/sign-in?refused=no_role`);
    expect((await browser.visit('/admin/api/session')).status).toBe(401);
  });

  test('F15: when the provider refuses', async () => {
    provider.person = { deny: true };

    expect((await signIn()).end).toBe(`${publicUrl}/admin/sign-in?refused=refused`);
  });

  test('F16: by an answer for another browser, or by one that comes twice', async () => {
    const { browser, back } = await signIn();

    const stranger = await createBrowser(world.url).visit(pathOf(back));
    expect(targetOf(stranger)).toBe(`${publicUrl}/admin/sign-in?refused=expired`);
    expect(stranger.headers.getSetCookie().join()).not.toContain('dowel_admin=');
    const twice = await browser.visit(pathOf(back));
    expect(targetOf(twice)).toBe(`${publicUrl}/admin/sign-in?refused=expired`);
  });

  test('F16: by an answer to a sign-in that this browser did not begin', async () => {
    const attacker = createBrowser(world.url);
    const back = await provider.signIn(targetOf(await attacker.visit(begin)));
    const victim = createBrowser(world.url);
    await victim.visit(begin);

    const answer = await victim.visit(pathOf(back));

    expect(targetOf(answer)).toBe(`${publicUrl}/admin/sign-in?refused=expired`);
  });

  test('F16: by an answer to another sign-in, which does not end the one that this browser began last', async () => {
    const browser = createBrowser(world.url);
    const former = await provider.signIn(targetOf(await browser.visit(begin)));
    const back = await provider.signIn(targetOf(await browser.visit(begin)));

    const answer = await browser.visit(pathOf(former));

    expect(targetOf(answer)).toBe(`${publicUrl}/admin/sign-in?refused=expired`);
    expect(targetOf(await browser.visit(pathOf(back)))).toBe(`${publicUrl}/admin/`);
  });

  test('F16: by a code that another verifier asked for', async () => {
    const browser = createBrowser(world.url);
    const back = await provider.signIn(targetOf(await browser.visit(begin)));
    changeKept(browser.cookies, { codeVerifier: 'a'.repeat(43) });

    const answer = await browser.visit(pathOf(back));

    expect(targetOf(answer)).toBe(`${publicUrl}/admin/sign-in?refused=provider_failed`);
  });

  test('F16: by an ID token with another nonce', async () => {
    const browser = createBrowser(world.url);
    const back = await provider.signIn(targetOf(await browser.visit(begin)));
    changeKept(browser.cookies, { nonce: 'another' });

    const answer = await browser.visit(pathOf(back));

    expect(targetOf(answer)).toBe(`${publicUrl}/admin/sign-in?refused=provider_failed`);
  });

  test.each(['', 'x', Buffer.from('null').toString('base64url')])(
    'F16: with a cookie of nonsense: "%s"',
    async (value) => {
      const browser = createBrowser(world.url);
      browser.cookies.set(keptName, value);

      const answer = await browser.visit(`${begin}/callback?code=c&state=undefined`);

      expect(targetOf(answer)).toBe(`${publicUrl}/admin/sign-in?refused=expired`);
    },
  );
});

test.each([
  ['https://dowel.example', '__Host-dowel_oidc Path=/; HttpOnly; SameSite=Lax; Secure'],
  ['https://dowel.example/base', '__Secure-dowel_oidc Path=/base/; HttpOnly; SameSite=Lax; Secure'],
  ['http://127.0.0.1', 'dowel_oidc Path=/; HttpOnly; SameSite=Lax'],
])(
  'F16: the begun sign-in of %s is in a cookie that no other host sets, where that is possible',
  async (at, cookie) => {
    await using there = await startWorld({
      app: { publicUrl: at, dashboard: { directory: '', oidc: oidcSettingsOf(provider) } },
    });
    const browser = createBrowser(there.url);

    await browser.visit(begin);

    expect(browser.attributes).toEqual([`${cookie}; Max-Age=600`]);
  },
);

test('F17: an address that the provider has not verified is not used as a name', async () => {
  provider.person = { email: 'boss@staff.example', email_verified: false, groups: ['all'] };

  const { browser } = await signIn();

  const session = await browser.visit('/admin/api/session');
  expect(await session.json()).toMatchObject({ name: 'ada-1', role: 'viewer' });
});

test('F17: an address of the ID token is not verified by the userinfo endpoint', async () => {
  provider.person = { email: 'ada@staff.example', email_verified: true, groups: ['all'] };
  provider.inIdToken = { email: 'boss@staff.example' };

  const { browser } = await signIn();

  const session = await browser.visit('/admin/api/session');
  expect(await session.json()).toMatchObject({ name: 'ada-1' });
});

test('F17: an address that the ID token verifies is the name, without groups in it', async () => {
  provider.person = { email: 'old@staff.example', email_verified: false, groups: ['all'] };
  provider.inIdToken = { email: 'ada@staff.example', email_verified: true };

  const { browser } = await signIn();

  const session = await browser.visit('/admin/api/session');
  expect(await session.json()).toMatchObject({ name: 'ada@staff.example', role: 'viewer' });
});

test.each(['', ' ', 'a\r\nb\u001b@x.example', 'ada\u202egro.elpmaxe', 'a\u200bda@x.example'])(
  'F21, F32: an address that is no name of a person is not used as one: %j',
  async (email) => {
    provider.person = { email, email_verified: true, groups: ['all'] };

    const { browser } = await signIn();

    const session = await browser.visit('/admin/api/session');
    expect(await session.json()).toMatchObject({ name: 'ada-1' });
  },
);

test('F32: the name of a password account is another person: audit, sessions and language', async () => {
  const name = 'ada@staff.example';
  const cookie = await signInAs(world, name, 'viewer');
  await world.post(
    '/admin/api/session/language',
    { language: 'de' },
    { cookie, 'x-dowel-csrf': '1' },
  );
  provider.person = { email: name, email_verified: true, groups: ['all'] };

  const { browser } = await signIn();

  const session = (await (await browser.visit('/admin/api/session')).json()) as { name: string };
  expect(session).toMatchObject({ name, role: 'viewer', language: null });
  const { sessions } = (await (await browser.visit('/admin/api/sessions')).json()) as {
    sessions: { method: string }[];
  };
  expect(sessions.map(({ method }) => method)).toEqual(['oidc']);
  const { entries } = await world.store.audit.list({ who: name, limit: 10 });
  expect(entries.map(({ identity }) => identity)).toEqual([
    { method: 'oidc', issuer: provider.issuer, subject: 'ada-1' },
    { method: 'password', issuer: null, subject: name },
  ]);
});

test.each(['https://evil.example/', '//evil.example', '/\\evil.example', `/${'x'.repeat(600)}`])(
  'F16: no sign-in returns to another site: %s',
  async (returnTo) => {
    const { end } = await signIn(`${begin}?returnTo=${encodeURIComponent(returnTo)}`);

    expect(end).toBe(`${publicUrl}/admin/`);
  },
);

test('the log has no client secret and no token', async () => {
  await signIn();

  const text = world.logs.join('');
  expect(text).not.toContain(oidcClient.clientSecret);
  expect(text).not.toMatch(/eyJ|code=|code_verifier/);
});
