/** How a session is opened, and how it ends with its adapter. */
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Adapter } from './create-adapter.ts';
import type { FakeHost } from './fake-host/index.ts';
import type { PluginError } from './plugin-error.ts';
import { type SessionServer, startSessionServer } from './testing/session-server.ts';
import {
  createAdapterFor,
  nextTask,
  openHost,
  startServer,
  type TestServer,
} from './testing/test-host.ts';

let host: FakeHost;
let adapter: Adapter;
let server: TestServer;
let opened: SessionServer['opened'];
let calls: SessionServer['calls'];
/** Answers requests for a session instead of the back end. */
let refuse: ((response: ServerResponse) => void) | undefined;

beforeEach(async () => {
  host = await openHost();
  refuse = undefined;
  ({ server, opened, calls } = await startSessionServer(() => refuse));
  adapter = createAdapterFor(host, { sessionUrl: `${server.origin}/api/session` });
  return async () => {
    adapter.destroy();
    host.close();
    await server[Symbol.asyncDispose]();
  };
});

afterEach(() => void vi.restoreAllMocks());

describe('a session', () => {
  test('is opened once with the verified init token, for all calls', async () => {
    const sessions = await Promise.all([adapter.session(), adapter.session()]);
    await adapter.session();

    const { initJwt } = await adapter.init();
    expect(sessions[0]).toEqual({ sessionToken: 'session-1', expiresAt: 1 });
    expect(sessions[1]).toBe(sessions[0]);
    expect(opened).toEqual([{ initJwt, instanceId: host.srcId, headers: expect.anything() }]);
    expect(opened[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
  });

  test('uses its init token alone', async () => {
    await adapter.session();
    const initJwt = await adapter.getToken();
    await expect(adapter.getToken()).resolves.toBe(initJwt);

    expect(initJwt).not.toBe(opened[0]?.initJwt);
  });

  test.each<[string, () => Promise<unknown>[]]>([
    ['before', () => [adapter.session(), adapter.getToken()]],
    [
      'before, with another token,',
      () => [adapter.session(), adapter.getToken({ minValidityMs: 0 })],
    ],
  ])(
    'that is requested %s leaves another init token for a caller of getToken',
    async (_when, ask) => {
      const [, initJwt] = await Promise.all(ask());

      expect(opened).toHaveLength(1);
      expect(initJwt).not.toBe(opened[0]?.initJwt);
    },
  );

  test('is requested at the origin of the page by default', async () => {
    const fetchSpy = vi
      .spyOn(globalThis, 'fetch')
      .mockResolvedValue(Response.json({ sessionToken: 's', expiresAt: 1 }));
    await createAdapterFor(host).session();
    expect(fetchSpy).toHaveBeenCalledExactlyOnceWith(
      new URL('http://localhost:3000/api/session'),
      expect.objectContaining({ method: 'POST', credentials: 'omit' }),
    );
  });

  test.each([
    [429, '{"message":"Slowly"}', 'ERR_NETWORK', 'No session: Slowly'],
    [500, '<h1>Oops</h1>', 'ERR_NETWORK', 'No session: HTTP 500 without JSON (URL?)'],
    [503, '{}', 'ERR_NETWORK', 'No session: undefined'],
    [400, '{"message":"Used"}', 'ERR_SESSION', 'No session: Used'],
    [403, 'null', 'ERR_SESSION', 'No session: undefined'],
    [200, '{}', 'ERR_SESSION', 'No session: undefined'],
    [200, 'null', 'ERR_SESSION', 'No session: undefined'],
    [200, '<h1>Hi</h1>', 'ERR_SESSION', 'No session: HTTP 200 without JSON (URL?)'],
  ])('that is answered %i %s fails with %s', async (status, body, code, diagnosis) => {
    refuse = (response) => response.writeHead(status).end(body);
    const retryable = code === 'ERR_NETWORK';
    await expect(adapter.session()).rejects.toMatchObject({ code, diagnosis, retryable });
    expect(opened).toHaveLength(1);
  });

  test.each([
    [429, '<h1>Slowly</h1>', '60', 60_000],
    [503, '{"message":"Busy"}', '7', 7_000],
    [403, '{"message":"No"}', '0', 0],
    [429, '<h1>Slowly</h1>', 'soon', undefined],
    [429, '<h1>Slowly</h1>', 'Thu, 01 Jan 1970 00:00:00 GMT', undefined],
  ])(
    'that is answered %i %s with Retry-After %s says so',
    async (status, body, after, retryAfterMs) => {
      refuse = (response) => response.writeHead(status, { 'retry-after': after }).end(body);
      const error = await adapter.session().catch((reason: unknown) => reason);
      expect(error).toHaveProperty('retryAfterMs', retryAfterMs);
    },
  );

  test('that is answered with a date to wait for says how long that is', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toUTCString();
    refuse = (response) => response.writeHead(503, { 'retry-after': tomorrow }).end();
    const { retryAfterMs } = (await adapter.session().catch((reason) => reason)) as PluginError;
    expect(retryAfterMs).toBeGreaterThan(86_000_000);
    expect(retryAfterMs).toBeLessThanOrEqual(86_400_000);
  });

  test('that fails is tried again by the next call, with another init token', async () => {
    refuse = (response) => response.writeHead(503).end();
    await expect(adapter.session()).rejects.toMatchObject({ code: 'ERR_NETWORK', retryable: true });
    refuse = undefined;

    await expect(adapter.session()).resolves.toMatchObject({ sessionToken: 'session-2' });

    expect(opened[0]?.initJwt).not.toBe(opened[1]?.initJwt);
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['nobody answers', (response) => response.destroy()],
    [
      'the answer breaks off',
      (response) => response.writeHead(200).write('{"sessionToken":', () => response.destroy()),
    ],
  ])('fails when %s, with the error as the cause', async (_what, listener) => {
    refuse = listener;
    await expect(adapter.session()).rejects.toMatchObject({
      code: 'ERR_NETWORK',
      diagnosis: expect.stringMatching(/^No answer/),
      cause: expect.any(TypeError),
    });
  });

  test('has a time limit of a minute', async () => {
    const { resolve, promise } = Promise.withResolvers<void>();
    refuse = () => resolve();
    const overtime = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(overtime.signal);
    const opening = adapter.session();
    await promise;

    overtime.abort(new DOMException('', 'TimeoutError'));

    await expect(opening).rejects.toMatchObject({ code: 'ERR_NETWORK', retryable: true });
    expect(timeout).toHaveBeenCalledExactlyOnceWith(60_000);
  });

  test('fails like the handshake, without a request to the back end', async () => {
    host.close();
    host = await openHost({ answers: 'forged' });
    adapter = createAdapterFor(host, { sessionUrl: `${server.origin}/api/session` });
    await expect(adapter.session()).rejects.toMatchObject({ code: 'ERR2' });
    expect(opened).toEqual([]);
  });

  test.each([301, 302, 303, 307, 308])(
    'that is redirected by a %i sends no init token to another origin',
    async (status) => {
      await using elsewhere = await startServer((_request, response) =>
        response.end('{"sessionToken":"theirs","expiresAt":1}'),
      );
      refuse = (response) => response.writeHead(status, { location: elsewhere.origin }).end();

      await expect(adapter.session()).rejects.toMatchObject({
        code: 'ERR_NETWORK',
        diagnosis: 'No answer (down? CORS? redirect?)',
      });
      expect(elsewhere.requests).toEqual([]);
    },
  );

  test('G10: leaves nothing in storage or address', async () => {
    await adapter.fetch(`${server.origin}/`);
    expect([localStorage.length, sessionStorage.length, document.cookie]).toEqual([0, 0, '']);
    expect(location.href).toBe('http://localhost:3000/');
  });
});

describe('a destroyed adapter', () => {
  test('returns no bearer, even if a session was open', async () => {
    await adapter.session();
    adapter.destroy();
    await nextTask();

    await expect(adapter.session()).rejects.toMatchObject({ code: 'ERR_DESTROYED' });
  });

  test('ends requests in progress', async () => {
    const { resolve, promise } = Promise.withResolvers<void>();
    refuse = () => resolve();
    const opening = adapter.session();
    await promise;

    adapter.destroy();

    await expect(opening).rejects.toMatchObject({ code: 'ERR_DESTROYED' });
  });

  test('sends nothing any more', async () => {
    await adapter.session();
    adapter.destroy();
    await nextTask();

    await expect(adapter.fetch(`${server.origin}/`)).rejects.toMatchObject({
      code: 'ERR_DESTROYED',
    });
    expect(calls).toEqual([]);
  });
});
