import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyring, openStore, type Store, type TokenSet } from '@dowel/installation-store';
import {
  type LifecycleEvent,
  type LifecycleEventName,
  lifecycleEventSchemas,
  Secret,
} from '@dowel/schema';
import { TokenRequestError } from '@dowel/token-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLifecycle } from './lifecycle.ts';

const key = {
  issuer: 'https://acme.example.com',
  tenantId: 'd290f1ee-6c54-4b01-90e6-d701748f0851',
  pluginId: '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de',
};

let folder: string;
let store: Store;
let exchangedCodes: string[];
/** What the token endpoint does with the next code. */
let redeem: () => Promise<Partial<TokenSet>>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-lifecycle-'));
  store = await openStore({
    path: join(folder, 'dowel.sqlite'),
    keyring: createKeyring(randomBytes(32)),
  });
  exchangedCodes = [];
  redeem = async () => ({});
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

function createSubject() {
  return createLifecycle({
    store,
    requestedScopes: ['plugin:notify'],
    tokenClient: {
      async exchange(_installation, { client }) {
        exchangedCodes.push(client.authorization_code.reveal());
        return {
          access: {
            baseUrl: key.issuer,
            clientId: client.client_id,
            clientSecret: client.client_secret,
            tokenEndpointUrl: client.token_endpoint_url,
            trigger: null,
          },
          tokens: {
            accessToken: new Secret('access'),
            refreshToken: new Secret('refresh'),
            grantedScopes: ['plugin:notify'],
            issuedAt: 0,
            expiresAt: null,
            ...(await redeem()),
          },
        };
      },
    },
  });
}

function event(sub: LifecycleEventName, claims: Record<string, unknown> = {}): LifecycleEvent {
  return lifecycleEventSchemas[sub].parse({
    iss: key.issuer,
    tenantId: key.tenantId,
    pluginId: key.pluginId,
    iat: 100,
    exp: 160,
    sub,
    ...claims,
  });
}

function accessTokenEvent(code: string, changes: Record<string, unknown> = {}, claims = {}) {
  return event('access_token', {
    base_url: `${key.issuer}/`,
    client: {
      client_id: 'client',
      client_secret: 'secret',
      authorization_code: code,
      token_endpoint_url: 'api/oauth/token',
      ...changes,
    },
    ...claims,
  });
}

async function installed() {
  const installation = await store.installations.find(key);
  if (!installation) throw new Error('Nothing is installed');
  return installation;
}

