import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonicalIssuer,
  eventUrl,
  hasDotSegment,
  isLoopback,
  joinPlatformUrl,
  resolvePlatformUrl,
  resolveUrl,
} from './urls.ts';

const tenant = 'https://t.example';
const manifestUrl = 'https://p.example/app/manifest.json';

/** Threats D04 and D05: "relative" paths that are not. */
const hostilePaths = [
  'https://evil.test/x',
  'HTTPS://evil.test/x',
  'https:evil.test',
  'javascript:alert(1)',
  'data:,x',
  'file:///etc/passwd',
  '//evil.test/x',
  '///evil.test/x',
  '////evil.test',
  '/\\evil.test',
  '\\\\evil.test',
  '\\/evil.test',
  '\\evil.test',
  '/\t/evil.test',
  '\t//evil.test',
  ' //evil.test',
  '/ /evil.test',
  '@evil.test/x',
  ':pw@evil.test/x',
  ':8443/x',
  '[::1]/x',
  '/a:8443/x',
  '/a@evil.test/x',
  '/%2f%2fevil.test',
  '/%5cevil.test',
  '/．．/x',
  '/①②⑦.0.0.1',
  '/a/../b',
  '/..',
  '../b',
  '/./a',
  '.',
  '/a/..',
  '/a/%2e%2e/b',
  '/a/.%2E/b',
  '/a/%2e/b',
  '/a//b',
  '/a/',
  '/',
  '/a?b',
  '/api/oauth/token?grant_type=client_credentials',
  '?grant_type=client_credentials',
  '/a#b',
  '#b',
  '/a;b',
  '/a&b',
  '/a=b',
  '/a%00',
  '/a\u0000',
  '/a\t',
  '/a\n',
  '/a\r\nHost: evil.test',
  '/a\u2028',
  '/a b',
  '/ä',
  '',
  ' ',
];

describe('a dot segment', () => {
  test.each([
    '..',
    './a',
    '/a/../b',
    '/a/.',
    '/a/%2e%2E/b',
    '/a/.%2e',
    '/a%2f..%2fb',
    '/a%5C../b',
    '/a/..;x/b',
    '/a/..%3Bx',
  ])('is found in %s', (path) => {
    expect(hasDotSegment(path)).toBe(true);
  });

  test.each(['/a/b', '/a/...', '/a/.b', '/a/b.', '/a/..b', '/a;../b', '/%2ea'])(
    'is not in %s',
    (path) => {
      expect(hasDotSegment(path)).toBe(false);
    },
  );
});

describe('joinPlatformUrl', () => {
  test.each([
    ['https://t.example', 'api/token', 'https://t.example/api/token'],
    ['https://t.example/', '/api/token', 'https://t.example/api/token'],
    ['https://t.example/ctx', 'api/token', 'https://t.example/ctx/api/token'],
    ['https://t.example/ctx/', '/api/token', 'https://t.example/ctx/api/token'],
    ['https://t.example:8443/ctx//', '/api/a.b-c_d~e', 'https://t.example:8443/ctx/api/a.b-c_d~e'],
    ['https://t.example:443', '/a', 'https://t.example/a'],
    ['http://127.0.0.1:4311/t/acme', 'a', 'http://127.0.0.1:4311/t/acme/a'],
    ['https://[2001:db8::1]:8443/ctx', '/a', 'https://[2001:db8::1]:8443/ctx/a'],
    ['http://[::1]', 'a/b', 'http://[::1]/a/b'],
    ['HTTPS://T.example', '.evil.test', 'https://t.example/.evil.test'],
    ['https://t.example', '...', 'https://t.example/...'],
  ])('%s and %s make %s', (baseUrl, path, url) => {
    expect(joinPlatformUrl(baseUrl, path).href).toBe(url);
  });

  test.each(hostilePaths)('D04: the path %j is refused', (path) => {
    expect(() => joinPlatformUrl(tenant, path)).toThrow(TypeError);
    expect(() => joinPlatformUrl(`${tenant}/ctx/`, path)).toThrow(TypeError);
  });

  test.each([
    '',
    't.example',
    '//t.example',
    '/ctx',
    'ftp://t.example',
    'javascript:alert(1)',
    'file:///etc',
    'https:t.example',
    'https:/t.example',
    'https:///t.example',
    'https:\\\\t.example',
    'https://t.example\\@evil.test',
    'https://user@t.example',
    'https://:pw@t.example',
    'https://@t.example',
    'https://t.example@evil.test/',
    'https://t.example/?x=',
    'https://t.example/#',
    'https://t.example?x',
    ' https://t.example',
    'https://t.example\n',
    'https://t.ex\tample',
    'https://t.example/c\u0000tx',
    'https://t.example:70000',
    'https://t.example:port',
    'https://[::1',
    'https://[fe80::1%25eth0]',
    'https://',
    'https://t exa.mple',
  ])('the base URL %j is refused', (baseUrl) => {
    expect(() => joinPlatformUrl(baseUrl, '/a')).toThrow(TypeError);
  });

  test('a refusal does not repeat the input', () => {
    expect(() => joinPlatformUrl(tenant, '/secret?x')).toThrow(/^(?!.*secret)/);
    expect(() => joinPlatformUrl('https://secret@t.example', '/x')).toThrow(/^(?!.*secret)/);
  });

  test('D05: never leaves the origin, the path of base_url, or the plain characters', () => {
    const bases = fc.constantFrom(
      'https://t.example',
      'http://[::1]:8443/ctx/',
      'https://t.example:1/a//',
    );
    const pieces = fc.constantFrom(...hostilePaths, '/', 'a', '..', '%', '\\', '@', ':', '//');
    const paths = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webPath(),
      fc.webUrl(),
      fc.array(pieces, { maxLength: 5 }).map((each) => each.join('')),
    );
    fc.assert(
      fc.property(bases, paths, (baseUrl, path) => {
        const joined = tryTo(() => joinPlatformUrl(baseUrl, path));
        if (!joined) return;

        const base = new URL(baseUrl);
        expect(joined.origin).toBe(base.origin);
        expect(joined.href).toBe(`${base.href.replace(/\/+$/, '')}/${path.replace(/^\//, '')}`);
        expect(joined.pathname).toMatch(/^(?:\/[\w.~-]+)+$/);
      }),
      { numRuns: 5000 },
    );
  });
});

