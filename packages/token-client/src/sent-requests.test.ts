/** What a hostile platform is sent, and to which addresses: rows D02, D06, D08, D10, D11, H06 and T3 of docs/threats.md. */
import type { ServerResponse } from 'node:http';
import { parseApiOrigins } from '@dowel/schema';
import { beforeEach, expect, test } from 'vitest';
import {
  answerFine,
  answerJson,
  createEvent,
  goodAnswer as good,
  type HostileWorld,
  startHostileWorld,
} from './testing/hostile-world.ts';
import { createTokenClient } from './token-client.ts';

let store: HostileWorld['store'];
let installation: HostileWorld['installation'];
let sink: HostileWorld['sink'];
let sinkUrl: HostileWorld['sinkUrl'];
let listen: HostileWorld['listen'];
let createClient: HostileWorld['createClient'];
let exchange: HostileWorld['exchange'];
let exchangeAt: HostileWorld['exchangeAt'];
let storeGrant: HostileWorld['storeGrant'];

beforeEach(async () => {
  const world = await startHostileWorld();
  ({ store, installation, sink, sinkUrl, listen, createClient, exchange, exchangeAt, storeGrant } =
    world);
  return () => world.close();
});

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

test('a query of the token endpoint is kept as it is, before the parameters of the request', async () => {
  const urls: unknown[] = [];
  const baseUrl = await listen((request, response) => {
    urls.push(request.url);
    answerJson(good)(response);
  });
  const event = createEvent(baseUrl, { token_endpoint_url: '/token?tenant=a%2Fb~c' });

  await exchange(createClient(baseUrl), event);

  expect(urls).toEqual(['/token?tenant=a%2Fb~c&code=canary-code&grant_type=authorization_code']);
});

test('D04: an absolute address is called at the issuer and where a rule allows, and nowhere else', async () => {
  const seen: unknown[] = [];
  const elsewhere = await listen((request, response) => {
    seen.push(request.url);
    answerJson(good)(response);
  });
  const baseUrl = await listen(answerFine);
  const event = createEvent(baseUrl, {
    token_endpoint_url: `${elsewhere}/token`,
    trigger_event: { url: `${elsewhere}/trigger`, method: 'POST' },
  });
  const internalOrigins = [baseUrl, elsewhere];
  const allowing = createTokenClient({
    store,
    internalOrigins,
    apiOrigins: parseApiOrigins(`${installation.issuer}=${elsewhere}`),
  });
  const strict = createTokenClient({ store, internalOrigins });

  await expect(exchange(strict, event)).rejects.toMatchObject({ reason: 'address_not_allowed' });
  expect(seen).toEqual([]);
  await exchange(allowing, event);
  expect(await strict.askForEvent(installation.id)).toMatchObject({
    reason: 'trigger_address_not_allowed',
  });
  expect(seen).toHaveLength(1);
});

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

test.each([
  ['whose answer is lost', (response: ServerResponse) => void response.destroy()],
  ['that is answered 503', answerJson({}, 503)],
  ['that is answered 500', answerJson({}, 500)],
])('H06: a call %s is sent once', async (_, answer) => {
  const arrived: (string | undefined)[] = [];
  const baseUrl = await listen(({ method }, response) => {
    arrived.push(method);
    answer(response);
  });
  await storeGrant(baseUrl, '{}');
  const client = createClient(baseUrl);

  for (const method of ['POST', 'GET']) {
    await client.fetch(installation.id, '/api/x', { method }).catch(() => {});
  }

  expect(arrived).toEqual(['POST', 'GET']);
});

test('a 401 is one also if the words behind it are not Latin-1', async () => {
  const requests: (string | undefined)[] = [];
  const baseUrl = await listen(({ url }, response) => {
    requests.push(url);
    if (url === '/trigger') return void response.end();
    response.socket?.end(
      'HTTP/1.1 401 Brak autoryzacji – zaloguj się\r\ncontent-length: 2\r\n\r\n{}',
    );
  });
  await storeGrant(baseUrl, '{}');

  await expect(
    createClient(baseUrl, { waitMs: 50 }).fetch(installation.id, '/api/x'),
  ).rejects.toMatchObject({ code: 'TOKEN_UNAVAILABLE' });

  await expect.poll(() => requests).toEqual(['/api/x', '/trigger']);
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

test('a client id with a colon is refused before anything is sent', async () => {
  const event = createEvent(sinkUrl);
  event.client.client_id = 'a:b';

  await expect(exchange(createTokenClient({ store }), event)).rejects.toMatchObject({
    reason: 'client_id_not_usable',
  });
  expect(sink).toEqual([]);
});
