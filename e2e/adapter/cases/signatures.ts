/** Tokens with a missing, wrong or changed signature. */
import { type Case, encodeText, type Group, withPart } from './case.ts';

const flip = (part: string) =>
  `${part.slice(0, 20)}${part[20] === 'A' ? 'B' : 'A'}${part.slice(21)}`;
const unsigned = { signer: 'nobody' } as const;

function withHeader(name: string, header: Record<string, unknown>): Case {
  return { name, expected: 'ERR2', forgery: { header } };
}

const algorithms: Case[] = [
  {
    name: 'alg none without a signature',
    expected: 'ERR2',
    forgery: { ...unsigned, header: { alg: 'none' } },
  },
  {
    name: 'alg None without a signature',
    expected: 'ERR2',
    forgery: { ...unsigned, header: { alg: 'None' } },
  },
  {
    name: 'alg none with the platform’s signature',
    expected: 'ERR2',
    forgery: { header: { alg: 'none' } },
  },
  { name: 'RS512 without a signature', expected: 'ERR2', forgery: unsigned },
  {
    name: 'HS256 keyed with the public key',
    expected: 'ERR2',
    forgery: { signer: 'hmac', header: { alg: 'HS256' } },
  },
  {
    name: 'HS512 keyed with the public key',
    expected: 'ERR2',
    forgery: { signer: 'hmac', hash: 'SHA-512', header: { alg: 'HS512' } },
  },
  { name: 'a key of somebody else', expected: 'ERR2', forgery: { signer: 'stranger' } },
  {
    name: 'RS256 where the key is for RS512',
    expected: 'ERR2',
    forgery: { hash: 'SHA-256', header: { alg: 'RS256' } },
  },
  {
    name: 'RS384 where the key is for RS512',
    expected: 'ERR2',
    forgery: { hash: 'SHA-384', header: { alg: 'RS384' } },
  },
  {
    name: 'a SHA-256 signature under the name RS512',
    expected: 'ERR2',
    forgery: { hash: 'SHA-256' },
  },
  {
    name: 'PS512 with the platform’s key',
    expected: 'ERR2',
    forgery: { signer: 'pss', header: { alg: 'PS512' } },
  },
  { name: 'a PSS signature under the name RS512', expected: 'ERR2', forgery: { signer: 'pss' } },
  { name: 'ES256', expected: 'ERR2', forgery: { signer: 'ec', header: { alg: 'ES256' } } },
  { name: 'an EC signature under the name RS512', expected: 'ERR2', forgery: { signer: 'ec' } },
  withHeader('alg in small letters', { alg: 'rs512' }),
  withHeader('alg as an array', { alg: ['RS512'] }),
  withHeader('alg as an object', { alg: { name: 'RS512' } }),
  withHeader('alg null', { alg: null }),
  withHeader('no alg', { alg: undefined }),
  withHeader('alg RS1', { alg: 'RS1' }),
  withHeader('alg RS512 and a line break', { alg: 'RS512\n' }),
  withHeader('alg RS368 of the published list', { alg: 'RS368' }),
];

