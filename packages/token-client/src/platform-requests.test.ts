/** The requests that a tenant's platform receives from the token client (Spec §4.2, §4.3, §5). */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  answerTokenRequest,
  createAuthorizationServer,
  issueCode,
  registerClient,
  type SecretKind,
  sendTokenAnswer,
  strictRules,
} from '@dowel/emulator/authorization-server';
import { systemTimer } from '@dowel/http';
import { accessTokenEventSchema } from '@dowel/schema';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createMemoryDatabase,
  type MemoryDatabase,
  type RecordedStore,
} from './testing/memory-database.ts';
import { createTokenClient, type TokenClientOptions } from './token-client.ts';
import type { InstallationLife } from './token-store.ts';

const tenantId = 'd290f1ee-6c54-4b01-90e6-d701748f0851';
const pluginId = '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de';
const lifeMs = 3_600_000;
const basic = `Basic ${Buffer.from('client:söme:secret', 'utf8').toString('base64')}`;

interface Received {
  request: string;
  authorization: string | undefined;
  contentType: string | undefined;
  body: string;
}

let database: MemoryDatabase;
let store: RecordedStore;
let server: Server;
let baseUrl: string;
let received: Received[];
/** The answer to each refresh. */
let refreshStatus: number;
let installation: InstallationLife;
let now: number;

beforeEach(async () => {
  received = [];
  refreshStatus = 200;
  now = 1_700_000_000_000;
  const authorizationServer = createAuthorizationServer({ tenantId, createSecret: numbered() });
  const client = registerClient(authorizationServer, {
    pluginId,
    clientId: 'client',
    clientSecret: 'söme:secret',
  });
  issueCode(authorizationServer, client, { now, rules: strictRules });
  server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    const { authorization, 'content-type': contentType } = request.headers;
    const { pathname, searchParams: parameters } = new URL(request.url ?? '/', baseUrl);
    parameters.sort();
    const query = parameters.size > 0 ? `?${parameters.toString()}` : '';
    received.push({
      request: `${request.method} ${pathname}${query}`,
      authorization,
      contentType,
      body,
    });
    const terms = { now, rules: strictRules };
    if (!parameters.has('grant_type')) sendTokenAnswer(response, { status: 200, body: {} });
    else if (parameters.has('refresh_token') && refreshStatus !== 200)
      sendTokenAnswer(response, { status: refreshStatus, body: { error: 'invalid_grant' } });
    else
      sendTokenAnswer(
        response,
        answerTokenRequest(authorizationServer, { parameters, authorization }, terms),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/t/acme/`;
  database = await createMemoryDatabase();
  store = await database.open();
  installation = await store.installations.begin({ issuer: baseUrl, tenantId, pluginId }, 1);
});

afterEach(async () => {
  await database.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Names secrets `access-1`, `access-2`, `refresh-1`, … */
function numbered(): (kind: SecretKind) => string {
  const numbers: Partial<Record<SecretKind, number>> = {};
  return (kind) => {
    const number = (numbers[kind] ?? 0) + 1;
    numbers[kind] = number;
    return `${kind}-${number}`;
  };
}

function createClient(options: Partial<TokenClientOptions> = {}) {
  const internalOrigins = [new URL(baseUrl).origin];
  return createTokenClient({ store, internalOrigins, now: () => now, ...options });
}

/** Accepts the installation's event: exchanges its code and stores tokens that are valid for an hour. */
async function acceptEvent(): Promise<void> {
  const event = accessTokenEventSchema.parse({
    iss: baseUrl,
    iat: 1,
    exp: 61,
    sub: 'access_token',
    tenantId,
    pluginId,
    base_url: baseUrl,
    client: {
      client_id: 'client',
      client_secret: 'söme:secret',
      authorization_code: 'code-1',
      token_endpoint_url: 'api/oauth/token',
      trigger_event: {
        url: `/api/plugins/${pluginId}/access_token/${tenantId}`,
        method: 'POST',
        body: '{"token":"t-1"}',
      },
    },
  });
  await createClient().acceptEvent(installation, event, { requestedScopes: ['plugin:notify'] });
}

const calls = () => received.filter(({ request }) => request === 'GET /t/acme/api/things');

test('the exchange is a POST with grant and code in the query, Basic, and no body', async () => {
  await acceptEvent();

  expect(received).toEqual([
    {
      request: 'POST /t/acme/api/oauth/token?code=code-1&grant_type=authorization_code',
      authorization: basic,
      contentType: undefined,
      body: '',
    },
  ]);
});

test('a refresh presents the refresh token at the same endpoint, with the same Basic', async () => {
  await acceptEvent();
  now += lifeMs;

  await createClient().getAccessToken(installation.id);

  expect(received.slice(1)).toEqual([
    {
      request: 'POST /t/acme/api/oauth/token?grant_type=refresh_token&refresh_token=refresh-1',
      authorization: basic,
      contentType: undefined,
      body: '',
    },
  ]);
});

test('a trigger is a POST of the event’s body to the event’s path, without other credentials', async () => {
  await acceptEvent();
  refreshStatus = 400;
  now += lifeMs;
  const client = createClient({ policy: { waitMs: 1 } });

  await expect(client.getAccessToken(installation.id)).rejects.toMatchObject({
    code: 'TOKEN_UNAVAILABLE',
  });

  await expect
    .poll(() => received.slice(2))
    .toEqual([
      {
        request: `POST /t/acme/api/plugins/${pluginId}/access_token/${tenantId}`,
        authorization: undefined,
        contentType: 'application/json;charset=UTF-8',
        body: '{"token":"t-1"}',
      },
    ]);
});

test('a call carries the access token as a bearer token', async () => {
  await acceptEvent();

  await createClient().fetch(installation.id, '/api/things');

  expect(calls().map(({ authorization }) => authorization)).toEqual(['Bearer access-1']);
});

test('after a refresh no process sends the old access token any more', async () => {
  await acceptEvent();
  const path = '/api/things';
  let monotonicMs = 0;
  const timer = { ...systemTimer, monotonic: () => monotonicMs };
  const policy = { livingWaitMs: 600_000 };
  const client = createClient({ policy });
  const other = createClient({ store: await database.open(), timer, policy });
  await client.fetch(installation.id, path);
  await other.fetch(installation.id, path);

  // Nine seconds before its expiry the old token is still valid, and is renewed.
  now += lifeMs - 9_000;
  await Promise.all(Array.from({ length: 10 }, () => client.fetch(installation.id, path)));
  monotonicMs += 1_000;
  await other.fetch(installation.id, path);

  const sent = calls().map(({ authorization }) => authorization);
  expect(sent).toEqual([...Array(2).fill('Bearer access-1'), ...Array(11).fill('Bearer access-2')]);
  expect(received).toHaveLength(1 + 1 + sent.length);
});
