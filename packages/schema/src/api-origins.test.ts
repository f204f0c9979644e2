import { expect, test } from 'vitest';
import { describeApiOrigins, isApiOrigin, parseApiOrigins, withApiOrigin } from './api-origins.ts';

const issuer = 'https://acme.example.com';
const allows = (rules: string, url: string, iss = issuer) =>
  isApiOrigin(parseApiOrigins(rules), { issuer: iss, url: new URL(url) });

test('without a rule, the API of a tenant is at the origin of its issuer only', () => {
  expect(allows('', 'https://acme.example.com/api')).toBe(true);
  expect(allows('', 'https://api.example.com')).toBe(false);
});

test.each([
  ['https://acme.example.com=https://api.example.com', 'https://api.example.com/ctx', true],
  ['https://acme.example.com=https://api.example.com', 'https://acme.example.com', true],
  ['https://acme.example.com=https://api.example.com', 'https://api.example.com:8443', false],
  ['https://acme.example.com=https://api.example.com', 'http://api.example.com', false],
  ['https://other.example.com=https://api.example.com', 'https://api.example.com', false],
  ['https://*.example.com=https://*.api.test', 'https://acme.api.test', true],
  ['https://*.example.com=https://*.api.test', 'https://api.test', false],
  ['https://*.example.com=https://*.api.test', 'https://a.b.api.test', false],
  ['https://*.example.com=https://*.api.test', 'https://evilapi.test', false],
  ['https://a.test=https://b.test, https://*.example.com=https://c.test', 'https://c.test', true],
  ['*=https://api.example.com', 'https://api.example.com', true],
])('D01: the rules %s decide about %s: %s', (rules, url, expected) => {
  expect(allows(rules, url)).toBe(expected);
});

test.each([
  'https://api.example.com',
  'https://*.example.com=*',
  'https://*.example.com=https://*',
  'https://*.example.com=https://*.com',
  'https://*.example.com=https://*.com:8443',
  'https://*.example.com=https://*.0.0.1',
  'https://*.example.com=https://api.*.com',
  'https://*.example.com=http://api.example.com',
  'https://*.example.com=http://*.localhost',
  'https://*.example.com=https://user@api.example.com',
  'https://*.example.com=https://api.example.com/ctx',
  'https://*.example.com=https://api.example.com?x',
  'https://*.example.com=https://a.example.com=x',
  'https://*.example.com=ftp://api.example.com',
  'http://acme.example.com=https://api.example.com',
])('D01: the rule %s is refused with the way to fix it', (rule) => {
  expect(() => parseApiOrigins(rule)).toThrow(/such as|for example/);
});

test('the value that allows another origin keeps the rules, and allows it', () => {
  const rules = parseApiOrigins('https://*.example.com=https://*.api.test');
  const url = new URL('https://api.other.test/ctx');

  const value = withApiOrigin(rules, { issuer: `${issuer}/home`, url });

  expect(value).toBe(
    'https://*.example.com=https://*.api.test,https://acme.example.com=https://api.other.test',
  );
  expect(describeApiOrigins(parseApiOrigins(value ?? '')).join(',')).toBe(value);
  expect(allows(value ?? '', url.href)).toBe(true);
  expect(withApiOrigin(rules, { issuer, url: new URL('http://api.other.test') })).toBeUndefined();
});
