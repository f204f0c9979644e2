/** The answers of hostile token endpoints: rows C17–C19, D12, D13, E09 and T2 of docs/threats.md. */

import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Secret } from '@dowel/schema';
import { beforeEach, expect, test } from 'vitest';
import {
  answerFine,
  answerJson,
  createEvent,
  goodAnswer as good,
  type HostileWorld,
  pluginId,
  startHostileWorld,
} from './testing/hostile-world.ts';
import { createTokenClient } from './token-client.ts';
import { TokenRequestError } from './token-request-error.ts';

let store: HostileWorld['store'];
let operationsOf: HostileWorld['operationsOf'];
let installation: HostileWorld['installation'];
let listen: HostileWorld['listen'];
let createClient: HostileWorld['createClient'];
let exchange: HostileWorld['exchange'];
let exchangeAt: HostileWorld['exchangeAt'];

beforeEach(async () => {
  const world = await startHostileWorld();
  ({ store, operationsOf, installation, listen, createClient, exchange, exchangeAt } = world);
  return () => world.close();
});

const tenYearsSeconds = 10 * 366 * 24 * 60 * 60;

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
])('D13, T4: an answer that is %s fails, and stores nothing', async (_, answer) => {
  await expect(exchangeAt(answer)).rejects.toBeInstanceOf(TokenRequestError);
  expect(await store.grants.load(installation.id)).toBeUndefined();
});

test('C17: an answer for another tenant is refused', async () => {
  await expect(exchangeAt(answerJson({ ...good, tenant: pluginId }))).rejects.toMatchObject({
    reason: 'token_tenant_mismatch',
  });
});

test.each(['mac', 'dpop', '', 7])('C18: the token type %j is refused', async (token_type) => {
  await expect(exchangeAt(answerJson({ ...good, token_type }))).rejects.toBeInstanceOf(
    TokenRequestError,
  );
});

test.each([
  [{ token_type: undefined }, '/token_type missing'],
  [{ token_type: null }, '/token_type missing'],
  [{ expires_in: '3600' }, '/expires_in text'],
  [{ scope: ['plugin:notify', 'x'] }, '/scope array'],
  [{ scope: 'plugin:notify,x' }, '/scope commas'],
])('an answer with %j is understood, and its spelling is observed', async (changes, expected) => {
  const answer = answerJson({ ...good, scope: 'plugin:notify x', ...changes });
  const baseUrl = await listen((_request, response) => answer(response));
  const found: string[] = [];
  const client = createTokenClient({
    store,
    internalOrigins: [baseUrl],
    observe(observation) {
      if (observation.type !== 'respelled') return;
      found.push(...observation.respelled.map(({ pointer, type }) => `${pointer} ${type}`));
    },
  });

  const { tokens } = await exchange(client, createEvent(baseUrl), ['plugin:notify']);

  expect(tokens.accessToken.reveal()).toBe('access');
  expect(tokens.grantedScopes).toEqual(['plugin:notify', 'x']);
  expect(tokens.expiresAt).toBe(tokens.issuedAt + 3_600_000);
  expect(found).toEqual([expected]);
});

test.each([
  ['3600', 3600],
  // A server may subtract its clock, which has microseconds.
  [3599.987654, 3599.987],
  [1e12, tenYearsSeconds],
  [1e308, tenYearsSeconds],
  [undefined, null],
  [null, null],
  ['', null],
  // Each call would need a refresh of its own.
  [0, null],
  [0.5, null],
  [-1, null],
  ['soon', null],
  [['3600'], null],
])(
  'C19: expires_in %j is a lifetime of %j seconds; an invalid value is unknown',
  async (expires_in, life) => {
    const { tokens } = await exchangeAt(answerJson({ ...good, expires_in }));

    if (life === null) expect(tokens.expiresAt).toBeNull();
    else expect(tokens.expiresAt).toBe(tokens.issuedAt + Math.round(life * 1000));
  },
);

