/** Hostile token endpoints and triggers: rows C17–C19, D06, D08 and D10–D13 of docs/threats.md. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createKeyring, type Installation, openStore, type Store } from '@dowel/installation-store';
import { type AccessTokenEvent, accessTokenEventSchema, Secret } from '@dowel/schema';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TokenPolicy } from './policy.ts';
import { createTokenClient, type TokenClient } from './token-client.ts';
import { TokenRequestError } from './token-request-error.ts';

const tenantId = 'd290f1ee-6c54-4b01-90e6-d701748f0851';
const pluginId = '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de';

let folder: string;
let store: Store;
let installation: Installation;
let servers: Server[];
/** Requests that reached the host that must receive none. */
let sink: string[];
let sinkUrl: string;

beforeEach(async () => {
  servers = [];
  sink = [];
  sinkUrl = await listen((request, response) => {
    sink.push(request.url ?? '');
    response.end('{}');
  });
  folder = await mkdtemp(join(tmpdir(), 'dowel-hostile-'));
  const keyring = createKeyring(randomBytes(32));
  store = await openStore({ path: join(folder, 'dowel.sqlite'), keyring });
  installation = await store.installations.begin({ issuer: sinkUrl, tenantId, pluginId }, 1, 1);
});

afterEach(async () => {
  await store.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true });
});

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function exchangeAt(answer: (response: ServerResponse) => void) {
  const baseUrl = await listen((_request, response) => answer(response));
  const event = createEvent(baseUrl);
  return exchange(createClient(baseUrl), event, ['plugin:notify']);
}

/** Uses the default transport, which may reach the tenant of the test. */
function createClient(baseUrl: string, policy: Partial<TokenPolicy> = {}): TokenClient {
  // The sink is an internal origin, so that the guard does not prevent the request.
  return createTokenClient({ store, policy, internalOrigins: [baseUrl, sinkUrl] });
}

/** Resolves with the tokens that were stored. */
async function exchange(
  client: TokenClient,
  event: AccessTokenEvent,
  requestedScopes: string[] = [],
) {
  await client.acceptEvent(installation, event, { requestedScopes, essentialScopes: [] });
  const tokens = await store.grants.load(installation.id);
  if (!tokens) throw new Error('Nothing was stored');
  return { tokens };
}

function createEvent(baseUrl: string) {
  return accessTokenEventSchema.parse({
    iss: baseUrl,
    iat: 1,
    exp: 61,
    sub: 'access_token',
    tenantId,
    pluginId,
    base_url: baseUrl,
    client: {
      client_id: 'client',
      client_secret: 'canary-secret',
      authorization_code: 'canary-code',
      token_endpoint_url: '/token',
    },
  });
}

async function storeGrant(baseUrl: string, triggerBody: string): Promise<void> {
  const access = {
    baseUrl,
    clientId: 'client',
    clientSecret: new Secret('canary-secret'),
    tokenEndpointUrl: '/token',
    trigger: { url: '/trigger', body: new Secret(triggerBody) },
  };
  const tokens = {
    accessToken: new Secret('canary-access'),
    refreshToken: null,
    grantedScopes: [],
    issuedAt: 1,
    expiresAt: null,
  };
  await store.transaction(({ grants }) =>
    grants.replace(installation, access, tokens, { iat: 1, newestIat: 6 }),
  );
}

function answerJson(body: unknown, status = 200) {
  return (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
}

const tenYearsSeconds = 10 * 366 * 24 * 60 * 60;
const good = { access_token: 'access', token_type: 'bearer', expires_in: 3600 };

test.each([301, 302, 303, 307, 308])(
  'D06: a redirect (%i) from the token endpoint is not followed',
  async (status) => {
    const redirected = exchangeAt((response) => {
      response.writeHead(status, { location: `${sinkUrl}/steal` }).end();
    });

    await expect(redirected).rejects.toMatchObject({
      reason: `token_endpoint_answered_${status}`,
      rejected: false,
      mayBeSpent: false,
    });
    expect(sink).toEqual([]);
  },
);

test.each([301, 302, 303, 307, 308])(
  'D06: a redirect (%i) of a trigger is an answer, and is not followed',
  async (status) => {
    const baseUrl = await listen((_request, response) => {
      response.writeHead(status, { location: `${sinkUrl}/steal` }).end();
    });
    await storeGrant(baseUrl, '{}');

    expect(await createClient(baseUrl).askForEvent(installation.id)).toEqual({
      outcome: 'not_taken',
      reason: `trigger_answered_${status}`,
    });
    expect(sink).toEqual([]);
  },
);

test('D06: a redirect of a platform call is not followed', async () => {
  const baseUrl = await listen((_request, response) => {
    response.writeHead(307, { location: `${sinkUrl}/steal` }).end();
  });
  await storeGrant(baseUrl, '{}');

  await expect(createClient(baseUrl).fetch(installation.id, '/api/x')).rejects.toThrow();
  expect(sink).toEqual([]);
});

test('D02: an address that the guard refuses is a final refusal, not a temporary failure', async () => {
  const cause = Object.assign(new Error('private'), { code: 'ADDRESS_NOT_ALLOWED' });
  const client = createTokenClient({
    store,
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause })),
  });

  await expect(exchange(client, createEvent(sinkUrl))).rejects.toMatchObject({
    reason: 'address_not_allowed',
    rejected: true,
  });
});

