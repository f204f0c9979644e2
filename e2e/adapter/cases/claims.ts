/** Correctly signed tokens for another page, time or adapter. */
import type { Case, Expected, Forgery, Group } from './case.ts';

function claiming(name: string, expected: Expected, claims: NonNullable<Forgery['claims']>): Case {
  return { name, expected, forgery: { claims } };
}

function rawClaim(name: string, expected: Expected, json: string): Case {
  const payloadText = (payload: string) => `${payload.slice(0, -1)},${json}}`;
  return { name, expected, forgery: { payloadText } };
}

const subjects: Case[] = [
  claiming('sub save', 'ERR3', { sub: 'save' }),
  claiming('sub access_token, as in an event', 'ERR3', { sub: 'access_token' }),
  claiming('sub Init', 'ERR3', { sub: 'Init' }),
  claiming('no sub', 'ERR3', { sub: undefined }),
  claiming('sub as an array', 'ERR3', { sub: ['init'] }),
  claiming('no jti', 'ERR6', { jti: undefined }),
  claiming('another jti', 'ERR6', { jti: '1,2,3,4' }),
  claiming('jti true', 'ERR6', { jti: true }),
  claiming('jti null', 'ERR6', { jti: null }),
  {
    name: 'jti as an array of the right one',
    expected: 'ERR6',
    act: async ({ jti, send, sign }) => send(await sign({ claims: { jti: [jti] } })),
  },
  {
    ...claiming('a token for another page, then the right one', 'later', { jti: '1,2,3,4' }),
    later: true,
  },
];

const issuers: Case[] = [
  claiming('no iss', 'ERR3', { iss: undefined }),
  claiming('iss null', 'ERR3', { iss: null }),
  claiming('iss that is not an address', 'ERR3', { iss: 'tenant' }),
  claiming('iss of another tenant', 'ERR3', { iss: 'https://other.example' }),
  claiming('iss as an array', 'ERR3', { iss: ['http://acme.localhost'] }),
  {
    name: 'iss with a query',
    expected: 'ERR3',
    forgery: { iss: ({ tenant }) => `${tenant}/?a` },
  },
  {
    name: 'iss in upper case with a slash at the end',
    expected: 'first',
    forgery: { iss: ({ tenant }) => `${tenant.toUpperCase()}/` },
  },
  {
    name: 'iss with a longer host',
    expected: 'ERR3',
    forgery: { iss: ({ tenant }) => tenant.replace('localhost', 'localhost.evil.test') },
  },
  {
    name: 'iss with the tenant as user name',
    expected: 'ERR3',
    forgery: { iss: ({ tenant }) => `${tenant}@evil.test` },
  },
  {
    name: 'iss with the tenant in its path',
    expected: 'ERR3',
    forgery: { iss: ({ tenant }) => `http://evil.test/${tenant}` },
  },
  {
    name: 'iss by https where the page has http',
    expected: 'ERR3',
    forgery: { iss: ({ tenant }) => tenant.replace('http:', 'https:') },
  },
  {
    name: 'iss on another port',
    expected: 'ERR3',
    forgery: { iss: ({ tenant }) => tenant.replace(/\d+$/, '1') },
  },
  claiming('iss of scheme data', 'ERR3', { iss: 'data:text/html,x' }),
  claiming('iss of scheme javascript', 'ERR3', { iss: 'javascript:alert(1)' }),
];

/** Cases for the option `issuers` with different spellings. */
const listed: Case[] = [
  ...[
    'http://acme.localhost.evil.test',
    'http://evil.test/?http://acme.localhost',
    'undefined',
    '',
    'http://acmeXlocalhost',
  ].map(
    (iss): Case => ({
      ...claiming(`iss ${iss || 'of no letter'} beside a listed pattern`, 'ERR1', { iss }),
      options: () => ({ issuers: [{ issuer: /http:\/\/acme\.localhost(:\d+)?/ }] }),
    }),
  ),
  ...[undefined, null, 'undefined', 'null', '(?:)', 'https://other.example'].map(
    (iss): Case => ({
      ...claiming(`iss ${JSON.stringify(iss)} beside a listed issuer`, 'ERR1', { iss }),
      options: ({ origins }) => ({
        issuers: [{ issuer: origins.tenant }],
        parentOrigin: origins.tenant,
      }),
      needs: 'parentOrigin',
    }),
  ),
  {
    name: 'the listed issuer with its pinned key',
    expected: 'first',
    options: ({ origins, keyDocument }) => ({
      jkuOrigins: [],
      issuers: [{ issuer: origins.tenant, keys: [JSON.parse(keyDocument)] }],
    }),
  },
  {
    name: 'a stranger’s key beside a pinned one',
    expected: 'ERR2',
    forgery: { signer: 'stranger', jku: ({ keys }) => `${keys}/stranger` },
    options: ({ origins, keyDocument }) => ({
      issuers: [{ issuer: origins.tenant, keys: [JSON.parse(keyDocument)] }],
    }),
  },
];

