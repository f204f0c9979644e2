/** Requests with a session’s bearer, and its renewal. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Adapter } from './create-adapter.ts';
import type { FakeHost } from './fake-host/index.ts';
import { type SessionServer, startSessionServer } from './testing/session-server.ts';
import { createAdapterFor, openHost, startServer, type TestServer } from './testing/test-host.ts';

let host: FakeHost;
let adapter: Adapter;
let server: TestServer;
let opened: SessionServer['opened'];
let calls: SessionServer['calls'];
let ended: SessionServer['ended'];
/** Answers requests for a session instead of the back end. */
let refuse: ((response: ServerResponse) => void) | undefined;

beforeEach(async () => {
  host = await openHost();
  refuse = undefined;
  ({ server, opened, calls, ended } = await startSessionServer(() => refuse));
  adapter = createAdapterFor(host, { sessionUrl: `${server.origin}/api/session` });
  return async () => {
    adapter.destroy();
    host.close();
    await server[Symbol.asyncDispose]();
  };
});

afterEach(() => void vi.restoreAllMocks());

function bearers() {
  return calls.map(({ headers }) => headers.authorization);
}

/** A back end that opens sessions, and leaves every other answer to the test. The adapter has its session. */
async function openSlowServer(answer: (response: ServerResponse) => void): Promise<TestServer> {
  const slow = await startServer((request, response) => {
    if (request.url === '/api/session') response.end('{"sessionToken":"session","expiresAt":1}');
    else answer(response);
  });
  adapter = createAdapterFor(host, { sessionUrl: `${slow.origin}/api/session` });
  await adapter.session();
  return slow;
}

/** The begun body of an answer to a request with this `accept` header, and the signal of its time limit. */
async function startBody(accept: string | undefined, status = 200) {
  const begun = Promise.withResolvers<ServerResponse>();
  await server[Symbol.asyncDispose]();
  server = await openSlowServer((response) => {
    response.writeHead(status, { 'content-type': 'text/plain' }).write('first ');
    begun.resolve(response);
  });
  const overtime = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(overtime.signal);
  const headers: HeadersInit = accept === undefined ? {} : { accept };
  const answer = await adapter.fetch(`${server.origin}/`, { headers });
  return { response: await begun.promise, body: answer.text(), overtime };
}