test.each([
  ['status 201', answerJson(good, 201)],
  ['refresh_token null', answerJson({ ...good, refresh_token: null })],
  ['an empty refresh_token', answerJson({ ...good, refresh_token: '' })],
  ['a refresh_token that is a number', answerJson({ ...good, refresh_token: 7 })],
  ['a refresh_token with a line break', answerJson({ ...good, refresh_token: 'a\nb' })],
  ['a jti that is a number', answerJson({ ...good, jti: 7 })],
  ['a tenant that is null', answerJson({ ...good, tenant: null })],
  ['a scope that is a number', answerJson({ ...good, scope: 7 })],
  ['an array of scopes with a number', answerJson({ ...good, scope: ['plugin:read', 7] })],
  ['scope null', answerJson({ ...good, scope: null })],
  ['an invalid id_token', answerJson({ ...good, id_token: 'x' })],
  ['text/plain', (response: ServerResponse) => response.end(JSON.stringify(good))],
  [
    'a byte order mark',
    (response: ServerResponse) => response.end(`\uFEFF${JSON.stringify(good)}`),
  ],
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
  await storeExpired(baseUrl);

  const response = await createClient(baseUrl).fetch(installation.id, '/api/x');

  expect(response.status).toBe(200);
  const grant = await store.grants.load(installation.id);
  expect(grant?.accessToken.reveal()).toBe('canary-new-access');
  expect(grant?.grantedScopes).toEqual(['plugin:notify']);
  const history = operationsOf(installation.id);
  expect(history).not.toEqual([]);
  expect(JSON.stringify(history)).not.toContain('canary');
});

test('the scope of the answer decides the granted scopes, not the requested ones', async () => {
  const { tokens } = await exchangeAt(answerJson({ ...good, scope: 'plugin:read plugin:write' }));

  expect(tokens.grantedScopes).toEqual(['plugin:read', 'plugin:write']);
});

test('an empty scope is no scope, not the requested ones', async () => {
  const { tokens } = await exchangeAt(answerJson({ ...good, scope: '' }));

  expect(tokens.grantedScopes).toEqual([]);
});

test('an array of scopes is a scope', async () => {
  const { tokens } = await exchangeAt(answerJson({ ...good, scope: ['plugin:read', 'a b'] }));

  expect(tokens.grantedScopes).toEqual(['plugin:read', 'a', 'b']);
});

test('an empty array of scopes is no scope, not the requested ones', async () => {
  const { tokens } = await exchangeAt(answerJson({ ...good, scope: [] }));

  expect(tokens.grantedScopes).toEqual([]);
});

test.each([
  ['with a token of another tenant counts', { ...good, tenant: pluginId }, 2],
  ['with a token of an unknown type counts', { ...good, token_type: 'mac' }, 2],
  ['without an access token does not count', { ...good, access_token: undefined }, 3],
  ['that is no JSON does not count', '<h1>Under maintenance</h1>', 3],
])('R2: an answer %s as a presentation of its refresh token', async (_, answer, presented) => {
  const requests: string[] = [];
  const baseUrl = await listen(({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://localhost');
    requests.push(pathname);
    if (pathname === '/trigger') answerJson({}, 503)(response);
    else if (typeof answer === 'string') response.end(answer);
    else answerJson(answer)(response);
  });
  await storeExpired(baseUrl);
  const backOff = { baseMs: 1, maxMs: 1 };
  const client = createClient(baseUrl, { backOff, unansweredPauseMs: 1, refreshIntervalMs: 1 });

  await expect(client.getAccessToken(installation.id)).rejects.toThrow();

  expect(requests).toEqual([...Array(presented).fill('/token'), '/trigger']);
});

/** Stores tokens that expired long ago, with a refresh token. */
async function storeExpired(baseUrl: string): Promise<void> {
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
}

test.each([
  [
    answerJson({
      ...good,
      access_token: 'canary',
      refresh_token: '',
      userName: 'canary',
      Canary: 1,
    }),
    [
      'status: 200',
      '<name>: number 0-9 (unknown)',
      'access_token: text ≤ 64',
      'expires_in: number 1000-9999',
      'refresh_token: empty text (refused)',
      'token_type: "bearer"',
      'userName: text ≤ 64 (unknown)',
    ],
  ],
  [
    answerJson({ error: 'invalid_grant', error_description: 'canary canary' }, 400),
    ['status: 400', 'error: "invalid_grant"', 'error_description: text ≤ 64, with blanks'],
  ],
  [answerJson(['canary']), ['status: 200', 'body: no JSON object']],
])('the shape of an answer is observed, without a value', async (answer, lines) => {
  const baseUrl = await listen((_request, response) => answer(response));
  const observed: (readonly string[])[] = [];
  const client = createTokenClient({
    store,
    internalOrigins: [baseUrl],
    observeAnswer(shape) {
      observed.push(shape);
      throw new Error('An observer that fails');
    },
  });
  await client
    .acceptEvent(installation, createEvent(baseUrl), { requestedScopes: [] })
    .catch(() => undefined);

  expect(observed).toEqual([lines]);
  expect((await store.grants.load(installation.id)) !== undefined).toBe(lines.length > 3);
});

async function writeForever(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  for (let count = 0; count < 1_000 && !response.destroyed; count += 1) {
    response.write('x'.repeat(16_384));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