describe('accept', () => {
  test('install and access_token make an active installation', async () => {
    const lifecycle = createSubject();

    expect(await lifecycle.accept(event('install'))).toMatchObject({ status: 201, body: {} });
    expect((await installed()).status).toBe('pending');
    expect(await lifecycle.accept(accessTokenEvent('c1'))).toMatchObject({ status: 201 });
    expect((await installed()).status).toBe('active');
  });

  test('an access_token event without an install before it creates the installation', async () => {
    expect(await createSubject().accept(accessTokenEvent('c1'))).toMatchObject({ status: 201 });
    expect((await installed()).status).toBe('active');
  });

  test('a re-delivered code, signed afresh, is answered alike and never exchanged again', async () => {
    const lifecycle = createSubject();
    await lifecycle.accept(accessTokenEvent('c1', {}, { jti: 'a' }));

    expect(
      await lifecycle.accept(accessTokenEvent('c1', {}, { jti: 'b', iat: 130 })),
    ).toMatchObject({
      status: 201,
    });
    expect(exchangedCodes).toEqual(['c1']);
  });

  test('fifty concurrent copies exchange the code once', async () => {
    const lifecycle = createSubject();

    const answers = await Promise.all(
      Array.from({ length: 50 }, () => lifecycle.accept(accessTokenEvent('c1'))),
    );

    expect(answers.every(({ status }) => status === 201)).toBe(true);
    expect(exchangedCodes).toEqual(['c1']);
  });

  test('a missing essential scope is refused, again too, and stores no token', async () => {
    const lifecycle = createSubject();
    await lifecycle.accept(event('install'));
    redeem = async () => ({ grantedScopes: [] });

    for (const _ of [1, 2]) {
      expect(await lifecycle.accept(accessTokenEvent('c1'))).toMatchObject({
        status: 400,
        body: { code: 402 },
        reason: 'scope_missing',
      });
    }
    expect(exchangedCodes).toEqual(['c1']);
    expect(await store.grants.load((await installed()).id)).toBeUndefined();
  });

  test('a token endpoint that is down is no verdict: the same event succeeds later', async () => {
    const lifecycle = createSubject();
    redeem = () => Promise.reject(new TokenRequestError('token_endpoint_unreachable', false));
    expect(await lifecycle.accept(accessTokenEvent('c1'))).toMatchObject({
      status: 503,
      retryAfterSeconds: 5,
    });

    redeem = async () => ({});
    expect(await lifecycle.accept(accessTokenEvent('c1'))).toMatchObject({ status: 201 });
  });

  test('a failed exchange keeps the tokens of before', async () => {
    const lifecycle = createSubject();
    await lifecycle.accept(accessTokenEvent('c1'));
    redeem = () => Promise.reject(new TokenRequestError('invalid_grant', true));

    expect(await lifecycle.accept(accessTokenEvent('c2'))).toMatchObject({
      reason: 'exchange_rejected',
    });
    expect(await store.grants.load((await installed()).id)).toMatchObject({ tokenVersion: 1 });
  });

  test.each([
    'https://acme.example.com.evil.test/',
    'https://acme.example.com@evil.test/',
    'https://user@acme.example.com/',
    'http://acme.example.com/',
    'https://acme.example.com:8443/',
    'file:///etc/passwd',
    '//acme.example.com',
  ])('base_url %s is refused before anything is sent', async (base_url) => {
    const answer = await createSubject().accept(accessTokenEvent('c1', {}, { base_url }));

    expect(answer).toMatchObject({ status: 400, reason: 'base_url_not_allowed' });
    expect(exchangedCodes).toEqual([]);
  });

  test.each([
    'https://evil.test/token',
    '//evil.test/token',
    '/\\evil.test',
    '@evil.test',
    '.evil.test@x',
    ':8443/x',
    '/api/../admin',
    '/api/%2e%2e/admin',
    '/api?x=1',
    '/api#x',
    '/api\r\nx',
  ])('the relative path %j is refused before anything is sent', async (url) => {
    const lifecycle = createSubject();
    const asTokenEndpoint = accessTokenEvent('c1', { token_endpoint_url: url });
    const asTrigger = accessTokenEvent('c2', { trigger_event: { url, method: 'POST' } });

    expect((await lifecycle.accept(asTokenEndpoint)).reason).toBe('relative_url_not_allowed');
    expect((await lifecycle.accept(asTrigger)).reason).toBe('relative_url_not_allowed');
    expect(exchangedCodes).toEqual([]);
  });

  test('uninstall deletes the tokens and refuses a late event of the ended life', async () => {
    const lifecycle = createSubject();
    await lifecycle.accept(accessTokenEvent('c1'));
    await lifecycle.accept(event('uninstall', { iat: 200 }));

    expect(await store.grants.load((await installed()).id)).toBeUndefined();
    expect(await lifecycle.accept(accessTokenEvent('late'))).toMatchObject({
      reason: 'after_uninstall',
    });
    expect(exchangedCodes).toEqual(['c1']);
  });

  test('an uninstall that races the exchange wins', async () => {
    const lifecycle = createSubject();
    await lifecycle.accept(event('install'));
    redeem = async () => {
      await lifecycle.accept(event('uninstall', { iat: 200 }));
      return {};
    };

    expect(await lifecycle.accept(accessTokenEvent('c1'))).toMatchObject({
      reason: 'after_uninstall',
    });
    expect(await store.grants.load((await installed()).id)).toBeUndefined();
  });

  test('a late uninstall of the life before leaves the new one alone', async () => {
    const lifecycle = createSubject();
    await lifecycle.accept(event('install', { iat: 100 }));
    await lifecycle.accept(event('uninstall', { iat: 200 }));
    await lifecycle.accept(event('install', { iat: 300 }));

    expect(await lifecycle.accept(event('uninstall', { iat: 250 }))).toMatchObject({ status: 201 });
    expect(await installed()).toMatchObject({ generation: 2, status: 'pending' });
  });

  test('instances are added and removed', async () => {
    const lifecycle = createSubject();
    await lifecycle.accept(event('install'));
    await lifecycle.accept(event('instance_add', { instanceId: 'i-1' }));
    await lifecycle.accept(event('instance_add', { instanceId: 'i-2' }));
    await lifecycle.accept(event('instance_remove', { instanceId: 'i-1' }));

    const report = await store.reports.describeInstallation((await installed()).id);
    expect(report?.instanceIds).toEqual(['i-2']);
    expect(report?.events).toHaveLength(4);
  });

  test('an uninstall of something unknown is accepted and leaves nothing', async () => {
    expect(await createSubject().accept(event('uninstall'))).toMatchObject({ status: 201 });
    expect(await store.installations.find(key)).toBeUndefined();
  });
});
