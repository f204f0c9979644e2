/** The nonce of the back end as the `jti` of the hello: docs/decisions/0039-session-nonce.md. */
import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AdapterOptions } from './adapter-context.ts';
import type { Adapter } from './create-adapter.ts';
import type { FakeHost } from './fake-host/index.ts';
import { nonceFrom } from './nonce-from.ts';
import {
  createAdapterFor,
  nextTask,
  openHost,
  startServer,
  type TestServer,
} from './testing/test-host.ts';

let host: FakeHost;
let server: TestServer;
let adapter: Adapter;
/** Answers requests for a nonce instead of the back end. */
let refuse: ((response: ServerResponse) => void) | undefined;
/** What the back end saw of each request for a nonce. */
let asked: { method: string | undefined; body: boolean; headers: object }[];
/** The `jti` of each init token that opened a session. */
let opened: string[];

beforeEach(async () => {
  host = await openHost();
  [asked, opened, refuse] = [[], [], undefined];
  server = await startServer(async (request, response) => {
    const { method, headers } = request;
    if (request.url === '/api/session') {
      const { initJwt } = (await json(request)) as { initJwt: string };
      const claims = Buffer.from(initJwt.split('.')[1] ?? '', 'base64url').toString();
      opened.push((JSON.parse(claims) as { jti: string }).jti);
      response.end(`{"sessionToken":"session-${opened.length}","expiresAt":1}`);
      return;
    }
    asked.push({ method, body: 'content-length' in headers, headers });
    if (refuse) refuse(response);
    else response.end(`{"nonce":"nonce-${asked.length}","expiresInMs":120000}`);
  });
  adapter = create();
  return async () => {
    adapter.destroy();
    host.close();
    await server[Symbol.asyncDispose]();
  };
});

afterEach(() => void vi.restoreAllMocks());

function create(options: AdapterOptions<unknown> = {}): Adapter {
  return createAdapterFor(host, {
    sessionUrl: `${server.origin}/api/session`,
    nonce: nonceFrom(`${server.origin}/api/session/nonce`),
    ...options,
  });
}

const hellos = () =>
  host.messages.flatMap(({ message }) => (message.sub === 'init' ? [message.jti] : []));

describe('a nonce of the back end', () => {
  test('is asked for before the hello, and is its jti', async () => {
    refuse = (response) => {
      expect(host.messages).toEqual([]);
      response.end('{"nonce":"theirs"}');
    };

    const { claims } = await adapter.init();

    expect(claims.jti).toBe('theirs');
    expect(hellos()).toEqual(['theirs']);
    expect(server.requests).toEqual(['/api/session/nonce']);
    expect(asked).toMatchObject([{ method: 'POST', headers: { 'content-length': '0' } }]);
  });

  test('is in the init token that opens a session', async () => {
    await adapter.session();

    expect(opened).toEqual(['nonce-1']);
  });

  test('is another one for each handshake', async () => {
    await adapter.session();
    await adapter.getToken();

    expect(hellos()).toEqual(['nonce-1', 'nonce-2']);
  });

  test('is asked for without credentials, and follows no redirect', async () => {
    await using elsewhere = await startServer((_request, response) =>
      response.end('{"nonce":"n"}'),
    );
    const fetchSpy = vi.spyOn(globalThis, 'fetch');
    refuse = (response) => response.writeHead(307, { location: elsewhere.origin }).end();

    await expect(adapter.init()).rejects.toMatchObject({ code: 'ERR_NETWORK' });

    expect(fetchSpy.mock.calls[0]?.[1]).toMatchObject({ credentials: 'omit' });
    expect(elsewhere.requests).toEqual([]);
  });

  test('is asked for at the origin of the page by default', async () => {
    const fetchSpy = vi
      .spyOn(globalThis, 'fetch')
      .mockResolvedValue(Response.json({ nonce: 'theirs' }));

    await create({ nonce: nonceFrom() }).init();

    expect(fetchSpy).toHaveBeenCalledExactlyOnceWith(
      new URL('http://localhost:3000/api/session/nonce'),
      expect.objectContaining({ method: 'POST' }),
    );
  });

  test('is not asked for by default: the host gets a random one', async () => {
    await create({ nonce: undefined }).init();

    expect(server.requests).toEqual([]);
    expect(hellos()[0]).toMatch(/^[\da-f-]{72}$/);
  });
});

