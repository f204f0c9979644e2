/** A plain request gets what `fetch` gets. */
import { getEventListeners, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createGuardedFetch } from './guarded-fetch.ts';
import { type HttpHost, startHttpHost } from './testing/http-host.ts';

let host: HttpHost;

beforeAll(async () => {
  host = await startHttpHost();
});

afterAll(() => host[Symbol.asyncDispose]());

const open = (options = {}) => createGuardedFetch({ internalOrigins: [host.origin], ...options });
const large = 'x'.repeat(1_000_000);
/** Long also when it is compressed, so that it comes in pieces. */
const varied = Array.from({ length: 60_000 }, (_, index) => Math.sin(index)).join();

const encoded =
  (coding: string, bytes: string | Uint8Array): Answer =>
  (to) =>
    to.writeHead(200, { 'content-encoding': coding }).end(bytes);

type Answer = (response: ServerResponse) => void;

/** Headers and body in one packet, after which the connection ends. */
const sendRaw =
  (header: string, body: string): Answer =>
  (to) =>
    to.socket?.end(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n${body}`);

function serve(answer: Answer): string {
  return host.serve(`/${crypto.randomUUID()}`, (request, response) => {
    request.resume().on('end', () => answer(response));
  });
}

async function describeAnswer(asked: Promise<Response>) {
  try {
    const answer = await asked;
    const { status, statusText, headers, body } = answer;
    const named = [...headers].filter(([name]) => name !== 'date');
    return { status, statusText, named, hasBody: body !== null, text: await answer.text() };
  } catch (error) {
    return { error: (error as Error).message, hasCause: (error as Error).cause !== undefined };
  }
}

test.each<[string, Answer, RequestInit]>([
  ['a short body', (to) => to.end('{"ok":true}'), {}],
  ['no bytes', (to) => to.end(''), {}],
  ['a body in pieces', (to) => to.write('{') && setImmediate(() => to.end('}')), {}],
  ['a large body', (to) => to.end(large), {}],
  ['gzip', encoded('gzip', gzipSync(varied)), {}],
  ['gzip in capital letters', encoded('GZIP', gzipSync(large)), {}],
  ['gzip by its old name', encoded('x-gzip', gzipSync(large)), {}],
  ['gzip that lacks its end', encoded('gzip', gzipSync(varied).subarray(0, -100)), {}],
  ['gzip without bytes', encoded('gzip', ''), {}],
  ['a broken gzip', encoded('gzip', 'no zip'), {}],
  ['deflate', encoded('deflate', deflateSync(varied)), {}],
  ['deflate without its header', encoded('deflate', deflateRawSync(varied)), {}],
  ['deflate without bytes', encoded('deflate', ''), {}],
  ['a broken deflate', encoded('deflate', 'no zip'), {}],
  ['brotli', encoded('br', brotliCompressSync(varied)), {}],
  ['a broken brotli', encoded('br', 'no zip'), {}],
  ['zstd', encoded('zstd', zstdCompressSync(varied)), {}],
  ['two codings', encoded('deflate, gzip', gzipSync(deflateSync(varied))), {}],
  ['an unknown coding', encoded('gzip, identity', gzipSync('{}')), {}],
  ['the name of a method as coding', encoded('constructor', '{}'), {}],
  ['six codings', encoded('gzip, gzip, gzip, gzip, gzip, gzip', '{}'), {}],
  [
    'a body that breaks off',
    (to) => to.writeHead(200, { 'content-length': 9 }).write('{', () => to.destroy()),
    {},
  ],
  ['204', (to) => to.writeHead(204).end(), { method: 'DELETE' }],
  ['205', (to) => to.writeHead(205).end(), { method: 'POST' }],
  ['304', (to) => to.writeHead(304, { etag: '"1"' }).end(), {}],
  ['HEAD', (to) => to.writeHead(200, { 'content-length': 9 }).end(), { method: 'HEAD' }],
  [
    '500 in words',
    (to) => to.writeHead(500, 'Out of order').end('{}'),
    { method: 'PUT', body: '{}' },
  ],
  ['a header twice', (to) => to.setHeader('set-cookie', ['a=1', 'b=2']).end('{}'), {}],
  ['a header beyond ASCII', (to) => to.setHeader('x-name', 'caf\u00e9').end('{}'), {}],
  ['a redirect', (to) => to.writeHead(307, { location: '/' }).end(), { method: 'POST', body: 'x' }],
  ['a redirect to nowhere', (to) => to.writeHead(302).end(), {}],
  ['no answer', (to) => to.destroy(), {}],
  ['no HTTP', (to) => to.socket?.end('Hello\r\n\r\n'), {}],
  [
    'a broken chunk behind a good one',
    sendRaw('transfer-encoding: chunked', '1\r\n{\r\nno size'),
    {},
  ],
  ['fewer bytes than it says', sendRaw('content-length: 9', '{'), {}],
])('the answer is that of fetch: %s', async (_, answer, init) => {
  const url = serve(answer);
  const guarded = open();

  for (const redirect of ['error', 'manual'] as const) {
    const plain = await describeAnswer(guarded(url, { ...init, redirect }));
    // An address that is an object needs fetch.
    const fetched = await describeAnswer(guarded(new URL(url), { ...init, redirect }));

    expect(plain).toEqual(fetched);
  }
});

const senders: [string, (url: string) => string | URL][] = [
  ['plain', (url) => url],
  ['fetched', (url) => new URL(url)],
];

describe.each(senders)('an answer to a %s request', (_, inputOf) => {
  test.each([
    ['in Latin-1', Buffer.from('Non autoris\xe9', 'latin1')],
    ['in UTF-8', Buffer.from('Brak autoryzacji – zaloguj się')],
  ])('has its status, also if the words behind it are %s', async (__, words) => {
    const url = serve((to) => {
      const rest = Buffer.from('\r\ncontent-length: 2\r\n\r\n{}');
      to.socket?.end(Buffer.concat([Buffer.from('HTTP/1.1 401 '), words, rest]));
    });

    const answer = await open()(inputOf(url), { redirect: 'error', maxBodyBytes: 2 });

    expect([answer.status, await answer.text()]).toEqual([401, '{}']);
  });
});

test('a body that comes in pieces has only the headers of its answer, also in a process with Hono', async () => {
  const NodeResponse = Response;
  class HonoResponse extends NodeResponse {
    constructor(body: ConstructorParameters<typeof Response>[0], init: ResponseInit = {}) {
      super(body, { ...init, headers: init.headers ?? { 'content-type': 'text/plain' } });
    }
  }
  vi.stubGlobal('Response', HonoResponse);
  onTestFinished(() => void vi.unstubAllGlobals());
  const typed = serve((to) => to.writeHead(200, { 'content-type': 'text/html' }).end(large));
  const untyped = serve((to) => to.end(large));

  const types = [typed, untyped].map(async (url) => {
    const answer = await open()(url, { redirect: 'error' });
    await answer.text();
    return answer.headers.get('content-type');
  });

  expect(await Promise.all(types)).toEqual(['text/html', null]);
});

test('an answer whose status is none fails, and its connection ends', async () => {
  // As in a process with Hono, which replaces it by one that takes any status.
  vi.stubGlobal('Response', class {});
  onTestFinished(() => void vi.unstubAllGlobals());
  const ended = Promise.withResolvers<void>();
  const url = serve(({ socket }) => {
    socket?.once('close', () => ended.resolve());
    socket?.write('HTTP/1.1 700 Seven\r\ncontent-length: 2\r\n\r\n{');
  });

  await expect(open()(url, { redirect: 'error' })).rejects.toThrow('fetch failed');
  await ended.promise;
});

test.each(['GET', 'POST', 'PATCH'])(
  'the headers of a %s are those that fetch needs',
  async (method) => {
    const body = method === 'GET' ? null : 'text';
    const received: object[] = [];
    const url = host.serve('/headers', ({ headers }, response) => {
      const { 'accept-language': _, 'sec-fetch-mode': __, ...needed } = headers;
      received.push({ ...needed, 'accept-encoding': needed['accept-encoding']?.includes('gzip') });
      response.end('{}');
    });
    const guarded = open();
    const init = { method, body, headers: { 'X-One': '1' }, redirect: 'error' } as const;

    await (await guarded(url, init)).text();
    await (await guarded(new URL(url), init)).text();

    expect(received[0]).toEqual(received[1]);
  },
);

test.each<[string, (url: string) => [string, RequestInit]]>([
  ['a header that no request may have', (url) => [url, { headers: { 'x-name': 'a\u0000b' } }]],
  ['an address that is none', () => ['http://[', {}]],
])('%s is refused, and nothing is sent', async (_, inputOf) => {
  const [url, init] = inputOf(serve((to) => void to.end('{}')));
  const onUnsent = vi.fn();

  await expect(open()(url, { ...init, redirect: 'error', onUnsent })).rejects.toThrow(TypeError);

  expect(onUnsent).toHaveBeenCalledOnce();
});

test('an abort ends a request that has no connection yet, and it is not sent', async () => {
  const guarded = open({ connectionsPerOrigin: 1 });
  const asked = Promise.withResolvers<ServerResponse>();
  const busy = host.serve('/busy', (_, response) => asked.resolve(response));
  const first = guarded(busy, { redirect: 'error' });
  const response = await asked.promise;
  const leaving = new AbortController();
  const url = serve((to) => void to.end('{}'));

  const waiting = guarded(url, { redirect: 'error', signal: leaving.signal });
  leaving.abort(new Error('left'));

  await expect(waiting).rejects.toThrow('left');
  response.end('{}');
  await (await first).text();
  expect(await (await guarded(busy.replace('busy', 'none'), { redirect: 'error' })).text()).toBe(
    '{}',
  );
  expect(host.requests).not.toContain(new URL(url).pathname);
});

test('an abort ends a body with its reason', async () => {
  const leaving = new AbortController();
  const url = serve((to) => void to.write('{'));
  const response = await open()(url, { redirect: 'error', signal: leaving.signal });

  leaving.abort(new Error('left'));

  await expect(response.text()).rejects.toThrow('left');
});

test.each(senders)(
  'the signal until the headers ends a %s request that has none',
  async (_, inputOf) => {
    const asked = Promise.withResolvers<ServerResponse>();
    const url = serve(asked.resolve);
    const late = new AbortController();
    const sent = open()(inputOf(url), { redirect: 'error', untilHeaders: late.signal });
    const response = await asked.promise;
    const closed = once(response, 'close');

    late.abort(new Error('late'));

    await expect(sent).rejects.toThrow('late');
    await closed;
  },
);

test('the signal until the headers does not end a body', async () => {
  const finish = Promise.withResolvers<void>();
  const url = serve((to) => {
    to.write('{');
    void finish.promise.then(() => to.end('}'));
  });
  const late = new AbortController();
  const response = await open()(url, { redirect: 'error', untilHeaders: late.signal });

  late.abort();
  finish.resolve();

  expect(await response.text()).toBe('{}');
});

test.each<[string, Answer]>([
  ['whole', (to) => to.end('{}')],
  ['broken off', (to) => to.destroy()],
])('no signal keeps a request in memory whose answer is %s', async (_, answer) => {
  const { signal } = new AbortController();
  const { signal: untilHeaders } = new AbortController();

  await describeAnswer(open()(serve(answer), { redirect: 'error', signal, untilHeaders }));

  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(getEventListeners(untilHeaders, 'abort')).toEqual([]);
});

test.each([
  ['plain, at once', (url: string) => url, (to: ServerResponse) => void to.end('12345')],
  ['plain, in pieces', (url: string) => url, sendInPieces],
  ['fetched', (url: string) => new URL(url), sendInPieces],
])(
  'I09: a body is read up to its limit, and breaks off after it: %s',
  async (_, inputOf, answer) => {
    const url = inputOf(serve(answer));
    const read = async (maxBodyBytes: number) =>
      (await open()(url, { redirect: 'error', maxBodyBytes })).text();

    expect(await read(5)).toBe('12345');
    await expect(read(4)).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
  },
);

function sendInPieces(to: ServerResponse): void {
  to.write('123');
  setImmediate(() => to.end('45'));
}

test('T3: an answer that stops in the middle is given up after the idle time', async () => {
  const url = serve((to) => void to.write('{'));

  const response = await open({ idleTimeoutMs: 100, headersTimeoutMs: 0 })(url, {
    redirect: 'error',
  });

  await expect(response.text()).rejects.toMatchObject({ cause: { code: 'UND_ERR_BODY_TIMEOUT' } });
});

/** Resolves when the garbage collector has run, and so have the callbacks of what it found. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let times = 0; times < 3; times += 1) {
    collect();
    await nextTurn();
  }
}

test.each([
  ['short', '{"ok":true}', (url: string) => url],
  ['large', large, (url: string) => url],
  ['fetched and limited', large, (url: string) => new URL(url)],
])('a %s body that is read late is whole, also without its answer', async (_, text, inputOf) => {
  const url = inputOf(serve((to) => void to.end(text)));
  const { body } = await open()(url, { redirect: 'error', maxBodyBytes: text.length });

  await collectGarbage();

  expect(await new Response(body).text()).toBe(text);
});