function tryTo(join: () => URL): URL | undefined {
  try {
    return join();
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return undefined;
  }
}

describe('resolvePlatformUrl', () => {
  /** These are understood here, and stay below the tenant's origin. */
  const understood = ['/a/', '/a?b', '/api/oauth/token?grant_type=client_credentials'];
  const isApi = ({ origin }: URL) =>
    origin === 'https://api.example' || origin === 'http://api.example';

  test.each([
    ['https://t.example/ctx', '/api/token', 'https://t.example/ctx/api/token'],
    ['https://t.example/ctx/', 'api/token/', 'https://t.example/ctx/api/token/'],
    ['https://t.example/ctx', '/a?b=%2F&c', 'https://t.example/ctx/a?b=%2F&c'],
    ['https://t.example/ctx', 'https://t.example/a/b?c', 'https://t.example/a/b?c'],
    ['https://t.example/ctx', 'HTTPS://T.example:443/a', 'https://t.example/a'],
    ['https://t.example/ctx', 'https://api.example/a/b', 'https://api.example/a/b'],
    ['http://[::1]:4300/t', 'http://[::1]:4300/a', 'http://[::1]:4300/a'],
  ])('%s and %s make %s', (baseUrl, address, url) => {
    expect(resolvePlatformUrl(baseUrl, address, isApi).href).toBe(url);
  });

  test.each([
    ...hostilePaths.filter((path) => !understood.includes(path)),
    'https://t.example',
    'https://t.example/',
    'https://t.example//a',
    'https://t.example/a//b',
    'https://t.example/a/../b',
    'https://t.example/%2e%2e/b',
    'https://user@t.example/a',
    'https://t.example@evil.test/a',
    'https://t.example\\@evil.test/a',
    'https://t.example:8443/a',
    'http://t.example/a',
    'http://api.example/a',
    'https://api.example.evil.test/a',
    'https://[::1/a',
    '/a?b#c',
    '/a?b\r\nX: y',
    '/a?b=%zz',
    '/a?b c',
  ])('D04: the address %j is refused', (address) => {
    expect(() => resolvePlatformUrl('https://t.example/ctx', address, isApi)).toThrow(TypeError);
  });

  test('D05: never leaves the allowed origins, for any text', () => {
    const pieces = fc.constantFrom(
      ...hostilePaths,
      'https://t.example',
      'https://api.example',
      '/a',
      '?b',
    );
    const addresses = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webUrl({ withQueryParameters: true }),
      fc.array(pieces, { maxLength: 5 }).map((each) => each.join('')),
    );
    fc.assert(
      fc.property(addresses, (address) => {
        const url = tryTo(() => resolvePlatformUrl('https://t.example/ctx', address, isApi));
        if (!url) return;

        expect(['https://t.example', 'https://api.example']).toContain(url.origin);
        expect(url.pathname).toMatch(/^(?:\/[\w.~-]+)+\/?$/);
        expect(url.href).toBe(`${url.origin}${url.pathname}${url.search}`);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('resolveUrl and eventUrl', () => {
  test.each([
    ['lifecycle/', 'https://p.example/app/lifecycle/access_token'],
    ['lifecycle', 'https://p.example/app/lifecycle/access_token'],
    ['/lifecycle/', 'https://p.example/lifecycle/access_token'],
    ['../lifecycle//', 'https://p.example/lifecycle/access_token'],
    ['.', 'https://p.example/app/access_token'],
    ['https://other.example/x', 'https://other.example/x/access_token'],
    ['http://[::1]:8443', 'http://[::1]:8443/access_token'],
    ['lifecycle/?x=1', 'https://p.example/app/lifecycle/access_token?x=1'],
  ])('apiAccess.url %s becomes %s', (url, expected) => {
    expect(eventUrl(resolveUrl(url, manifestUrl), 'access_token').href).toBe(expected);
  });

  test.each([
    ['plugin/?view=1#top', 'https://p.example/app/plugin/?view=1#top'],
    ['?view=1', 'https://p.example/app/manifest.json?view=1'],
    ['ä b'.replace(' ', ''), 'https://p.example/app/%C3%A4b'],
    ['./a:b', 'https://p.example/app/a:b'],
    ['../../../x', 'https://p.example/x'],
    ['HTTPS://Other.example', 'https://other.example/'],
  ])('a page at %s is %s', (url, expected) => {
    expect(resolveUrl(url, manifestUrl).href).toBe(expected);
  });

  test.each([
    '',
    ' ',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,x',
    'blob:https://p.example/x',
    'file:///etc/passwd',
    'ftp://p.example/',
    'ws://p.example/',
    '//evil.test/',
    '///evil.test/',
    '/\\evil.test/',
    '\\\\evil.test/',
    '/\t/evil.test/',
    '/\n/evil.test/',
    ' //evil.test/',
    'https:evil.test',
    'https:/evil.test',
    'https:///evil.test',
    'https:\\\\evil.test',
    'https://user@p.example/',
    'https://p.example@evil.test/',
    'https://p.example\\@evil.test/',
    'https://p.example:99999/',
    'https://[::1',
    'https://',
    'a b',
    'a\u0000',
    'mailto:x@y.test',
  ])('%j is refused', (url) => {
    expect(() => resolveUrl(url, manifestUrl)).toThrow(TypeError);
  });

  test('any relative URL stays at the origin of the manifest', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (url) => {
        fc.pre(!/^https?:/i.test(url));
        try {
          expect(resolveUrl(url, manifestUrl).origin).toBe('https://p.example');
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
        }
      }),
      { numRuns: 5000 },
    );
  });

  test.each(['', 'manifest.json', 'file:///manifest.json', 'https://u@p.example/'])(
    'nothing is resolved against %j',
    (wrong) => {
      expect(() => resolveUrl('https://p.example/', wrong)).toThrow(TypeError);
    },
  );
});

describe('an issuer has one canonical spelling', () => {
  test('each slash is read once, even when there are millions', () => {
    const slashes = '/'.repeat(2_000_000);

    expect(canonicalIssuer(`https://x.example${slashes}a`)).toBe(`https://x.example${slashes}a`);
    expect(canonicalIssuer(`https://x.example${slashes}`)).toBe('https://x.example');
  });

  test.each([
    ['https://x.example', 'https://x.example'],
    ['https://x.example/', 'https://x.example'],
    ['https://X.example:443/', 'https://x.example'],
    ['HTTP://x.example:80', 'http://x.example'],
    ['https://x.example:8443/', 'https://x.example:8443'],
    ['https://x.example/ctx/', 'https://x.example/ctx'],
    ['https://x.example/Ctx', 'https://x.example/Ctx'],
    ['https://x.example/a/../ctx//', 'https://x.example/ctx'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example'],
  ])('%s becomes %s', (text, canonical) => {
    expect(canonicalIssuer(text)).toBe(canonical);
  });

  test.each([
    '',
    'x.example',
    'ftp://x.example',
    'https://user@x.example',
    'https://user:secret@x.example',
    'https://x.example?',
    'https://x.example/?tenant=1',
    'https://x.example/#',
    'https://x.example\\ctx',
    ' https://x.example',
    'https://[::1',
  ])('%j has none', (text) => {
    expect(canonicalIssuer(text)).toBeUndefined();
  });

  test('the canonical spelling of a canonical spelling is itself', () => {
    fc.assert(
      fc.property(fc.webUrl(), (url) => {
        const canonical = canonicalIssuer(url);
        fc.pre(canonical !== undefined);
        expect(canonicalIssuer(canonical)).toBe(canonical);
        expect(canonicalIssuer(`${canonical}/`)).toBe(canonical);
        expect(new URL(canonical).origin).toBe(new URL(url).origin);
      }),
    );
  });
});

test.each([
  ['http://localhost:4300', true],
  ['http://127.0.0.1', true],
  ['http://127.1', true],
  ['http://127.255.0.9:80/x', true],
  ['http://[::1]:4300', true],
  ['http://[::2]', false],
  ['http://plugin.localhost', false],
  ['http://localhost.evil.test', false],
  ['http://127.0.0.1.evil.test', false],
  ['http://0.0.0.0', false],
])('the host of %s is this machine: %s', (url, expected) => {
  expect(isLoopback(new URL(url))).toBe(expected);
});
