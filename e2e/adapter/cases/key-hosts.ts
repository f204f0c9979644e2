/** The key's location in the token, and the document at that location. */
import type { World } from '../world.ts';
import type { Case, Expected, Group } from './case.ts';

type Origins = World['origins'];

function keyAt(what: string, expected: Expected, jku: (origins: Origins) => unknown): Case {
  return { name: `a key ${what} is not used`, expected, forgery: { signer: 'stranger', jku } };
}

/** All of these keys would verify the token. */
const untrusted: Case[] = [
  keyAt('on a stranger’s host', 'ERR8', ({ strangerKeys }) => `${strangerKeys}/stranger`),
  keyAt(
    'behind the trusted host as user name',
    'ERR8',
    ({ keys, strangerKeys }) => `${keys}@${new URL(strangerKeys).host}/stranger`,
  ),
  keyAt(
    'behind the trusted host as user name and password',
    'ERR8',
    ({ keys, strangerKeys }) => `${keys}:x@${new URL(strangerKeys).host}/stranger`,
  ),
  keyAt(
    'behind a backslash after the trusted host',
    'ERR8',
    ({ keys, strangerKeys }) => `${keys}\\@${new URL(strangerKeys).host}/stranger`,
  ),
  keyAt(
    'on a host that starts like the trusted one',
    'ERR8',
    ({ keys, strangerKeys }) => `${keys}.${new URL(strangerKeys).host}/stranger`,
  ),
  keyAt('on a port that starts like the trusted one', 'ERR8', ({ keys }) => `${keys}0/stranger`),
  keyAt(
    'with the trusted host in its path',
    'ERR8',
    ({ keys, strangerKeys }) => `${strangerKeys}/stranger?${keys}/`,
  ),
  keyAt(
    'with the trusted host in its fragment',
    'ERR8',
    ({ keys, strangerKeys }) => `${strangerKeys}/stranger#${keys}/`,
  ),
  keyAt('by https where http is trusted', 'ERR8', ({ keys }) => keys.replace('http:', 'https:')),
  keyAt(
    'without a scheme',
    'ERR8',
    ({ strangerKeys }) => `//${new URL(strangerKeys).host}/stranger`,
  ),
  keyAt('at a path of the plug-in', 'ERR8', () => '/stranger'),
  keyAt('with a line break in its scheme', 'ERR8', ({ strangerKeys }) =>
    strangerKeys.replace('http', 'ht\ntp'),
  ),
  keyAt('with a blank before the trusted host', 'ERR8', ({ keys }) => ` ${keys}/stranger`),
  keyAt('in a data: address', 'ERR8', () => `data:application/json,{}`),
  keyAt(
    'in a blob: address of the trusted host',
    'ERR8',
    ({ keys }) => `blob:${keys}/0c8d2ac6-9a35-4d0c-8a35-0d5f4b64a8d1`,
  ),
  keyAt('in a javascript: address', 'ERR8', () => 'javascript:alert(1)'),
  keyAt('in a file', 'ERR8', () => 'file:///etc/passwd'),
  keyAt('at the empty address', 'ERR8', () => ''),
  keyAt('at no address', 'ERR1', () => undefined),
  keyAt('at null', 'ERR8', () => null),
  keyAt('at a number', 'ERR8', () => 1),
  keyAt('at an array of addresses', 'ERR8', ({ strangerKeys }) => [`${strangerKeys}/stranger`]),
  keyAt('at an object', 'ERR8', ({ strangerKeys }) => ({ href: `${strangerKeys}/stranger` })),
  keyAt(
    'behind a redirection to a stranger',
    'ERR7',
    ({ keys, strangerKeys }) =>
      `${keys}/redirect-away?${encodeURIComponent(`${strangerKeys}/stranger`)}`,
  ),
  { ...keyAt('on the trusted host, of somebody else', 'ERR2', ({ keys }) => `${keys}/platform`) },
  {
    name: 'no key host at all is trusted by default',
    expected: 'ERR8',
    options: () => ({ jkuOrigins: undefined }),
  },
];