describe('a request', () => {
  test('carries the bearer in addition to its own headers', async () => {
    const headers = { 'x-own': 'a', authorization: 'Basic x' };
    const init = { method: 'PUT', headers, body: 'text', credentials: 'include' } as const;
    const fetchSpy = vi.spyOn(globalThis, 'fetch');

    const response = await adapter.fetch(`${server.origin}/api/a?b`, init);

    expect(await response.text()).toBe('answer 1');
    expect(calls).toMatchObject([{ method: 'PUT', path: '/api/a?b', body: 'text' }]);
    expect(calls[0]?.headers).toMatchObject({ 'x-own': 'a', authorization: 'Bearer session-1' });
    expect(fetchSpy.mock.calls.map(([, sent]) => sent?.credentials)).toEqual(['omit', 'omit']);
    expect(headers.authorization).toBe('Basic x');
  });

  test.each(['https://evil.example/', '//evil.example', '/api', 'http://127.0.0.1:1/'])(
    'to %s, another origin than the sessions come from, is a TypeError and is not sent',
    async (url) => {
      await adapter.session();
      const fetchSpy = vi.spyOn(globalThis, 'fetch');
      await expect(adapter.fetch(url)).rejects.toThrow(TypeError);
      expect(fetchSpy).not.toHaveBeenCalled();
    },
  );

  test.each<RequestRedirect>(['follow', 'manual'])(
    'sends no bearer to another origin by a redirect, even if its caller sets %s',
    async (redirect) => {
      await using elsewhere = await startServer((_request, response) => response.end());
      await using redirecting = await startServer(async (request, response) => {
        if (request.url !== '/api/session') {
          response.writeHead(307, { location: elsewhere.origin }).end();
        } else response.end('{"sessionToken":"session","expiresAt":1}');
      });
      adapter = createAdapterFor(host, { sessionUrl: `${redirecting.origin}/api/session` });
      const init = { method: 'POST', body: 'text', redirect };

      await expect(adapter.fetch(`${redirecting.origin}/api/a`, init)).rejects.toThrow(TypeError);
      expect(redirecting.requests).toEqual(['/api/session', '/api/a']);
      expect(elsewhere.requests).toEqual([]);
    },
  );

  test('is ended by its own signal', async () => {
    await adapter.session();
    const abort = new AbortController();
    const request = adapter.fetch(`${server.origin}/`, { signal: abort.signal });
    abort.abort(new DOMException('', 'AbortError'));
    await expect(request).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('is ended by its own signal while its session is being opened', async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    refuse = asked.resolve;
    const abort = new AbortController();
    const request = adapter.fetch(`${server.origin}/`, { signal: abort.signal });
    const other = adapter.fetch(`${server.origin}/other`);
    const response = await asked.promise;

    abort.abort(new DOMException('', 'AbortError'));

    await expect(request).rejects.toMatchObject({ name: 'AbortError' });
    response.end('{"sessionToken":"session-1","expiresAt":1}');
    expect((await other).status).toBe(200);
    expect(calls.map(({ path }) => path)).toEqual(['/other']);
  });

  test('ends after a minute without headers', async () => {
    const arrived = Promise.withResolvers<ServerResponse>();
    await using slow = await openSlowServer(arrived.resolve);
    const overtime = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(overtime.signal);
    const silent = adapter.fetch(`${slow.origin}/`);
    const left = once(await arrived.promise, 'close');
    expect(timeout.mock.calls).toEqual([[60_000]]);

    overtime.abort(new DOMException('', 'TimeoutError'));

    await expect(silent).rejects.toMatchObject({ name: 'TimeoutError' });
    await left;
  });

  test.each([
    ['nothing', undefined, 200],
    ['JSON', 'application/json', 200],
    ['JSON and more', 'text/plain;q=0.5, application/json', 200],
    ['a stream, and fails', 'text/event-stream', 502],
  ])('that accepts %s ends after a minute in its body', async (_what, accept, status) => {
    const { response, body, overtime } = await startBody(accept, status);

    overtime.abort(new DOMException('', 'TimeoutError'));

    response.end('last');
    await expect(body).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test.each([
    'text/event-stream',
    'application/x-ndjson',
    'application/jsonl',
    'application/json-seq',
    'text/csv',
    '*/*',
  ])('that accepts %s has no limit for its body', async (accept) => {
    const { response, body, overtime } = await startBody(accept);

    overtime.abort(new DOMException('', 'TimeoutError'));

    response.end('last');
    expect(await body).toBe('first last');
  });

  test('with a header that cannot be sent opens no session', async () => {
    refuse = (response) => response.writeHead(503).end();

    await expect(
      adapter.fetch(`${server.origin}/`, { headers: { 'not a name': 'a' } }),
    ).rejects.toThrow(TypeError);

    expect(opened).toEqual([]);
  });

  test('fails like fetch if there is no answer', async () => {
    await adapter.session();
    const { origin } = server;
    await server[Symbol.asyncDispose]();
    server = await startServer(() => {});
    await expect(adapter.fetch(origin)).rejects.toThrow(TypeError);
  });
});

describe('a session that has ended', () => {
  test('is renewed once with another init token, and the request sent again', async () => {
    await adapter.session();
    ended.add('session-1');

    const response = await adapter.fetch(`${server.origin}/`, { method: 'POST', body: 'text' });

    expect(response.status).toBe(200);
    expect(calls.map(({ body }) => body)).toEqual(['text', 'text']);
    expect(bearers()).toEqual(['Bearer session-1', 'Bearer session-2']);
    expect(opened[0]?.initJwt).not.toBe(opened[1]?.initJwt);
    expect(host.messages.filter(({ message }) => message.sub === 'init')).toHaveLength(2);
  });

  test('is renewed once for all requests that used it', async () => {
    await adapter.session();
    ended.add('session-1');

    const paths = Array.from({ length: 8 }, (_each, index) => `${server.origin}/${index}`);
    const responses = await Promise.all(paths.map((path) => adapter.fetch(path)));

    expect(responses.map(({ status }) => status)).toEqual(paths.map(() => 200));
    expect(opened).toHaveLength(2);
  });

  test('is renewed with an unused init token, if there is one', async () => {
    await adapter.session();
    const unused = await adapter.getToken({ minValidityMs: Infinity });
    ended.add('session-1');

    await adapter.fetch(`${server.origin}/`);

    expect(opened[1]?.initJwt).toBe(unused);
  });

  test('is not renewed for an answer to a request from before the renewal', async () => {
    await adapter.session();
    const { fetch } = globalThis;
    const { promise: renewed, resolve } = Promise.withResolvers<void>();
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const response = await fetch(input, init);
      if (String(input).endsWith('/slow') && response.status === 401) await renewed;
      return response;
    });
    ended.add('session-1');
    const slow = adapter.fetch(`${server.origin}/slow`);
    await adapter.fetch(`${server.origin}/fast`);

    resolve();

    expect((await slow).status).toBe(200);
    expect(opened).toHaveLength(2);
  });

  test('and whose successor is refused, too, gives the caller the 401', async () => {
    for (const bearer of ['session-1', 'session-2']) ended.add(bearer);
    const response = await adapter.fetch(`${server.origin}/`);
    expect(response.status).toBe(401);
    expect(calls).toHaveLength(2);
  });

  test('does not repeat a stream, and ends the session', async () => {
    await adapter.session();
    ended.add('session-1');
    const body = new Response('text').body;

    const response = await adapter.fetch(`${server.origin}/`, {
      method: 'POST',
      body,
      duplex: 'half',
    } as RequestInit);

    expect(response.status).toBe(401);
    expect(calls).toHaveLength(1);
    await expect(adapter.fetch(`${server.origin}/`)).resolves.toMatchObject({ status: 200 });
    expect(opened).toHaveLength(2);
  });

  test('fails with the reason why no other can be opened', async () => {
    await adapter.session();
    ended.add('session-1');
    refuse = (response) => response.writeHead(403).end();
    await expect(adapter.fetch(`${server.origin}/`)).rejects.toMatchObject({ code: 'ERR_SESSION' });
  });
});
