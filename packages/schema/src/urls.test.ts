import { describe, expect, test } from 'vitest';
import { eventUrl, joinPlatformUrl, resolveUrl } from './urls.ts';

describe('joinPlatformUrl', () => {
  test.each([
    ['https://t.example', 'api/token', 'https://t.example/api/token'],
    ['https://t.example/', '/api/token', 'https://t.example/api/token'],
    ['https://t.example/ctx', 'api/token', 'https://t.example/ctx/api/token'],
    ['https://t.example/ctx/', '/api/token', 'https://t.example/ctx/api/token'],
    ['https://t.example:8443/ctx//', '/api/a.b-c_d~e', 'https://t.example:8443/ctx/api/a.b-c_d~e'],
  ])('%s and %s make %s', (baseUrl, path, url) => {
    expect(joinPlatformUrl(baseUrl, path).href).toBe(url);
  });

  test.each([
    'https://evil.test/x',
    '//evil.test/x',
    '\\\\evil.test',
    '/\\evil.test',
    '@evil.test/x',
    ':8443/x',
    '/a/../b',
    '/./a',
    '/a/%2e%2e/b',
    '/a//b',
    '/a?b',
    '/a#b',
    '/a\t',
    '/a\n',
    '/a\u0000',
    '',
  ])('the path %j is refused', (path) => {
    expect(() => joinPlatformUrl('https://t.example', path)).toThrow(TypeError);
  });

  test.each(['ftp://t.example', 'https://user@t.example', 'javascript:alert(1)', 't.example', ''])(
    'the base URL %j is refused',
    (baseUrl) => {
      expect(() => joinPlatformUrl(baseUrl, '/a')).toThrow(TypeError);
    },
  );

  test('a refusal does not repeat the input', () => {
    expect(() => joinPlatformUrl('https://t.example', '/secret?x')).toThrow(/^(?!.*secret)/);
  });
});

describe('resolveUrl and eventUrl', () => {
  test.each([
    ['lifecycle/', 'https://p.example/app/lifecycle/access_token'],
    ['lifecycle', 'https://p.example/app/lifecycle/access_token'],
    ['/lifecycle/', 'https://p.example/lifecycle/access_token'],
    ['https://other.example/x', 'https://other.example/x/access_token'],
  ])('apiAccess.url %s becomes %s', (url, expected) => {
    const base = resolveUrl(url, 'https://p.example/app/manifest.json');

    expect(eventUrl(base, 'access_token').href).toBe(expected);
  });

  test('a URL that is no http(s) is refused', () => {
    expect(() => resolveUrl('javascript:alert(1)', 'https://p.example/')).toThrow(TypeError);
  });
});