test.each(['http://127.0.0.1', 'https://127.0.0.1', 'https://localhost', 'https://[::1]'])(
  'D02: a default client refuses a token endpoint on a private address (%s)',
  async (host) => {
    const event = createEvent(`${host}:${new URL(sinkUrl).port}`);

    await expect(exchange(createTokenClient({ store }), event)).rejects.toMatchObject({
      reason: 'address_not_allowed',
      rejected: true,
    });
    expect(sink).toEqual([]);
  },
);

test('D02: a default client sends no call and no trigger to a private address', async () => {
  await storeGrant(sinkUrl, '{}');
  const client = createTokenClient({ store, policy: { waitMs: 50 } });

  await expect(client.fetch(installation.id, '/api/x')).rejects.toMatchObject({
    cause: { code: 'ADDRESS_NOT_ALLOWED' },
  });
  await client.invalidate(installation.id, 1).catch(() => {});
  await client.drain();
  expect(sink).toEqual([]);
});

test('T3: a name without a reachable address spends no code', async () => {
  const faults = ['ETIMEDOUT', 'ECONNREFUSED'].map((code) => Object.assign(new Error(), { code }));
  const cause = Object.assign(new AggregateError(faults), { code: 'ETIMEDOUT' });
  const client = createTokenClient({
    store,
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause })),
  });

  await expect(exchange(client, createEvent(sinkUrl))).rejects.toMatchObject({
    reason: 'token_endpoint_unreachable',
    mayBeSpent: false,
  });
});

test('D08: an access token is sent only to the origin it came with', async () => {
  const baseUrl = await listen(answerFine);
  await storeGrant(baseUrl, '{}');
  const client = createClient(baseUrl);

  for (const path of [
    `${sinkUrl}/x`,
    `//${new URL(sinkUrl).host}/x`,
    '/\\evil.test',
    '@evil.test',
  ]) {
    await expect(client.fetch(installation.id, path)).rejects.toBeInstanceOf(TypeError);
  }
  expect(sink).toEqual([]);
});

test('D10: the trigger’s body is sent unchanged, byte for byte', async () => {
  const body = ' {"token" : "ü\\u0000\\/",\n"token":"twice" }\t';
  const received: { contentType: string | undefined; body: Buffer }[] = [];
  const baseUrl = await listen((request, response) => {
    if (request.url !== '/trigger') {
      response.writeHead(401).end();
      return;
    }
    void request.toArray().then((chunks) => {
      const contentType = request.headers['content-type'];
      received.push({ contentType, body: Buffer.concat(chunks as Buffer[]) });
      response.end();
    });
  });
  await storeGrant(baseUrl, body);

  await expect(
    createClient(baseUrl, { waitMs: 50 }).fetch(installation.id, '/api/x'),
  ).rejects.toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
  // The call may end before the trigger arrives.
  await expect
    .poll(() => received)
    .toEqual([{ contentType: 'application/json;charset=UTF-8', body: Buffer.from(body) }]);
});

test('D11: proxy variables of the environment are ignored', async () => {
  const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
  const before = variables.map((name) => process.env[name]);
  for (const name of variables) process.env[name] = sinkUrl;
  try {
    await expect(exchangeAt(answerJson(good))).resolves.toMatchObject({});
  } finally {
    for (const [index, name] of variables.entries()) {
      if (before[index] === undefined) delete process.env[name];
      else process.env[name] = before[index];
    }
  }
  expect(sink).toEqual([]);
});