const times: Case[] = [
  claiming('a token an hour past its exp', 'ERR4', (iat) => ({ iat: iat - 3660, exp: iat - 3600 })),
  claiming('a token 310 s past its exp', 'ERR4', (iat) => ({ iat: iat - 370, exp: iat - 310 })),
  claiming('a token from the year 1970', 'ERR4', { iat: 0, exp: 60 }),
  claiming('a token from an hour ahead', 'ERR5', (iat) => ({ iat: iat + 3600, exp: iat + 3660 })),
  claiming('nbf an hour ahead', 'ERR5', (iat) => ({ nbf: iat + 3600 })),
  claiming('iat and exp in milliseconds', 'ERR5', (iat) => ({
    iat: iat * 1000,
    exp: iat * 1000 + 60_000,
  })),
  claiming('exp alone in milliseconds', 'ERR3', (iat) => ({ exp: (iat + 60) * 1000 })),
  claiming('exp more than a day after iat', 'ERR3', (iat) => ({ exp: iat + 86_401 })),
  claiming('exp before iat', 'ERR3', (iat) => ({ iat: iat + 10, exp: iat })),
  claiming('exp as a string', 'ERR3', (iat) => ({ exp: `${iat + 60}` })),
  claiming('iat as a string', 'ERR3', (iat) => ({ iat: `${iat}` })),
  claiming('nbf as a string', 'ERR3', (iat) => ({ nbf: `${iat}` })),
  claiming('exp null', 'ERR3', { exp: null }),
  claiming('nbf null', 'ERR3', { nbf: null }),
  claiming('no exp', 'ERR3', { exp: undefined }),
  claiming('no iat', 'ERR3', { iat: undefined }),
  claiming('exp as an array', 'ERR3', (iat) => ({ exp: [iat + 60] })),
  rawClaim('exp 1e999', 'ERR3', '"exp":1e999'),
  rawClaim('iat -1e999', 'ERR3', '"iat":-1e999'),
  rawClaim('exp NaN, which is not JSON', 'ERR6', '"exp":NaN'),
  claiming('a token 200 s past its exp, within the tolerance', 'first', (iat) => ({
    iat: iat - 260,
    exp: iat - 200,
  })),
  claiming('nbf ten seconds ago', 'first', (iat) => ({ nbf: iat - 10 })),
];

const context: Case[] = [
  claiming('ctx.userId as a number', 'ERR3', { 'ctx.userId': 1 }),
  claiming('ctx.userId as an object', 'ERR3', { 'ctx.userId': { id: 'user-1' } }),
  claiming('ctx.userId as an array', 'ERR3', { 'ctx.userId': ['user-1'] }),
  claiming('ctx.userId true', 'ERR3', { 'ctx.userId': true }),
  claiming('ctx.tenantId as a number', 'ERR3', { 'ctx.tenantId': 0 }),
  claiming('ctx.userEmail as an object', 'ERR3', { 'ctx.userEmail': {} }),
  claiming('ctx as a string beside ctx.userId', 'ERR3', { ctx: 'user-2' }),
  claiming('ctx as an object beside ctx.userId', 'ERR3', { ctx: { userId: 'user-2' } }),
  claiming('cfg as an object beside cfg.x', 'ERR3', { 'cfg.x': 1, cfg: { x: 2 } }),
  claiming('no user at all', 'first', { 'ctx.userId': undefined }),
];

export const claims: Group = {
  title: 'a well signed token is believed only here, now and as what it is',
  cases: [...subjects, ...issuers, ...listed, ...times, ...context].map((each) => ({
    ...each,
    name: `${each.name} is ${each.expected === 'first' || each.expected === 'later' ? 'good' : 'refused'}`,
  })),
};
