import { describe, expect, test } from 'vitest';
import { readClaimedHost } from './claimed-host.ts';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const jwtOf = (claims: object, header: object = { alg: 'RS256' }) =>
  `${encode(header)}.${encode(claims)}.c2ln`;

describe('the host that a refused JWT names', () => {
  test.each([
    ['https://Acme.Example.com/tenants/7', 'acme.example.com'],
    ['http://127.0.0.1:4000', '127.0.0.1:4000'],
    ['https://[2001:DB8::1]:8443/', '[2001:db8::1]:8443'],
    ['https://bücher.example', 'xn--bcher-kva.example'],
  ])('of %s is %s', (iss, claimed) => {
    expect(readClaimedHost(jwtOf({ iss }))).toBe(claimed);
  });

  test('is that of the example', () => {
    const refusedJwt = jwtOf({ iss: 'https://acme.example.com/' });
    const issuer = readClaimedHost(refusedJwt); // 'acme.example.com'
    expect(issuer).toBe('acme.example.com');
  });

  test('is read without the header', () => {
    expect(readClaimedHost(jwtOf({ iss: 'https://acme.example.com' }, { alg: 'none' }))).toBe(
      'acme.example.com',
    );
  });

  test.each([
    'javascript:alert(1)',
    'https://user:secret@acme.example.com',
    'https://acme.example.com?token=secret',
    'https://acme.example.com\n',
    'https://a\u0000b.example',
    `https://${'a.'.repeat(200)}example`,
    "https://acme.example.com'--",
    '<script>',
    '',
    7,
    null,
  ])('I13: is nothing for the issuer %j', (iss) => {
    expect(readClaimedHost(jwtOf({ iss }))).toBe('');
  });

  test.each([
    '',
    'a.b.c',
    'no JWT',
    `${encode({})}.${encode([])}.x`,
    jwtOf({ iss: 'https://acme.example.com', fill: 'x'.repeat(20_000) }),
  ])('is nothing for %.20s, which is no JWT', (jwt) => {
    expect(readClaimedHost(jwt)).toBe('');
  });
});
