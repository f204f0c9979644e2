/** Limits of failed sign-ins at an identity provider: row F27 of docs/threats.md. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  changeKept,
  createBrowser,
  oidcSettingsOf,
  oidcStart,
  targetOf,
} from '../testing/oidc-browser.ts';
import { startOidcProvider, type TestOidcProvider } from '../testing/start-oidc-provider.ts';
import { startWorld, type World } from '../testing/start-world.ts';

const publicUrl = 'https://dowel.example';
const callback = `${oidcStart}/callback`;
const quarterMs = 15 * 60 * 1000;
let passedMs: number;
let provider: TestOidcProvider;
let world: World;

beforeAll(async () => {
  provider = await startOidcProvider(`${publicUrl}${callback}`);
});
afterAll(() => provider[Symbol.asyncDispose]());
beforeEach(async () => {
  passedMs = 0;
  provider.isAway = false;
  provider.person = { email: 'ada@staff.example', email_verified: true, groups: ['ops'] };
  world = await startWorld({
    app: {
      publicUrl,
      proxyHops: 1,
      now: () => Date.now() + passedMs,
      dashboard: { directory: '', oidc: oidcSettingsOf(provider) },
    },
  });
});
afterEach(() => world[Symbol.asyncDispose]());

/** Returns the refusal that the sign-in page gets, or the requested page. */
function endOf(answer: Response): string {
  const url = new URL(targetOf(answer));
  return url.searchParams.get('refused') ?? url.pathname;
}

/** A stranger's forged return. Its state is right: the stranger made the cookie, too. */
async function forgeReturn(address: string): Promise<string> {
  const browser = createBrowser(world.url, address);
  const codeVerifier = 'v'.repeat(43);
  changeKept(browser.cookies, { state: 's', nonce: 'n', codeVerifier, returnTo: '/' });
  const query = new URLSearchParams({ code: 'guess', state: 's', iss: provider.issuer });
  return endOf(await browser.visit(`${callback}?${query.toString()}`));
}

async function signIn(address: string): Promise<string> {
  const browser = createBrowser(world.url, address);
  const begun = await browser.visit(oidcStart);
  if (targetOf(begun).startsWith(publicUrl)) return endOf(begun);
  const back = await provider.signIn(targetOf(begun));
  return endOf(await browser.visit(back.slice(publicUrl.length)));
}

async function failTenTimes(addressOf: (count: number) => string): Promise<void> {
  for (let count = 1; count <= 10; count += 1) {
    expect(await forgeReturn(addressOf(count))).toBe('provider_failed');
  }
}

test('F27: ten failed returns from one address stop its sign-ins for a quarter of an hour', async () => {
  await failTenTimes(() => '192.0.2.1');
  const before = provider.requests;

  expect(await forgeReturn('192.0.2.1')).toBe('too_many');
  expect(await signIn('192.0.2.1')).toBe('too_many');

  expect(provider.requests).toBe(before);
  expect(await signIn('192.0.2.2')).toBe('/admin/');
  passedMs = quarterMs;
  expect(await signIn('192.0.2.1')).toBe('/admin/');
});

test('F27: an owner of a whole IPv6 network counts as one address', async () => {
  await failTenTimes((count) => `2001:db8:1:2::${count}`);

  expect(await forgeReturn('2001:db8:1:2::ff')).toBe('too_many');
  expect(await forgeReturn('2001:db8:1:3::1')).toBe('provider_failed');
});

test('F27: returns at the same time do not pass the limit together', async () => {
  const ends = await Promise.all(Array.from({ length: 15 }, () => forgeReturn('192.0.2.1')));

  expect(ends.filter((end) => end === 'provider_failed')).toHaveLength(10);
  expect(ends.filter((end) => end === 'too_many')).toHaveLength(5);
});

test('F27: a return that is expired or was used asks the provider nothing, and counts nothing', async () => {
  const before = provider.requests;
  for (let count = 0; count < 20; count += 1) {
    const browser = createBrowser(world.url);
    expect(endOf(await browser.visit(`${callback}?code=c&state=s`))).toBe('expired');
    changeKept(browser.cookies, { state: 't', nonce: 'n', codeVerifier: 'v', returnTo: '/' });
    expect(endOf(await browser.visit(`${callback}?code=c&state=s`))).toBe('expired');
  }

  expect(provider.requests).toBe(before);
  expect(await signIn('192.0.2.1')).toBe('/admin/');
});

test('F27: a sign-in that succeeds counts nothing', async () => {
  for (let count = 0; count < 11; count += 1) expect(await signIn('192.0.2.1')).toBe('/admin/');
});

test('F27: failed starts, as in an outage, stop an address after a hundred, not after ten', async () => {
  provider.isAway = true;
  const start = async () => endOf(await createBrowser(world.url).visit(oidcStart));
  for (let count = 0; count < 99; count += 1) expect(await start()).toBe('provider_failed');
  expect(await forgeReturn('192.0.2.1')).toBe('provider_failed');
  const before = provider.requests;

  expect(await start()).toBe('too_many');

  expect(provider.requests).toBe(before);
});