describe('a handshake without its nonce', () => {
  test.each([
    [429, '{"message":"Slowly"}', 'ERR_NETWORK', 'No nonce: Slowly'],
    [503, '{}', 'ERR_NETWORK', 'No nonce: undefined'],
    [404, '{"message":"Unknown"}', 'ERR_SESSION', 'No nonce: Unknown'],
    [200, '{}', 'ERR_SESSION', 'No nonce: undefined'],
    [200, '{"nonce":7}', 'ERR_SESSION', 'No nonce: not a text'],
    [200, '<h1>Hi</h1>', 'ERR_SESSION', 'No nonce: HTTP 200 without JSON (URL?)'],
    [404, '<h1>Cannot POST</h1>', 'ERR_SESSION', 'No nonce: HTTP 404 without JSON (URL?)'],
  ])(
    'answered %i %s, fails with %s and says nothing to the host',
    async (status, body, code, diagnosis) => {
      refuse = (response) => response.writeHead(status).end(body);
      const retryable = code === 'ERR_NETWORK';

      await expect(adapter.init()).rejects.toMatchObject({ code, diagnosis, retryable });
      expect(host.messages).toEqual([]);
    },
  );

  test('fails when nobody answers, and the next call tries again', async () => {
    refuse = (response) => response.destroy();
    await expect(adapter.init()).rejects.toMatchObject({
      code: 'ERR_NETWORK',
      diagnosis: expect.stringMatching(/^No answer/),
    });
    refuse = undefined;

    await expect(adapter.init()).resolves.toMatchObject({ claims: { jti: 'nonce-2' } });
  });

  test('fails with ERR6 when the back end is silent for the time of the handshake', async () => {
    const { promise: isAsked, resolve } = Promise.withResolvers<void>();
    refuse = () => resolve();
    const overtime = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(overtime.signal);
    const ending = adapter.init({ timeoutMs: Infinity });
    await isAsked;

    overtime.abort(new DOMException('', 'TimeoutError'));

    await expect(ending).rejects.toMatchObject({
      code: 'ERR6',
      diagnosis: 'Back end sent no nonce',
    });
    expect(timeout).toHaveBeenCalledExactlyOnceWith(2 ** 31 - 1);
    expect(host.messages).toEqual([]);
  });

  test('has only the time that the nonce has left', async () => {
    host.close();
    host = await openHost({ answers: 'never' });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
    try {
      const source = {
        ask: () => {
          vi.setSystemTime(Date.now() + 59_000);
          return Promise.resolve('theirs');
        },
      };
      const outcome = vi.fn();
      const ending = create({ nonce: source }).init().catch(outcome);
      await vi.advanceTimersByTimeAsync(999);
      expect(outcome).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      await ending;
      expect(outcome).toHaveBeenCalledWith(expect.objectContaining({ code: 'ERR6' }));
    } finally {
      vi.useRealTimers();
    }
  });

  test.each<[string, string, () => Promise<unknown>]>([
    [
      'its caller',
      'ERR_ABORTED',
      async () => {
        const abort = new AbortController();
        const ending = adapter.init({ signal: abort.signal });
        await vi.waitFor(() => expect(asked).toHaveLength(1), 120_000);
        abort.abort(new DOMException('', 'AbortError'));
        return ending;
      },
    ],
    [
      'the end of the adapter',
      'ERR_DESTROYED',
      async () => {
        const ending = adapter.init();
        await vi.waitFor(() => expect(asked).toHaveLength(1), 120_000);
        adapter.destroy();
        return ending;
      },
    ],
  ])('is ended by %s with %s', async (_by, code, end) => {
    refuse = () => {};

    await expect(end()).rejects.toMatchObject({ code });
    await nextTask();
    expect(host.messages).toEqual([]);
  });

  test('asks for none where there is no platform around the page', async () => {
    host.close();

    await expect(create().init()).rejects.toMatchObject({ code: 'ERR_NOT_EMBEDDED' });
    expect(server.requests).toEqual([]);
  });
});
