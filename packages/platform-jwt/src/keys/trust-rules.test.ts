import { issuerMatches } from '@dowel/schema';
import { describe, expect, test } from 'vitest';
import { describeRules } from './describe-trust.ts';
import { shareKeys } from './key-binding.ts';
import { parseTrustRules } from './trust-rules.ts';

const keys = 'https://keys.example.com/';

describe('issuerMatches', () => {
  test.each([
    ['https://acme.example.com', 'https://acme.example.com', true],
    ['https://acme.example.com', 'https://acme.example.com/home', true],
    ['https://acme.example.com', 'https://acme.example.com.evil.test', false],
    ['https://acme.example.com', 'http://acme.example.com', false],
    ['https://acme.example.com', 'https://acme.example.com:8443', false],
    ['https://*.example.com', 'https://a.example.com', true],
    ['https://*.example.com', 'https://a.b.example.com', true],
    ['https://*.example.com', 'https://example.com', false],
    ['https://*.example.com', 'https://evilexample.com', false],
    ['https://*.example.com', 'https://user@a.example.com', false],
    ['https://acme.example.com', 'https://Acme.example.com:443/', true],
    ['https://Acme.example.com:443/', 'https://acme.example.com', true],
    ['https://*.example.com', 'https://a.example.com/?', false],
    ['*', 'https://anything.test', true],
    ['*', 'http://anything.test', false],
    ['*', 'http://localhost:4300', true],
    ['*', 'ftp://anything.test', false],
    ['*', 'https://anything.test/#', false],
  ])('the rule %s judges %s as %s', (issuer, iss, trusted) => {
    expect(parseTrustRules(`${issuer}=${keys}`).some((rule) => issuerMatches(rule, iss))).toBe(
      trusted,
    );
  });
});

describe('shareKeys', () => {
  test.each([
    ['https://a.example.com', 'https://b.example.com', true],
    ['https://a.example.com', 'https://intranet.acme.test', true],
    ['https://a.example.com', 'https://acme.other.test', false],
    ['https://a.example.com', 'https://stranger.test', false],
    ['https://stranger.test', 'https://stranger.test', false],
  ])('%s and %s: %s', (issuer, other, isShared) => {
    const rules = parseTrustRules(`https://*.example.com=${keys} https://intranet.acme.test=${keys}
      https://*.other.test=https://keys.other.test/`);

    expect(shareKeys(rules, issuer, other)).toBe(isShared);
    expect(shareKeys(rules, other, issuer)).toBe(isShared);
  });
});

describe('parseTrustRules', () => {
  test.each([
    'https://acme.example.com',
    'acme.example.com=https://keys.example.com/',
    'https://acme.example.com=https://keys.example.com/keys',
    'http://acme.example.com=https://keys.example.com/',
    'https://acme.example.com=http://keys.example.com/',
    'http://acme.localhost=https://keys.example.com/',
    'https://*=https://keys.example.com/',
    'https://acme.example.com/path=https://keys.example.com/',
    'https://a.example.com=https://keys.example.com/=x',
    'https://a.example.com=https://keys.example.com/caf%C3%A9/',
    'https://a.example.com=https://keys.example.com/café/',
    'https://a.example.com=https://keys.example.com/a+b/',
    'https://a.example.com=https://keys.example.com/a:b@c/',
    'haillo',
  ])('%s is refused with the way to fix it', (rule) => {
    expect(() => parseTrustRules(rule)).toThrow(/such as|for example|must be|may have/);
  });

  test.each(['localhost:4300', '127.0.0.1:4300', '127.0.0.2', '[::1]:4300'])(
    'http://%s is a trusted issuer with keys, because it is this machine',
    (host) => {
      const [rule] = parseTrustRules(`http://${host}=http://${host}/keys/`);

      expect(rule).toMatchObject({ issuer: { host }, keys: { origin: `http://${host}` } });
    },
  );

  test('the word haiilo stands for the issuers of that platform, each with both key hosts', () => {
    const rules = parseTrustRules('haiilo,https://acme.example.com=https://keys.example.com/');

    expect(describeRules(rules)).toEqual([
      ...['coyoapp.com', 'haiilo.com', 'haiilocloud.com', 'coyocloud.com'].flatMap((domain) => [
        `https://*.${domain}=https://plugins.coyoapp.com/`,
        `https://*.${domain}=https://certificates.plugins.coyoapp.com/`,
      ]),
      'https://acme.example.com=https://keys.example.com/',
    ]);
  });
});