/** Documents of the trusted host, with a correctly signed token. */
const documents: [what: string, expected: Expected, path: string][] = [
  ['that redirects to itself', 'ERR7', 'redirect-home'],
  ['without CORS', 'ERR7', 'no-cors'],
  ['not found', 'ERR7', '404'],
  ['not found, with a good body', 'ERR7', '404-with-key'],
  ['behind an error 500', 'ERR7', '500'],
  ['with no content', 'ERR7', '204'],
  ['in HTML', 'ERR7', 'html'],
  ['in a JWKS of other keys', 'ERR7', 'jwks-of-others'],
  ['in a JWKS beside a secret', 'ERR7', 'jwks-with-secret'],
  ['in PEM', 'ERR7', 'pem'],
  ['in an empty document', 'ERR7', 'empty'],
  ['in the document null', 'ERR7', 'null'],
  ['in an array', 'ERR7', 'array'],
  ['in a document cut short', 'ERR7', 'short'],
  ['in a document of 100 KB', 'ERR7', 'large'],
  ['in a compressed document of 100 MB', 'ERR7', 'gzip-bomb'],
  ['for RSA-PSS', 'ERR7', 'pss'],
  ['for RSA-PSS in the document alone', 'ERR7', 'pss-without-alg'],
  ['for an unknown hash', 'ERR7', 'md5'],
  ['for SHA-1', 'ERR2', 'sha-1'],
  ['for SHA-256 under an RS512 token', 'ERR2', 'sha-256'],
  ['with contradictory algorithms', 'ERR7', 'contradictory'],
  ['for encryption', 'ERR7', 'encryption'],
  ['of 1024 bits', 'ERR7', '1024'],
  ['of an elliptic curve', 'ERR7', 'ec'],
  ['that is symmetric', 'ERR7', 'oct'],
  ['that is private', 'ERR7', 'private'],
  ['with exponent 1', 'ERR7', 'exponent-1'],
  ['with __proto__ in its document', 'ERR7', 'proto'],
];

const trusted: Case[] = documents.map(([what, expected, path]) => ({
  name: `a key document ${what} is refused`,
  expected,
  forgery:
    path === '1024'
      ? { signer: 'short', jku: ({ keys }) => `${keys}/${path}` }
      : { jku: ({ keys }) => `${keys}/${path}` },
}));

const slow: Case[] = [
  ['that never answers', 'hang'],
  ['whose body never starts', 'headers-only'],
  ['that drips', 'drip'],
].map(([what, path]) => ({
  name: `a key host ${what} ends by the time-out`,
  expected: 'ERR6',
  forgery: { jku: ({ slowKeys }) => `${slowKeys}/${path}` },
}));

export const keyHosts: Group = {
  title: 'a key is taken only from a trusted place, and only if it is one',
  cases: [
    ...untrusted,
    ...trusted,
    ...slow,
    {
      name: 'a key host that sends without end is cut off',
      expected: 'ERR7',
      forgery: { jku: ({ slowKeys }) => `${slowKeys}/endless` },
    },
    {
      name: 'a key host that hangs up is refused',
      expected: 'ERR7',
      forgery: { jku: ({ slowKeys }) => `${slowKeys}/hang-up` },
    },
    {
      name: 'a key host that is offline is refused',
      expected: 'ERR7',
      forgery: { jku: ({ offlineKeys }) => `${offlineKeys}/platform` },
    },
    ...['jwks', 'bom'].map(
      (path): Case => ({
        name: `a key document is good: ${path}`,
        expected: 'first',
        forgery: { jku: ({ keys }) => `${keys}/${path}` },
      }),
    ),
    {
      name: 'a key at the trusted origin in upper case is good',
      expected: 'first',
      forgery: { jku: ({ keys }) => `${keys.toUpperCase()}/platform` },
    },
    {
      name: 'a key at the trusted origin in Unicode is good',
      expected: 'first',
      forgery: { jku: ({ keys }) => `${keys.replace('127', '①②⑦')}/platform` },
    },
    {
      name: 'an unusable pinned key does not disable the other',
      expected: 'first',
      options: ({ origins, keyDocument }) => ({
        issuers: [{ issuer: `${origins.tenant}/`, keys: [{ kty: 'EC' }, JSON.parse(keyDocument)] }],
      }),
    },
    {
      name: 'a bare JWK is good',
      expected: 'first',
      forgery: { jku: ({ keys }) => `${keys}/jwk` },
    },
    {
      name: 'a key replaced under its old address is loaded again',
      expected: 'first',
      forgery: { jku: ({ keys }) => `${keys}/replaced?${Math.random()}` },
    },
    {
      name: 'an invalid pinned key is refused',
      expected: 'ERR7',
      options: ({ origins }) => ({ issuers: [{ issuer: origins.tenant, keys: [{ kty: 'EC' }] }] }),
    },
  ],
};
