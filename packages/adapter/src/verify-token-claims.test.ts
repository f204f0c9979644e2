import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { signJwt } from './fake-host/index.ts';
import { createVerifier, signingKey } from './testing/test-host.ts';
import type { TrustOptions } from './verify-token.ts';

const issuer = 'https://tenant.example';
const now = Math.floor(Date.now() / 1000);

beforeEach(() => void vi.spyOn(Date, 'now').mockReturnValue(now * 1000));

afterEach(() => void vi.restoreAllMocks());

interface Case {
  claims?: object;
  options?: Omit<TrustOptions, 'issuers'>;
  origin?: string;
  sub?: 'init' | 'save';
}

async function verify({ claims, options, origin = issuer, sub = 'init' }: Case) {
  const all = { iss: issuer, sub: 'init', jti: 'one', iat: now, exp: now + 60, ...claims };
  const jwt = await signJwt(signingKey.privateKey, all, {});
  const issuers = [{ issuer: /.*/, keys: [signingKey.keyDocument] }];
  const { signal } = new AbortController();
  return createVerifier({ issuers, ...options })({ jwt, origin, sub, signal });
}

function invalid(code: string, diagnosis: string) {
  return { code, diagnosis };
}

describe('the claims of a correctly signed token', () => {
  test.each([
    ['init', 'save'],
    ['save', 'init'],
    ['install', 'init'],
    [undefined, 'init'],
  ] as const)('with the subject %s are not meant for %s', async (claimed, sub) => {
    await expect(verify({ claims: { sub: claimed }, sub })).rejects.toMatchObject(
      invalid('ERR3', 'Token has wrong sub, iss, jti or time'),
    );
  });

  test('with the subject save are meant for a save', async () => {
    await expect(verify({ claims: { sub: 'save' }, sub: 'save' })).resolves.toMatchObject({
      sub: 'save',
    });
  });

  test.each([
    { exp: undefined },
    { iat: undefined },
    { exp: `${now + 60}` },
    { iat: `${now}` },
    { nbf: `${now}` },
    { nbf: null },
    { exp: null },
    { exp: [now + 60] },
  ])('with a time that is not a number are refused: %j', async (claims) => {
    await expect(verify({ claims })).rejects.toMatchObject({ code: 'ERR3' });
  });

  test.each(['init', 'save'] as const)('without a jti of text are refused for %s', async (sub) => {
    for (const jti of [undefined, null, '', 7, true, ['one'], {}]) {
      await expect(verify({ claims: { sub, jti }, sub })).rejects.toMatchObject({ code: 'ERR3' });
    }
  });

  test.each([
    ['exp in milliseconds', { exp: (now + 60) * 1000 }],
    ['a lifetime of more than a day', { exp: now + 86_401 }],
    ['an exp before iat', { exp: now - 1 }],
    ['an exp before iat, within the tolerance', { iat: now + 200, exp: now - 200 }],
  ])('with %s are refused', async (_what, claims) => {
    await expect(verify({ claims })).rejects.toMatchObject({ code: 'ERR3' });
  });

  test('with a lifetime of a day are accepted', async () => {
    await expect(verify({ claims: { exp: now + 86_400 } })).resolves.toBeDefined();
  });

  test.each([
    'tenant',
    '',
    'tenant.example',
    'urn:tenant',
    'localhost:9000',
    'file:///tenant',
    `${issuer}/home?a`,
    `${issuer}/home#b`,
    'https://user:pass@tenant.example',
    'https:tenant.example',
    ` ${issuer}`,
    7,
    null,
    undefined,
    [issuer],
    { href: issuer },
  ])('with the iss %j, which is not the URL of a tenant, are refused', async (iss) => {
    const options = { parentOrigin: () => true };
    await expect(verify({ claims: { iss } })).rejects.toMatchObject({ code: 'ERR3' });
    await expect(verify({ claims: { iss }, options })).rejects.toMatchObject({ code: 'ERR3' });
  });

  test('with a name that could reach a prototype are refused', async () => {
    await expect(verify({ claims: { 'ctx.__proto__.isAdmin': true } })).rejects.toMatchObject({
      code: 'ERR3',
    });
  });
});

