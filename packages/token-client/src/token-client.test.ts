import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  answersWith,
  answerTokenRequest,
  authorizationCodeGrant,
  createAuthorizationServer,
  introspect,
  issueCode,
  meetFault,
  refuses,
  registerClient,
  revokeAccessTokens,
  revokeGrants,
  sendTokenAnswer,
  strictRules,
  type TokenAnswer,
  type TokenFault,
} from '@dowel/emulator/authorization-server';
import { createKeyring, type Installation, openStore, type Store } from '@dowel/installation-store';
import { accessTokenEventSchema, Secret } from '@dowel/schema';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTokenClient, type TokenClientOptions } from './token-client.ts';

const tenantId = 'd290f1ee-6c54-4b01-90e6-d701748f0851';
const pluginId = '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de';
const clientSecret = 'söme:secret-~';

/** A tenant's platform before a strict authorization server. It counts the requests that it receives. */
function createPlatform() {
  let made = 0;
  const authorizationServer = createAuthorizationServer({
    tenantId,
    createSecret: (kind) => `${kind}-${++made}${kind === 'code' ? '/+ =&' : ''}`,
  });
  const state = {
    authorizationServer,
    client: registerClient(authorizationServer, { pluginId, clientId: 'client', clientSecret }),
    rules: strictRules,
    /** Each token request meets it. */
    fault: {} as TokenFault,
    tokenRequests: [] as { url: URL; authorization: string | undefined; body: string }[],
    triggers: [] as string[],
    calls: 0,
    refusesEverything: false,
    triggerStatus: 202,
    triggerDelayMs: 0,
    onTrigger: () => {},
  };

  async function handle(request: IncomingMessage): Promise<TokenAnswer | 'hangs' | 'lost'> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const body = (await request.toArray()).join('');
    const { authorization } = request.headers;
    if (url.pathname === '/t/acme/api/oauth/token') {
      state.tokenRequests.push({ url, authorization, body });
      const tokenRequest = { parameters: new URLSearchParams(url.search || body), authorization };
      return meetFault(state.fault, () =>
        answerTokenRequest(authorizationServer, tokenRequest, terms()),
      );
    }
    if (url.pathname === '/t/acme/api/trigger') {
      state.triggers.push(body);
      state.onTrigger();
      await new Promise((resolve) => setTimeout(resolve, state.triggerDelayMs));
      return { status: state.triggerStatus, body: {} };
    }
    state.calls += 1;
    const accessToken = authorization?.replace(/^Bearer /, '') ?? '';
    const isAccepted = introspect(authorizationServer, accessToken, now) !== undefined;
    return { status: isAccepted && !state.refusesEverything ? 201 : 401, body: {} };
  }

  const server = createServer(async (request, response) =>
    sendTokenAnswer(response, await handle(request)),
  );
  return { state, server };
}

let folder: string;
let store: Store;
let server: Server;
let platform: ReturnType<typeof createPlatform>['state'];
let baseUrl: string;
let installation: Installation;
let now: number;

