/** Validly signed events that would send a secret elsewhere: rows D01, D04, D05 and D07 of docs/threats.md. */
import { parseApiOrigins } from '@dowel/schema';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Lifecycle } from './lifecycle.ts';
import {
  createAccessTokenEvent,
  createLifecycleWorld,
  issuer,
  type LifecycleWorld,
  pluginId,
  tenantId,
} from './testing/lifecycle-world.ts';

let world: LifecycleWorld;
let lifecycle: Lifecycle;

beforeEach(async () => {
  world = await createLifecycleWorld();
  lifecycle = await world.start();
});

afterEach(() => world.stop());

test.each([
  'https://acme.example.com.evil.test/',
  'https://acme.example.com@evil.test/',
  'https://evil.test/https://acme.example.com/',
  'https://evil.test#acme.example.com',
  'https://evil.test?acme.example.com',
  'https://evil.test\\@acme.example.com/',
  'https://user@acme.example.com/',
  'https://user:pass@acme.example.com/',
  'https://acme.example.com/?x=1',
  'https://acme.example.com/#a',
  ' https://acme.example.com/',
  'https://acme.example.com\\x',
  'http://acme.example.com/',
  'https://acme.example.com:8443/',
  'https://www.acme.example.com/',
  'https://example.com/',
  'https://acme.example.com./',
  'https://127.0.0.1/',
  'https://[::1]/',
  'https://2130706433/',
  'https://①②⑦.⓪.⓪.①/',
  'https://169.254.169.254/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/plain,x',
  'ftp://acme.example.com/',
  '//acme.example.com',
  'acme.example.com',
])('D01: base_url %s is refused before anything is sent', async (base_url) => {
  const apiOrigins = parseApiOrigins('https://*.example.com=https://api.test');
  lifecycle = await world.start({ apiOrigins });

  const answer = await lifecycle.accept(createAccessTokenEvent('c1', { base_url }));

  expect(answer).toMatchObject({ status: 400, reason: 'base_url_not_allowed' });
  expect(world.exchangedCodes).toEqual([]);
});

test('the history of a refused event has no user name, password, query and fragment of its base_url', async () => {
  for (const [code, base_url] of Object.entries({
    c1: 'https://user:pass@acme.example.com/t/acme',
    c2: 'https://acme.example.com/?token=pass',
    c3: 'data:text/plain,pass',
  })) {
    await lifecycle.accept(createAccessTokenEvent(code, { base_url }));
  }

  const { id } = await world.findInstalled();
  const { entries } = await world.store.reports.listTimeline(id, { limit: 10, kinds: ['event'] });
  const urls = entries.map(({ entry }) => 'detail' in entry && entry.detail?.claims.base_url);
  expect(urls).toEqual([undefined, `${issuer}/`, `${issuer}/t/acme`]);
  expect(JSON.stringify(entries)).not.toContain('pass');
});

test.each([
  ['D04', 'https://evil.test/token'],
  ['D04', 'HTTPS://evil.test/token'],
  ['D04', '//evil.test/token'],
  ['D04', '///evil.test/token'],
  ['D04', '/\\evil.test'],
  ['D04', '\\\\evil.test'],
  ['D04', '/\t/evil.test'],
  ['D04', '@evil.test'],
  ['D04', '.evil.test@x'],
  ['D04', ':8443/x'],
  ['D04', ' /api'],
  ['D04', 'javascript:alert(1)'],
  ['D05', '/api/../admin'],
  ['D05', '/api/./token'],
  ['D05', '/api/%2e%2e/admin'],
  ['D05', '/api/%2F%2Fevil.test'],
  ['D05', '/api/oauth/token?grant_type=client_credentials'],
  ['D05', '/api/oauth/token#fragment'],
  ['D05', '/api\r\nHost: evil.test'],
  ['D05', '/api\u0000'],
  ['D05', '/api;a=b'],
])('%s: the token endpoint %j is refused before anything is sent', async (_row, url) => {
  const event = createAccessTokenEvent('c1', {}, { token_endpoint_url: url });

  expect((await lifecycle.accept(event)).reason).toBe('relative_url_not_allowed');
  expect(world.exchangedCodes).toEqual([]);
});

test.each([
  'https://evil.test/trigger',
  '//evil.test/trigger',
  '/\\evil.test',
  '@evil.test',
  'javascript:alert(1)',
  '/api/../admin',
  '/api/%2e%2e/admin',
  '/api#fragment',
  '/api\r\nHost: evil.test',
])(
  'D04, D05: the trigger %j is never stored, and the tokens of its event are kept',
  async (url) => {
    const event = createAccessTokenEvent('c1', {}, { trigger_event: { url, method: 'POST' } });

    expect(await lifecycle.accept(event)).toMatchObject({ status: 201, reason: null });

    expect(await world.storedToken()).toBe('access of c1');
    expect((await world.loadGrant())?.trigger).toBeNull();
  },
);

test.each([
  'https://acme.example.com/api/trigger',
  'https://api.test/trigger',
  '/api/trigger?tenant=a%2Fb',
])('a trigger at %s is used, and so is a token endpoint', async (url) => {
  const apiOrigins = parseApiOrigins('https://*.example.com=https://api.test');
  lifecycle = await world.start({ apiOrigins });
  const client = { token_endpoint_url: url, trigger_event: { url, method: 'POST' } };

  await lifecycle.accept(createAccessTokenEvent('c1', {}, client));

  expect(await world.loadGrant()).toMatchObject({ tokenEndpointUrl: url, trigger: { url } });
});

test('D07: another base_url on the same host is refused, and the old one continues to work', async () => {
  await lifecycle.accept(createAccessTokenEvent('c1', { base_url: `${issuer}/t/acme` }));

  const moved = createAccessTokenEvent('c2', { iat: 200, base_url: `${issuer}/t/evil` });
  expect(await lifecycle.accept(moved)).toMatchObject({ status: 400, reason: 'base_url_changed' });
  const respelled = createAccessTokenEvent('c3', { iat: 201, base_url: `${issuer}/t/acme/` });
  expect(await lifecycle.accept(respelled)).toMatchObject({ status: 201 });

  expect(world.exchangedCodes).toEqual(['c1', 'c3']);
  const installation = await world.store.installations.find({ issuer, tenantId, pluginId });
  expect(installation?.baseUrl).toBe(`${issuer}/t/acme/`);
});

test('D07: an event moves the base URL to another allowed origin, and never to a foreign one', async () => {
  const api = 'https://api.test/ctx';
  const apiOrigins = parseApiOrigins('https://*.example.com=https://api.test');
  lifecycle = await world.start({ apiOrigins });
  const move = (code: string, base_url: string) =>
    lifecycle.accept(createAccessTokenEvent(code, { iat: 100, base_url }));
  const baseUrl = async () => (await world.findInstalled()).baseUrl;

  expect(await move('c1', api)).toMatchObject({ status: 201 });
  expect(await baseUrl()).toBe(api);
  expect(await move('c2', 'https://evil.test/ctx')).toMatchObject({
    status: 400,
    reason: 'base_url_not_allowed',
  });
  expect(await move('c3', 'https://api.test/other')).toMatchObject({ reason: 'base_url_changed' });
  expect(await baseUrl()).toBe(api);
  expect(await move('c4', issuer)).toMatchObject({ status: 201 });
  expect(await baseUrl()).toBe(issuer);
});