describe('the clock', () => {
  test.each([
    ['an expiry just past the tolerance', { iat: now - 400, exp: now - 301 }, 'ERR4'],
    ['an expiry in the past century', { iat: 0, exp: 1 }, 'ERR4'],
    ['a start just past the tolerance', { nbf: now + 301 }, 'ERR5'],
    ['an issue time just past the tolerance', { iat: now + 301, exp: now + 361 }, 'ERR5'],
    ['an issue time after the start', { nbf: now, iat: now + 301, exp: now + 361 }, 'ERR5'],
    ['an issue time in milliseconds', { iat: now * 1000, exp: now * 1000 + 60 }, 'ERR5'],
  ])('refuses %s', async (_what, claims, code) => {
    await expect(verify({ claims })).rejects.toMatchObject({
      code,
      diagnosis: expect.stringMatching(/^Clock off by \d+ s: set it$/),
    });
  });

  test.each([
    { nbf: now + 300, iat: now + 300, exp: now + 360 },
    { iat: now - 360, exp: now - 300 },
  ])('may be wrong by five minutes: %j', async (claims) => {
    await expect(verify({ claims })).resolves.toMatchObject(claims);
  });

  test('is reported in rounded seconds', async () => {
    vi.mocked(Date.now).mockReturnValue((now + 460) * 1000 + 400);
    await expect(verify({})).rejects.toMatchObject(invalid('ERR4', 'Clock off by 400 s: set it'));
    vi.mocked(Date.now).mockReturnValue((now - 500) * 1000);
    await expect(verify({})).rejects.toMatchObject(invalid('ERR5', 'Clock off by 500 s: set it'));
  });

  test('has the tolerance of the options', async () => {
    const late = { iat: now - 70, exp: now - 10 };
    await expect(
      verify({ claims: late, options: { clockToleranceMs: 60_000 } }),
    ).resolves.toMatchObject(late);
    await expect(verify({ claims: late, options: { clockToleranceMs: 0 } })).rejects.toMatchObject({
      code: 'ERR4',
    });
  });
});

describe('the page that a token comes from', () => {
  const elsewhere = 'https://elsewhere.example';

  test.each<[string, Case]>([
    ["is the issuer's, by default", {}],
    ["is the issuer's, with any path", { claims: { iss: `${issuer}/home` } }],
    ['may be an option', { options: { parentOrigin: elsewhere }, origin: elsewhere }],
    ['may be one of a list', { options: { parentOrigin: [issuer, elsewhere] }, origin: elsewhere }],
    [
      'may have another spelling',
      { options: { parentOrigin: 'HTTPS://ELSEWHERE.example:443/' }, origin: elsewhere },
    ],
    ['may be decided by a function', { options: { parentOrigin: () => true }, origin: elsewhere }],
    [
      'may be decided by a function later',
      { options: { parentOrigin: async () => true }, origin: elsewhere },
    ],
  ])('%s', async (_title, each) => {
    await expect(verify(each)).resolves.toMatchObject({ sub: 'init' });
  });

  test.each<[string, Case]>([
    ['another than the issuer', { origin: elsewhere }],
    ['one that begins like the issuer', { origin: `${issuer}.evil.example` }],
    ['another port of the issuer', { origin: `${issuer}:8443` }],
    ['another scheme of the issuer', { origin: 'http://tenant.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['the issuer, when another is named', { options: { parentOrigin: elsewhere } }],
    ['a part of the one that is named', { options: { parentOrigin: `${issuer}:8443` } }],
    ['none of a list', { options: { parentOrigin: [elsewhere] } }],
    ['any, when the list is empty', { options: { parentOrigin: [] } }],
    ['one that is decided against', { options: { parentOrigin: () => false } }],
    ['one that is decided against later', { options: { parentOrigin: async () => false } }],
    ...[1, 'yes', {}, [], undefined, null].map((answer): [string, Case] => [
      `one for which the decision is ${JSON.stringify(answer)}`,
      { options: { parentOrigin: () => answer as boolean } },
    ]),
  ])('is refused: %s', async (_what, each) => {
    const { origin = issuer } = each;
    await expect(verify(each)).rejects.toMatchObject(
      invalid('ERR3', `Not in parentOrigin: ${origin}`),
    );
  });

  test('is decided with verified claims', async () => {
    const parentOrigin = vi.fn(() => true);
    await verify({ claims: { 'ctx.userId': 'u' }, options: { parentOrigin }, origin: elsewhere });
    expect(parentOrigin).toHaveBeenCalledExactlyOnceWith(
      elsewhere,
      expect.objectContaining({ iss: issuer, ctx: { userId: 'u' } }),
    );
  });

  test.each<[string, () => Promise<boolean> | never]>([
    [
      'throws',
      () => {
        throw new Error('down');
      },
    ],
    ['rejects', () => Promise.reject(new Error('down'))],
  ])('is refused when the decision %s', async (_how, parentOrigin) => {
    await expect(verify({ options: { parentOrigin } })).rejects.toMatchObject({
      code: 'ERR3',
      diagnosis: 'parentOrigin: Error: down',
    });
  });
});