const headers: Case[] = [
  withHeader('crit', { crit: ['exp'] }),
  withHeader('b64 false', { b64: false, crit: ['b64'] }),
  withHeader('an own jwk', { jwk: { kty: 'RSA', n: 'AQAB', e: 'AQAB' } }),
  withHeader('x5c', { x5c: ['MIIB'] }),
  withHeader('x5u', { x5u: 'http://localhost/cert' }),
  withHeader('zip', { zip: 'DEF' }),
  withHeader('x5t#S512', { 'x5t#S512': 'AAAA' }),
  withHeader('enc', { enc: 'A256GCM' }),
  withHeader('typ of an access token', { typ: 'at+jwt' }),
  withHeader('typ null', { typ: null }),
  withHeader('typ as an array', { typ: ['JWT'] }),
  { name: 'a header that is null', expected: 'ERR2', forgery: { headerText: () => 'null' } },
  { name: 'a header that is an array', expected: 'ERR2', forgery: { headerText: () => '[]' } },
  {
    name: 'a header that is not JSON',
    expected: 'ERR2',
    forgery: { headerText: () => '{alg:RS512}' },
  },
  {
    name: 'a header with __proto__',
    expected: 'ERR2',
    forgery: { headerText: (json) => json.replace('{', '{"__proto__":{"alg":"none"},') },
  },
  { name: 'no typ is as good as JWT', expected: 'first', forgery: { header: { typ: undefined } } },
  ...[{ typ: 'jwt' }, { cty: 'JWT' }, { x5t: 'AAAA' }, { 'x5t#S256': 'AAAA' }].map(
    (header): Case => ({
      name: `the header ${JSON.stringify(header)} changes nothing`,
      expected: 'first',
      forgery: { header },
    }),
  ),
  { name: 'a kid is allowed', expected: 'first', forgery: { header: { kid: 'main' } } },
  {
    name: 'RS256 with a key for it',
    expected: 'first',
    forgery: { hash: 'SHA-256', header: { alg: 'RS256' }, jku: ({ keys }) => `${keys}/sha-256` },
  },
  {
    name: 'RS384 with a key for it',
    expected: 'first',
    forgery: { hash: 'SHA-384', header: { alg: 'RS384' }, jku: ({ keys }) => `${keys}/sha-384` },
  },
];

function changed(name: string, change: (token: string) => unknown): Case {
  return { name, expected: 'ERR2', forgery: { change } };
}

const texts: Case[] = [
  changed('another letter in the signature', withPart(2, flip)),
  changed(
    'the signature of another token',
    withPart(2, (part) => part.split('').reverse().join('')),
  ),
  changed(
    'half a signature',
    withPart(2, (part) => part.slice(0, 171)),
  ),
  changed(
    'a signature of one letter',
    withPart(2, () => 'A'),
  ),
  changed(
    'a signature twice as long',
    withPart(2, (part) => part + part),
  ),
  changed(
    'an all-zero signature',
    withPart(2, () => 'A'.repeat(342)),
  ),
  changed(
    'another header under the signature',
    withPart(0, () => encodeText('{"alg":"RS512","typ":"JWT","jku":""}').slice(0, -4)),
  ),
  changed(
    'a claim added after signing',
    withPart(1, (part) =>
      encodeText(
        atob(part.replaceAll('-', '+').replaceAll('_', '/')).replace('}', ',"ctx.admin":"yes"}'),
      ),
    ),
  ),
  changed('two parts', (token) => token.split('.').slice(0, 2).join('.')),
  changed('four parts', (token) => `${token}.AAAA`),
  changed('five parts, as JWE', (token) => `${token}.AAAA.AAAA`),
  changed('a dot at the end', (token) => `${token}.`),
  changed('padding after the signature', (token) => `${token}==`),
  changed(
    'padding after the header',
    withPart(0, (part) => `${part}=`),
  ),
  changed('a blank at the end', (token) => `${token} `),
  changed('a line break at the end', (token) => `${token}\n`),
  changed('a blank at the start', (token) => ` ${token}`),
  changed('a byte order mark at the start', (token) => `\ufeff${token}`),
  changed(
    'base64 with plus and slash',
    withPart(2, (part) => `+/${part.slice(2)}`),
  ),
  changed(
    'other letters than base64url',
    withPart(2, (part) => `é${part.slice(1)}`),
  ),
  changed(
    'a signature of 60,000 letters',
    withPart(2, () => 'A'.repeat(60_000)),
  ),
  changed(
    'a header of 60,000 letters',
    withPart(0, () => 'A'.repeat(60_000)),
  ),
];

export const signatures: Group = {
  title: 'what no platform signed is never believed',
  cases: [...algorithms, ...headers, ...texts].map((each) => ({
    ...each,
    name: each.expected === 'first' ? each.name : `${each.name} is refused`,
  })),
};