test('D12: no error contains text of the token endpoint', async () => {
  const banner = { error: 'invalid_grant', error_description: 'internal host db-7.corp' };
  const failed = exchangeAt((response) => {
    response.writeHead(400, { 'content-type': 'application/json', 'x-internal': 'db-7.corp' });
    response.end(JSON.stringify(banner));
  });

  const error = await failed.catch((reason: unknown) => reason as Error & { cause?: unknown });
  const printed = `${String(error)} ${JSON.stringify(error)} ${String((error as Error).cause)}`;
  expect(printed).not.toMatch(/db-7|canary/);
  expect(error).toMatchObject({ reason: 'invalid_grant', rejected: true });
});

test.each([
  ['endless', (response: ServerResponse) => void writeForever(response)],
  ['4 MB', answerJson({ ...good, padding: 'x'.repeat(4_000_000) })],
  [
    'a gzip bomb',
    (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(Buffer.alloc(50_000_000, ' ')));
    },
  ],
  ['HTML', (response: ServerResponse) => response.end('<h1>Welcome</h1>')],
  ['empty', (response: ServerResponse) => response.end()],
  ['an array', answerJson([good])],
  ['cut off', (response: ServerResponse) => response.destroy()],
])('D13: an answer that is %s fails, and stores nothing', async (_, answer) => {
  await expect(exchangeAt(answer)).rejects.toBeInstanceOf(TokenRequestError);
  expect(await store.grants.load(installation.id)).toBeUndefined();
});

test('C17: an answer for another tenant is refused', async () => {
  await expect(exchangeAt(answerJson({ ...good, tenant: pluginId }))).rejects.toMatchObject({
    reason: 'token_tenant_mismatch',
  });
});

test.each(['mac', 'dpop', '', null, 7])('C18: the token type %j is refused', async (token_type) => {
  await expect(exchangeAt(answerJson({ ...good, token_type }))).rejects.toBeInstanceOf(
    TokenRequestError,
  );
});

test.each([
  ['3600', 3600],
  [1e12, tenYearsSeconds],
  [1e308, tenYearsSeconds],
  [undefined, null],
  [null, null],
  ['', null],
  // Each call would need a refresh of its own.
  [0, null],
  [-1, null],
  ['soon', null],
  [['3600'], null],
])(
  'C19: expires_in %j is a lifetime of %j seconds; an invalid value is unknown',
  async (expires_in, life) => {
    const { tokens } = await exchangeAt(answerJson({ ...good, expires_in }));

    if (life === null) expect(tokens.expiresAt).toBeNull();
    else expect(tokens.expiresAt).toBe(tokens.issuedAt + life * 1000);
  },
);

test.each([
  ['status 201', answerJson(good, 201)],
  ['refresh_token null', answerJson({ ...good, refresh_token: null })],
  ['an empty refresh_token', answerJson({ ...good, refresh_token: '' })],
  ['scope null', answerJson({ ...good, scope: null })],
  ['an invalid id_token', answerJson({ ...good, id_token: 'x' })],
  ['text/plain', (response: ServerResponse) => response.end(JSON.stringify(good))],
])('a spent code is not lost because of %s', async (_, answer) => {
  const { tokens } = await exchangeAt(answer);

  expect(tokens.accessToken.reveal()).toBe('access');
  expect(tokens).toMatchObject({ refreshToken: null, grantedScopes: ['plugin:notify'] });
});

