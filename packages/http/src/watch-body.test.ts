/** The end of a body, as its connection sees it (decision 35): with plain requests, and with those that need `fetch`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createGuardedFetch, type GuardedInit } from './guarded-fetch.ts';
import { type HttpHost, startHttpHost } from './testing/http-host.ts';

let host: HttpHost;

beforeAll(async () => {
  host = await startHttpHost();
});
afterAll(() => host[Symbol.asyncDispose]());

/** Writes as long as somebody reads. */
function sendWithoutEnd(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200);
  const send = () => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536)));
  };
  response.on('drain', send);
  send();
}

/** A request whose end is awaited. `isPlain`: it needs little of `fetch`. */
function createRequest(isPlain: boolean, idleTimeoutMs = 60_000) {
  const guardedFetch = createGuardedFetch({
    internalOrigins: [host.origin],
    idleTimeoutMs,
    headersTimeoutMs: 0,
  });
  const ended = Promise.withResolvers<void>();
  const onBodyEnd = vi.fn(ended.resolve);
  const leaving = new AbortController();
  const init: GuardedInit = { onBodyEnd, redirect: 'error', signal: leaving.signal };
  const send = (url: string) => guardedFetch(isPlain ? url : new URL(url), init);
  return { send, onBodyEnd, ended: ended.promise, leaving };
}

describe.each([
  ['plain', true],
  ['fetched', false],
] as const)('a %s body', (_, isPlain) => {
  test.each<[string, (response: Response, leaving: AbortController) => Promise<unknown>]>([
    ['cancelled', async ({ body }) => body?.cancel()],
    ['aborted by its caller', async (_, leaving) => leaving.abort()],
    [
      'abandoned in the middle',
      async ({ body }) => {
        for await (const _ of body ?? []) break;
      },
    ],
  ])('without end ends once, when it is %s', async (_, end) => {
    const url = host.serve('/endless', sendWithoutEnd);
    const { send, onBodyEnd, ended, leaving } = createRequest(isPlain);

    const response = await send(url);
    expect(onBodyEnd).not.toHaveBeenCalled();
    await end(response, leaving);
    await ended;

    expect(onBodyEnd).toHaveBeenCalledOnce();
  });

  test('has not ended while pieces of it are read, and ends once, with its last piece', async () => {
    const opened = Promise.withResolvers<ServerResponse>();
    const url = host.serve('/slow', (_, response) => opened.resolve(response.writeHead(200)));
    const { send, onBodyEnd, ended } = createRequest(isPlain);
    const sent = send(url);
    const server = await opened.promise;
    server.write('1');
    const reader = (await sent).body?.getReader();

    for (const piece of ['2', '3']) {
      await reader?.read();
      expect(onBodyEnd).not.toHaveBeenCalled();
      server.write(piece);
    }
    server.end();
    while (!(await reader?.read())?.done);
    await ended;

    expect(onBodyEnd).toHaveBeenCalledOnce();
  });

  test('ends once, when its server breaks it off', async () => {
    const opened = Promise.withResolvers<ServerResponse>();
    const url = host.serve('/breaks', (_, response) => {
      response.writeHead(200).write('{');
      opened.resolve(response);
    });
    const { send, onBodyEnd, ended } = createRequest(isPlain);
    const response = await send(url);
    expect(onBodyEnd).not.toHaveBeenCalled();

    (await opened.promise).destroy();

    await expect(response.text()).rejects.toThrow('terminated');
    await ended;
    expect(onBodyEnd).toHaveBeenCalledOnce();
  });

  test('ends when it has arrived, read or not', async () => {
    const { send, ended } = createRequest(isPlain);

    const response = await send(host.serve('/short', { short: true }));
    await ended;

    expect(await response.json()).toEqual({ short: true });
  });

  test.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ['no answer', (_, response) => void response.destroy()],
    ['a redirect', (_, response) => void response.writeHead(302, { location: '/' }).end('{}')],
  ])('that never comes has ended: %s', async (_, answer) => {
    const { send, onBodyEnd, ended } = createRequest(isPlain);

    await expect(send(host.serve('/fails', answer))).rejects.toThrow('fetch failed');
    await ended;

    expect(onBodyEnd).toHaveBeenCalledOnce();
  });

  test('that never comes has ended: its caller leaves before the headers', async () => {
    const arrived = Promise.withResolvers<void>();
    const url = host.serve('/silent', () => arrived.resolve());
    const { send, onBodyEnd, ended, leaving } = createRequest(isPlain);
    const sent = send(url);
    await arrived.promise;

    leaving.abort(new Error('left'));

    await expect(sent).rejects.toThrow('left');
    await ended;
    expect(onBodyEnd).toHaveBeenCalledOnce();
  });

  test('T3: that nobody reads is given up after the idle time', async () => {
    const url = host.serve('/unread', sendWithoutEnd);
    const { send, onBodyEnd, ended } = createRequest(isPlain, 100);

    const response = await send(url);
    await ended;

    expect(onBodyEnd).toHaveBeenCalledOnce();
    await expect(response.text()).rejects.toMatchObject({
      cause: { code: 'UND_ERR_BODY_TIMEOUT' },
    });
  });
});
