import { afterEach, describe, expect, test, vi } from 'vitest';
import { connect } from './connect.ts';
import { createAdapter } from './create-adapter.ts';
import { nonceFrom } from './nonce-from.ts';
import { canonicalIssuer, readOrigins } from './options.ts';
import { openHost, optionsFor } from './testing/test-host.ts';
import { type Issuer, trustIssuers } from './trust-issuers.ts';

afterEach(() => void vi.restoreAllMocks());

function refusal(name: string) {
  return {
    code: 'ERR_OPTIONS',
    retryable: false,
    diagnosis: expect.stringContaining(name),
  };
}

const issuer = 'https://tenant.example';
const notOrigins = [
  'localhost:9000',
  'keys.example',
  '//keys.example',
  '/keys',
  '',
  'null',
  '*',
  'https://',
  'https://*.keys.example',
  'https://keys.example/path',
  'https://keys.example//',
  'https://keys.example/?',
  'https://keys.example?a',
  'https://keys.example/#a',
  'https://user@keys.example',
  'https://user:secret@keys.example',
  'https://keys.example\\',
  'https:keys.example',
  'https:/keys.example',
  ' https://keys.example',
  'https://keys.example ',
  'https://keys.exa\tmple',
  'https://keys%2eexample',
  'https://[keys',
  'ftp://keys.example',
  'file:///keys',
  'data:,x',
  'blob:https://keys.example/1',
  'ws://keys.example',
  7,
  null,
  undefined,
  {},
  [],
];

/** Wrong options, by the diagnosis that they must get. */
const slips: [string, object][] = [
  ...notOrigins.map((origin): [string, object] => ['jkuOrigins', { jkuOrigins: [origin] }]),
  ...notOrigins.map((origin): [string, object] => ['parentOrigin', { parentOrigin: [origin] }]),
  ...notOrigins
    .filter((origin) => origin !== undefined && !Array.isArray(origin))
    .map((parentOrigin): [string, object] => ['parentOrigin', { parentOrigin }]),
  ['jkuOrigins', { jkuOrigins: 'https://keys.example' }],
  ['jkuOrigins', { jkuOrigins: null }],
  ['jkuOrigins', { jkuOrigins: { 0: 'https://keys.example' } }],
  ['issuers: write trustIssuers([...])', { issuers: issuer }],
  ['issuers: write trustIssuers([...])', { issuers: [{ issuer }] }],
  ['issuers: write trustIssuers([...])', { issuers: [] }],
  ['issuers: write trustIssuers([...])', { issuers: null }],
  ['issuers: write trustIssuers([...])', { issuers: {} }],
  ['issuers: write trustIssuers([...])', { issuers: (iss: string) => iss === issuer }],
  ['clockToleranceMs', { clockToleranceMs: Number.NaN }],
  ['clockToleranceMs', { clockToleranceMs: -1 }],
  ['clockToleranceMs', { clockToleranceMs: '300000' }],
  ['clockToleranceMs', { clockToleranceMs: null }],
  ['timeoutMs', { timeoutMs: Number.NaN }],
  ['timeoutMs', { timeoutMs: -1 }],
  ['timeoutMs', { timeoutMs: '60000' }],
  ['srcId', { srcId: 7 }],
  ['srcId', { srcId: null }],
  ['view', { view: 'Config' }],
  ['view', { view: '' }],
  ['view', { view: true }],
];