test.each([
  [500, { error: 'invalid_grant' }, 'token_endpoint_answered_500', false],
  [503, '<h1>Down</h1>', 'token_endpoint_answered_503', false],
  [429, { error: 'slow_down' }, 'slow_down', false],
  [400, { error: 'invalid_grant' }, 'invalid_grant', true],
  [401, { error: 'invalid_client' }, 'invalid_client', true],
  [401, { error: 'invalid_grant' }, 'invalid_grant', true],
  [400, { error: 'unauthorized_client' }, 'unauthorized_client', true],
  [400, { error: 'unsupported_grant_type' }, 'unsupported_grant_type', true],
  [400, { error: 'invalid_scope' }, 'invalid_scope', true],
  [400, { error: 'invalid_request' }, 'invalid_request', true],
  [403, { error: 'invalid_grant' }, 'invalid_grant', false],
  [400, { error: 'temporarily_unavailable' }, 'temporarily_unavailable', false],
  [400, { error: 'slow_down' }, 'slow_down', false],
  [400, { error: 'server_error' }, 'server_error', false],
  [401, '', 'token_endpoint_answered_401', false],
  [400, { error: 'canary_secret_as_an_error' }, 'token_endpoint_answered_400', false],
  [400, { error: { code: 7 } }, 'token_endpoint_answered_400', false],
  [403, '<h1>No</h1>', 'token_endpoint_answered_403', false],
  [404, '', 'token_endpoint_answered_404', false],
  [200, '<h1>Under maintenance</h1>', 'token_endpoint_answered_200', false],
])('T2: the answer %i %j is %s, rejected: %s', async (status, body, reason, rejected) => {
  const failed = exchangeAt((response) => {
    response.writeHead(status, { 'www-authenticate': 'Basic realm="x"' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });

  await expect(failed).rejects.toMatchObject({ reason, rejected });
});

const breakOff = (response: ServerResponse) => {
  response.writeHead(response.statusCode, { 'content-length': 500 });
  response.write('<html>', () => response.socket?.end());
};
const sendBrokenGzip = (response: ServerResponse) => {
  response.writeHead(response.statusCode, { 'content-encoding': 'gzip' }).end('<html>');
};

test.each(
  [302, 403, 404, 429].flatMap((status) => [
    { status, manner: 'breaks off', answer: breakOff },
    { status, manner: 'does not decode', answer: sendBrokenGzip },
  ]),
)('T2: the answer $status counts, also if its body $manner', async ({ status, answer }) => {
  const failed = exchangeAt((response) => {
    response.statusCode = status;
    answer(response);
  });

  await expect(failed).rejects.toMatchObject({
    reason: `token_endpoint_answered_${status}`,
    rejected: false,
    mayBeSpent: false,
  });
});

test.each([200, 400, 401])('an answer %i whose body breaks off is no answer', async (status) => {
  const failed = exchangeAt((response) => {
    response.statusCode = status;
    breakOff(response);
  });

  await expect(failed).rejects.toMatchObject({
    reason: 'token_endpoint_unreachable',
    mayBeSpent: true,
  });
});

test('E09: a scope that repeats a secret of the event or of the answer is not kept', async () => {
  const answer = { ...good, access_token: 'canary-access', refresh_token: 'canary-refresh' };
  const scope = 'plugin:notify canary-secret canary-code canary-access xcanary-refresh';

  const { tokens } = await exchangeAt(answerJson({ ...answer, scope }));

  expect(tokens.grantedScopes).toEqual(['plugin:notify', 'x']);
});

test('E09: a scope that repeats a secret of the refresh is not stored', async () => {
  const scope = 'plugin:notify canary-old-access canary-old-refresh canary-secret canary-trigger';
  const baseUrl = await listen((request, response) =>
    request.url?.startsWith('/token')
      ? answerJson({ ...good, access_token: 'canary-new-access', scope })(response)
      : answerFine(request, response),
  );
  const access = {
    baseUrl,
    clientId: 'client',
    clientSecret: new Secret('canary-secret'),
    tokenEndpointUrl: '/token',
    trigger: { url: '/trigger', body: new Secret('canary-trigger') },
  };
  const tokens = {
    accessToken: new Secret('canary-old-access'),
    refreshToken: new Secret('canary-old-refresh'),
    grantedScopes: ['plugin:notify'],
    issuedAt: 1,
    expiresAt: 2,
  };
  await store.transaction(({ grants }) =>
    grants.replace(installation, access, tokens, { iat: 1, newestIat: 6 }),
  );

  const response = await createClient(baseUrl).fetch(installation.id, '/api/x');

  expect(response.status).toBe(200);
  const grant = await store.grants.load(installation.id);
  expect(grant?.accessToken.reveal()).toBe('canary-new-access');
  expect(grant?.grantedScopes).toEqual(['plugin:notify']);
  const report = await store.reports.describeInstallation(installation.id);
  expect(JSON.stringify(report)).not.toContain('canary');
});

test('an empty scope is no scope, not the requested ones', async () => {
  const { tokens } = await exchangeAt(answerJson({ ...good, scope: '' }));

  expect(tokens.grantedScopes).toEqual([]);
});

test('a client id with a colon is refused before anything is sent', async () => {
  const event = createEvent(sinkUrl);
  event.client.client_id = 'a:b';

  await expect(exchange(createTokenClient({ store }), event)).rejects.toMatchObject({
    reason: 'client_id_not_usable',
  });
  expect(sink).toEqual([]);
});

function answerFine(_request: unknown, response: ServerResponse): void {
  response.end('{}');
}

async function writeForever(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  for (let count = 0; count < 1_000 && !response.destroyed; count += 1) {
    response.write('x'.repeat(16_384));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