beforeEach(async () => {
  now = 1_000_000;
  ({ server, state: platform } = createPlatform());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/t/acme/`;
  folder = await mkdtemp(join(tmpdir(), 'dowel-token-client-'));
  store = await openStore({
    path: join(folder, 'dowel.sqlite'),
    keyring: createKeyring(randomBytes(32)),
  });
  installation = await store.installations.begin({ issuer: baseUrl, tenantId, pluginId }, 1, now);
});

afterEach(async () => {
  await store.close();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

function createClient(options: Partial<TokenClientOptions> = {}) {
  const internalOrigins = [new URL(baseUrl).origin];
  return createTokenClient({ store, internalOrigins, now: () => now, ...options });
}

const terms = () => ({ now, rules: platform.rules });
const voidAccessTokens = () => revokeAccessTokens(platform.client);
const newCode = () => issueCode(platform.authorizationServer, platform.client, terms());

/** Stores tokens that a new code was exchanged for, which ends the grants before it. */
async function storeTokens(changes: { refreshToken?: null; expiresAt?: null } = {}) {
  const { authorizationServer, client } = platform;
  const exchange = { code: newCode(), ...terms() };
  const issued = authorizationCodeGrant(authorizationServer, client, exchange);
  const access = {
    baseUrl,
    clientId: 'client',
    clientSecret: new Secret(clientSecret),
    tokenEndpointUrl: 'api/oauth/token',
    trigger: { url: '/api/trigger', body: new Secret('{"token":"t"}') },
  };
  const tokens = {
    accessToken: new Secret(issued?.access_token ?? ''),
    refreshToken: new Secret(issued?.refresh_token ?? ''),
    grantedScopes: ['plugin:notify'],
    issuedAt: now,
    expiresAt: now + 3_600_000,
    ...changes,
  };
  await store.transaction(({ grants }) =>
    grants.replace(installation, access, tokens, { iat: 1, newestIat: 6 }),
  );
}

const post = { method: 'POST', body: '{}' };

describe('exchange', () => {
  const event = (code = newCode()) =>
    accessTokenEventSchema.parse({
      iss: baseUrl,
      iat: 1,
      exp: 61,
      sub: 'access_token',
      tenantId,
      pluginId,
      base_url: baseUrl,
      client: {
        client_id: 'client',
        client_secret: clientSecret,
        authorization_code: code,
        token_endpoint_url: '/api/oauth/token',
      },
    });

  test('puts grant and code in the query, Basic in UTF-8, and sends no body', async () => {
    const code = newCode();
    const options = { requestedScopes: ['plugin:notify'] };
    await createClient().acceptEvent(installation, event(code), options);

    const [request] = platform.tokenRequests;
    expect(request?.url.searchParams.get('grant_type')).toBe('authorization_code');
    expect(request?.url.searchParams.get('code')).toBe(code);
    expect(request?.body).toBe('');
    expect(request?.authorization).toBe(
      `Basic ${Buffer.from(`client:${clientSecret}`, 'utf8').toString('base64')}`,
    );
    expect(await store.grants.load(installation.id)).toMatchObject({
      grantedScopes: ['plugin:notify'],
      expiresAt: now + 3_600_000,
    });
  });

  test.each([
    [{ tenant: pluginId }, 'token_tenant_mismatch'],
    [{ token_type: 'mac' }, 'token_response_invalid'],
    [{ access_token: undefined }, 'token_response_invalid'],
    [{ padding: 'x'.repeat(70_000) }, 'token_endpoint_answered_200'],
  ])('an answer with %j fails', async (changes, reason) => {
    platform.fault = answersWith(changes);

    await expect(
      createClient().acceptEvent(installation, event(), { requestedScopes: [] }),
    ).rejects.toMatchObject({
      reason,
    });
  });

  test('an unreachable token endpoint is not a rejection', async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));

    await expect(
      createClient().acceptEvent(installation, event(), { requestedScopes: [] }),
    ).rejects.toMatchObject({
      reason: 'token_endpoint_unreachable',
      rejected: false,
    });
  });
});

describe('fetch', () => {
  test('twenty calls that meet a 401 start one refresh, and all succeed', async () => {
    await storeTokens();
    voidAccessTokens();
    const client = createClient();

    const responses = await Promise.all(
      Array.from({ length: 20 }, () => client.fetch(installation.id, '/api/things', post)),
    );

    expect(responses.map((response) => response.status)).toEqual(Array(20).fill(201));
    expect(platform.tokenRequests).toHaveLength(1);
  });

  test('a late 401 of an old token retries without a refresh', async () => {
    await storeTokens();
    const client = createClient();
    const late = createTokenClient({
      store,
      now: () => now,
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (response.status === 401 && platform.tokenRequests.length === 0) {
          await client.fetch(installation.id, '/api/things', post);
        }
        return response;
      },
    });
    voidAccessTokens();

    const response = await late.fetch(installation.id, '/api/things', post);

    expect(response.status).toBe(201);
    expect(platform.tokenRequests).toHaveLength(1);
  });

  test('a late 401 of an old token renews its successor, if that is void as well', async () => {
    await storeTokens();
    let isFirst = true;
    const client = createClient({
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (isFirst) {
          isFirst = false;
          await client.fetch(installation.id, '/api/things', post);
          voidAccessTokens();
        }
        return response;
      },
    });
    voidAccessTokens();

    const response = await client.fetch(installation.id, '/api/things', post);

    expect(response.status).toBe(201);
    expect(platform.tokenRequests).toHaveLength(2);
  });

  test('a call that missed a renewal and the expiry of its token renews it', async () => {
    await storeTokens();
    const asleep = createClient({ store: { ...store, onChange: () => () => {} } });
    await asleep.fetch(installation.id, '/api/things', post);
    voidAccessTokens();
    await createClient().fetch(installation.id, '/api/things', post);
    voidAccessTokens();
    now += 1;
    platform.calls = 0;

    const response = await asleep.fetch(installation.id, '/api/things', post);

    expect(response.status).toBe(201);
    expect(platform).toMatchObject({ calls: 3, tokenRequests: { length: 2 } });
  });

  test('a token within ten seconds of its expiry is refreshed before the call', async () => {
    await storeTokens();
    now += 3_591_000;

    const response = await createClient().fetch(installation.id, '/api/things', post);

    expect(response.status).toBe(201);
    expect(platform).toMatchObject({ calls: 1, tokenRequests: { length: 1 } });
  });

  test('a token with a lifetime of eight seconds is not refreshed at once', async () => {
    await storeTokens();
    platform.fault = answersWith({ expires_in: 8 });
    voidAccessTokens();
    const client = createClient();

    await client.fetch(installation.id, '/api/things', post);
    await client.fetch(installation.id, '/api/things', post);

    expect(platform.tokenRequests).toHaveLength(1);
  });

  test('an answer without a refresh token keeps the old one', async () => {
    await storeTokens();
    platform.rules = { ...strictRules, refreshTokens: 'omit' };
    voidAccessTokens();
    const before = await store.grants.load(installation.id);

    await createClient().fetch(installation.id, '/api/things', post);

    const after = await store.grants.load(installation.id);
    expect(after?.accessToken.reveal()).not.toBe(before?.accessToken.reveal());
    expect(after?.refreshToken?.reveal()).toBe(before?.refreshToken?.reveal());
  });

  test('C20: a dead refresh token leads to one trigger, and 200 calls continue with the new event', async () => {
    await storeTokens();
    revokeGrants(platform.client);
    platform.onTrigger = () => void storeTokens();
    const client = createClient();

    const responses = await Promise.all(
      Array.from({ length: 200 }, () => client.fetch(installation.id, '/api/things', post)),
    );

    expect(responses.map((response) => response.status)).toEqual(Array(200).fill(201));
    expect(platform.tokenRequests).toHaveLength(1);
    expect(platform.triggers).toEqual(['{"token":"t"}']);
  });

  test('an expired token without a refresh token leads directly to the trigger', async () => {
    await storeTokens({ refreshToken: null });
    voidAccessTokens();
    platform.onTrigger = () => void storeTokens();

    expect((await createClient().fetch(installation.id, '/api/things', post)).status).toBe(201);
    expect(platform).toMatchObject({ tokenRequests: { length: 0 }, triggers: { length: 1 } });
  });

  test('a token without a refresh token is used until it expires, and its successor is requested before', async () => {
    await storeTokens({ refreshToken: null });
    now += 3_591_000;
    const client = createClient({ policy: { waitMs: 50 } });

    for (const _ of [1, 2]) {
      expect((await client.fetch(installation.id, '/api/things', post)).status).toBe(201);
    }
    expect(platform).toMatchObject({ calls: 2, triggers: { length: 1 } });
    expect((await store.installations.get(installation.id))?.status).toBe('active');
  });

  test('a call whose valid token is refused waits for the requested successor', async () => {
    await storeTokens({ refreshToken: null });
    voidAccessTokens();
    platform.triggerDelayMs = 200;
    now += 3_591_000;
    const client = createClient({
      policy: { livingWaitMs: 0 },
      observe: ({ type }) => {
        if (type === 'parked') void storeTokens();
      },
    });

    expect((await client.fetch(installation.id, '/api/things', post)).status).toBe(201);
    expect(platform).toMatchObject({ triggers: { length: 1 } });
  });

  test('a missing event leads to TOKEN_UNAVAILABLE, and the next call sends no second trigger', async () => {
    await storeTokens({ refreshToken: null });
    voidAccessTokens();
    const client = createClient({ policy: { waitMs: 50 } });

    for (const _ of [1, 2]) {
      await expect(client.fetch(installation.id, '/api/things', post)).rejects.toMatchObject({
        code: 'TOKEN_UNAVAILABLE',
        retryAfterSeconds: 30,
      });
    }
    expect(platform.triggers).toHaveLength(1);
    expect((await store.installations.get(installation.id))?.status).toBe('awaiting_event');
  });

  test('R3: while a platform is down, neither the refresh token nor the valid access token is lost', async () => {
    await storeTokens();
    platform.fault = refuses(503);
    platform.triggerStatus = 503;
    now += 3_591_000;
    const policy = { backOff: { baseMs: 1, maxMs: 1 }, refreshIntervalMs: 1 };
    const client = createClient({ policy });

    expect((await client.fetch(installation.id, '/api/things', post)).status).toBe(201);
    expect(platform.triggers).toEqual([]);
    now += 20_000;
    await expect(client.fetch(installation.id, '/api/things', post)).rejects.toMatchObject({
      code: 'REFRESH_FAILED',
      retryAfterSeconds: 1,
      cause: { reason: 'token_endpoint_answered_503' },
    });
    expect(platform.triggers).toHaveLength(1);

    platform.fault = {};
    await vi.waitFor(async () => {
      expect((await client.fetch(installation.id, '/api/things', post)).status).toBe(201);
    }, 120_000);
    expect(await store.grants.load(installation.id)).toMatchObject({ tokenVersion: 2 });
  });

  test('H07: a platform that refuses every token does not get an endless series of refreshes', async () => {
    await storeTokens();
    platform.refusesEverything = true;
    const clients = [createClient(), createClient()];

    const outcomes = [];
    for (let count = 0; count < 30; count += 1) {
      const call = clients[count % 2]?.fetch(installation.id, '/api/things', post);
      outcomes.push(
        await call?.then(
          ({ status }) => status,
          (error: { code: string }) => error.code,
        ),
      );
    }

    expect(outcomes.slice(0, 3)).toEqual(Array(3).fill(401));
    expect(outcomes.slice(3)).toEqual(Array(27).fill('REFRESH_FAILED'));
    expect(platform.tokenRequests).toHaveLength(3);
  });

  test('H07: without a refresh token, it does not get an endless series of triggers', async () => {
    await storeTokens({ refreshToken: null });
    platform.refusesEverything = true;
    platform.onTrigger = () => void storeTokens({ refreshToken: null });
    // The first call gets the tokens of its trigger, however long they take. No others ever arrive.
    const patient = createClient();
    const hasty = [0, 1].map(() => createClient({ policy: { waitMs: 50 } }));

    const outcomes = [];
    for (let count = 0; count < 10; count += 1) {
      const client = count === 0 ? patient : hasty[count % 2];
      const call = client?.fetch(installation.id, '/api/things', post);
      outcomes.push(
        await call?.then(
          ({ status }) => status,
          (error: { code: string }) => error.code,
        ),
      );
    }

    expect(outcomes).toEqual([401, ...Array(9).fill('TOKEN_UNAVAILABLE')]);
    expect(platform.triggers).toHaveLength(1);
  });

  test('a trigger that is not accepted fails at once, and so do the next calls', async () => {
    await storeTokens({ refreshToken: null });
    voidAccessTokens();
    platform.triggerStatus = 500;
    const client = createClient({ policy: { waitMs: 60_000 } });

    for (const _ of [1, 2]) {
      await expect(client.fetch(installation.id, '/api/things', post)).rejects.toMatchObject({
        code: 'TOKEN_UNAVAILABLE',
      });
    }
    expect(platform.triggers).toHaveLength(1);
  });

  test('tokens that arrive before the trigger is answered are used', async () => {
    await storeTokens({ refreshToken: null });
    voidAccessTokens();
    platform.triggerStatus = 500;
    platform.triggerDelayMs = 300;
    platform.onTrigger = () => void storeTokens();

    expect((await createClient().fetch(installation.id, '/api/things', post)).status).toBe(201);
  });

  test('an answer that is not a token response ends nothing: three tries, then one trigger', async () => {
    await storeTokens();
    voidAccessTokens();
    platform.fault = { change: () => ({ status: 200, body: ['not a token response'] }) };
    platform.onTrigger = () => void storeTokens();

    expect((await createClient().fetch(installation.id, '/api/things', post)).status).toBe(201);
    expect(platform).toMatchObject({ tokenRequests: { length: 3 }, triggers: { length: 1 } });
  });

  test('R10: a refresh that is refused because of a newer event sends no trigger', async () => {
    await storeTokens();
    voidAccessTokens();
    platform.fault = { before: () => storeTokens() };
    const heard: string[] = [];
    const client = createClient({ observe: ({ type }) => heard.push(type) });

    expect((await client.fetch(installation.id, '/api/things', post)).status).toBe(201);
    expect(platform.triggers).toEqual([]);
    expect(heard).toEqual(['refresh_failed']);
    expect((await store.installations.get(installation.id))?.status).toBe('active');
  });

  test('waiting calls end at an uninstall', async () => {
    await storeTokens({ refreshToken: null });
    voidAccessTokens();
    platform.onTrigger = () =>
      void store.transaction(({ installations }) => installations.uninstall(installation, 100));

    await expect(createClient().fetch(installation.id, '/api/things', post)).rejects.toMatchObject({
      code: 'GRANT_NOT_FOUND',
    });
  });

  test('each refresh and trigger is in the history', async () => {
    await storeTokens();
    voidAccessTokens();
    await createClient().fetch(installation.id, '/api/things', post);

    const report = await store.reports.describeInstallation(installation.id);
    expect(report?.tokenOperations).toMatchObject([
      { operation: 'refresh', succeeded: true, tokenVersion: 2, reason: null },
    ]);
  });
});