describe('a wrong option', () => {
  test.each(slips)('is named when an adapter is created: %s in %j', (name, options) => {
    expect(() => createAdapter(options)).toThrow(expect.objectContaining(refusal(name)));
  });

  test.each(slips)(
    'makes connect fail before it sends anything: %s in %j',
    async (name, options) => {
      using host = await openHost();
      await expect(connect({ srcId: host.srcId, ...options })).rejects.toMatchObject(refusal(name));
      expect(host.messages).toEqual([]);
    },
  );

  test.each<[string, object]>([
    ['parseConfig', { parseConfig: { parse: () => 1 } }],
    ['sessionUrl', { sessionUrl: 7 }],
    ['sessionUrl', { sessionUrl: 'localhost:9000/api/session' }],
    ['sessionUrl', { sessionUrl: 'data:,x' }],
    ['sessionUrl', { sessionUrl: 'blob:https://tenant.example/1' }],
    ['sessionUrl', { sessionUrl: 'javascript:alert(1)' }],
    ['sessionUrl', { sessionUrl: ' java\nscript:alert(1)/' }],
    ['sessionUrl', { sessionUrl: 'https://' }],
    ['nonce: write nonceFrom(...)', { nonce: true }],
    ['nonce: write nonceFrom(...)', { nonce: null }],
    ['nonce: write nonceFrom(...)', { nonce: '/api/session/nonce' }],
    ['nonce: write nonceFrom(...)', { nonce: () => 'n' }],
    ['nonce: write nonceFrom(...)', { nonce: nonceFrom }],
  ])('of the session or the configuration is named: %s in %j', (name, options) => {
    expect(() => createAdapter(options)).toThrow(expect.objectContaining(refusal(name)));
  });

  test.each(['localhost:9000/nonce', 'data:,x', 'https://'])(
    'of nonceFrom is named: %s',
    (nonceUrl) => {
      expect(() => nonceFrom(nonceUrl)).toThrow(expect.objectContaining(refusal('nonceFrom')));
    },
  );

  test('is not quoted, because it may contain a secret', () => {
    const jkuOrigins = ['https://user:secret@keys.example'];
    expect(() => createAdapter({ jkuOrigins })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') }),
    );
  });

  test.each([5000, 'x', { timeout: 1 }, { timeoutMs: Number.NaN }, { signal: 1 }, { signal: {} }])(
    'makes init fail without a hello: %j',
    async (request) => {
      using host = await openHost();
      const adapter = createAdapter({ srcId: host.srcId });
      await expect(adapter.init(request as object)).rejects.toMatchObject({ code: 'ERR_OPTIONS' });
      expect(host.messages).toEqual([]);
    },
  );

  test.each([{ minValidity: 1 }, { minValidityMs: Number.NaN }, { minValidityMs: '1' }])(
    'makes getToken fail: %j',
    async (request) => {
      const adapter = createAdapter({});
      await expect(adapter.getToken(request as object)).rejects.toMatchObject({
        code: 'ERR_OPTIONS',
      });
    },
  );
});

describe('an inherited option', () => {
  test.each<[string, object]>([
    ['clockToleranceMs', Object.create({ clockToleranceMs: 'much' })],
    ['jkuOrigin', Object.create({ jkuOrigin: [] })],
    [
      'issuers',
      new (class {
        get issuers() {
          return [{ issuer }];
        }
      })(),
    ],
  ])('is checked like an own one: %s', async (name, options) => {
    expect(() => createAdapter(options)).toThrow(expect.objectContaining(refusal(name)));
    await expect(connect(options)).rejects.toMatchObject(refusal(name));
  });

  test('counts like an own one', async () => {
    using host = await openHost();
    const adapter = createAdapter(Object.create(optionsFor(host)));
    await expect(adapter.init()).resolves.toMatchObject({ hostOrigin: host.origin });
    adapter.destroy();
  });
});

describe('an entry of trustIssuers that is wrong', () => {
  test.each<[string, unknown]>([
    ['issuers', issuer],
    ['issuers', undefined],
    ['issuers', { issuer }],
    ['issuers[0].issuer', [{ issuer: 'tenant' }]],
    ['issuers[1].issuer', [{ issuer }, { issuer: `${issuer}/?a` }]],
    ['issuers[0].issuer', [{ issuer: {} }]],
    ['issuers[0].issuer', [{}]],
    ['issuers[0]', [null]],
    ['issuers[0]', [issuer]],
    ['issuers[0].key', [{ issuer, key: {} }]],
    ['issuers[0].keys', [{ issuer, keys: {} }]],
    ['issuers[0].keys', [{ issuer, keys: null }]],
  ])('is named: %s in %j', (name, list) => {
    expect(() => trustIssuers(list as Issuer[])).toThrow(expect.objectContaining(refusal(name)));
  });
});

describe('an unknown option', () => {
  const ofConnect = 'issuers,jkuOrigins,parentOrigin,clockToleranceMs,srcId,view,timeoutMs';

  test.each([
    'jkuOrigin',
    'keyOrigins',
    'issuer',
    'parentOrigins',
    'timeout',
    'sessionURL',
    'parseconfig',
    'clockTolerance',
  ])('%s is refused, and the known ones are named', async (name) => {
    using host = await openHost();
    const refused = {
      code: 'ERR_OPTIONS',
      diagnosis: `Option ${name} is unknown: write one of ${ofConnect}`,
    };
    const options = { srcId: host.srcId, [name]: undefined };
    expect(() => createAdapter(options)).toThrow(
      expect.objectContaining({
        ...refused,
        diagnosis: `${refused.diagnosis},sessionUrl,nonce,parseConfig`,
      }),
    );
    await expect(connect(options)).rejects.toMatchObject({
      ...refused,
      diagnosis: `${refused.diagnosis},signal`,
    });
    expect(host.messages).toEqual([]);
  });

  test.each(['constructor', 'toString', '__proto__'])('%s is refused too', (name) => {
    const options = JSON.parse(`{"${name}":"x"}`);
    expect(() => createAdapter(options)).toThrow(expect.objectContaining({ code: 'ERR_OPTIONS' }));
  });
});

describe('an option that is right', () => {
  test('may be left out, or undefined', () => {
    const names = ['issuers', 'jkuOrigins', 'parentOrigin', 'clockToleranceMs', 'timeoutMs'];
    const more = ['srcId', 'view', 'parseConfig', 'sessionUrl'];
    const options = Object.fromEntries([...names, ...more].map((name) => [name, undefined]));
    expect(() => createAdapter(options)).not.toThrow();
    expect(() => createAdapter({})).not.toThrow();
  });

  test.each<[object]>([
    [{ timeoutMs: Number.POSITIVE_INFINITY, clockToleranceMs: Number.POSITIVE_INFINITY }],
    [{ timeoutMs: 0, clockToleranceMs: 0 }],
    [{ parentOrigin: () => true }],
    [{ parentOrigin: [] }],
    [{ parseConfig: async (stored: unknown) => stored }],
    [{ issuers: trustIssuers([]) }],
    [{ issuers: trustIssuers([{ issuer: /.*/, keys: [] }]) }],
    [{ sessionUrl: 'api/session' }],
    [{ sessionUrl: '/api/session?at=10:30' }],
    [{ sessionUrl: 'api/v1:open' }],
    [{ sessionUrl: '//back.example:8443/api' }],
    [{ sessionUrl: 'HTTPS://back.example/api' }],
  ])('is accepted: %j', (options) => {
    expect(() => createAdapter(options)).not.toThrow();
  });

  test.each([
    ['https://keys.example', 'https://keys.example'],
    ['https://keys.example/', 'https://keys.example'],
    ['HTTPS://KEYS.Example:443', 'https://keys.example'],
    ['http://localhost:9000', 'http://localhost:9000'],
    ['http://127.0.0.1:80/', 'http://127.0.0.1'],
    ['http://[::1]:4600', 'http://[::1]:4600'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ])('%s is the origin %s', (written, origin) => {
    expect(readOrigins([written], 'jkuOrigins')).toEqual([origin]);
    expect(readOrigins(written, 'parentOrigin')).toEqual([origin]);
  });
});

describe('an issuer', () => {
  test('that is too long for an address is refused, so a forged token costs no time', () => {
    expect(canonicalIssuer(`https://x.example${'/'.repeat(700_000)}a`)).toBeUndefined();
  });

  test.each([
    ['https://tenant.example', 'https://tenant.example'],
    ['https://tenant.example/', 'https://tenant.example'],
    ['HTTPS://Tenant.Example:443/', 'https://tenant.example'],
    ['http://tenant.example:80/home/', 'http://tenant.example/home'],
    ['https://tenant.example/home//', 'https://tenant.example/home'],
    ['https://tenant.example/Home', 'https://tenant.example/Home'],
    ['https://tenant.example:8443/', 'https://tenant.example:8443'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example'],
  ])('%s has the canonical spelling %s', (issuer, canonical) => {
    expect(canonicalIssuer(issuer)).toBe(canonical);
    expect(canonicalIssuer(canonical)).toBe(canonical);
  });
});
