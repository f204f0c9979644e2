/** Whether a request that failed was sent: with plain requests, and with those that need `fetch`. */
import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer, type LookupFunction, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AddressNotAllowedError, createGuardedFetch } from './guarded-fetch.ts';
import { type HttpHost, startHttpHost } from './testing/http-host.ts';
import { RequestNotSentError } from './unsent-request.ts';

let host: HttpHost;

beforeAll(async () => {
  host = await startHttpHost();
});
afterAll(() => host[Symbol.asyncDispose]());

/** The origin of a server that ends each connection in its own way, when the first bytes have arrived. */
async function endConnections(scheme: string, end: (socket: Socket) => unknown) {
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => end(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, [Symbol.dispose]: () => void server.close() };
}

const failLookup =
  (error: Error): LookupFunction =>
  (_hostname, _options, callback) =>
    callback(error, '', 4);

describe.each([
  ['plain', true],
  ['fetched', false],
] as const)('a %s request', (_, isPlain) => {
  const failOf = (
    url: string,
    options: Parameters<typeof createGuardedFetch>[0] = {},
  ): Promise<unknown> =>
    createGuardedFetch(options)(isPlain ? url : new URL(url), {
      method: 'POST',
      body: '{}',
      redirect: 'error',
    }).catch((error: unknown) => error);

  test.each(['EMFILE', 'EAI_FAIL', 'ENOBUFS', 'A_CODE_OF_TOMORROW'])(
    'T3: was not sent if its name lookup fails with %s',
    async (code) => {
      const cause = Object.assign(new Error(), { code });

      const error = await failOf('https://keys.example.com/', { lookup: failLookup(cause) });

      expect(error).toBeInstanceOf(RequestNotSentError);
      expect(error).toMatchObject({ code: 'REQUEST_NOT_SENT', message: 'fetch failed', cause });
    },
  );

  test.each<[string, (socket: Socket) => unknown]>([
    ['resets', (socket) => socket.resetAndDestroy()],
    ['ends', (socket) => socket.end()],
    ['answers without TLS', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('T3: was not sent if its host %s during TLS', async (_, end) => {
    using server = await endConnections('https', end);

    const error = await failOf(`${server.origin}/`, { internalOrigins: [server.origin] });

    expect(error).toBeInstanceOf(RequestNotSentError);
  });

  test('T3: was not sent to an address that is not allowed', async () => {
    const error = await failOf('https://127.0.0.1/');

    expect(error).toBeInstanceOf(RequestNotSentError);
    expect(error).toMatchObject({ cause: expect.any(AddressNotAllowedError) });
  });

  test('may have been sent if its host resets the connection after it', async () => {
    using server = await endConnections('http', (socket) => socket.resetAndDestroy());

    const error = await failOf(`${server.origin}/`, { internalOrigins: [server.origin] });

    expect(error).toBeInstanceOf(TypeError);
    expect(error).not.toBeInstanceOf(RequestNotSentError);
  });

  test('was sent if its answer is a redirect', async () => {
    const url = host.serve('/moved', (_request, response) => {
      response.writeHead(307, { location: 'https://127.0.0.1/' }).end();
    });

    const error = await failOf(url, { internalOrigins: [host.origin] });

    expect(error).toBeInstanceOf(TypeError);
    expect(error).not.toBeInstanceOf(RequestNotSentError);
  });

  test('ends with the reason of its signal, also before it is sent', async () => {
    const leaving = new AbortController();
    const reason = new Error('leaving');
    // Not in the turn in which the request begins: undici cannot be aborted there.
    const lookup: LookupFunction = () => void setImmediate(() => leaving.abort(reason));
    const url = 'https://keys.example.com/';

    const ended = createGuardedFetch({ lookup })(isPlain ? url : new URL(url), {
      redirect: 'error',
      signal: leaving.signal,
    });

    await expect(ended).rejects.toBe(reason);
  });

  test('T3: is reported as unsent if its signal ends it before, and is not sent later', async () => {
    const arrived: (string | undefined)[] = [];
    const count: RequestListener = ({ url }, response) => {
      arrived.push(url);
      response.end();
    };
    for (const path of ['/given-up', '/next']) host.serve(path, count);
    const origin = `http://localhost:${host.port}`;
    const given = `${origin}/given-up`;
    const [connecting, found] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const lookup: LookupFunction = async (_hostname, _options, callback) => {
      connecting.resolve();
      await found.promise;
      callback(null, [{ address: '127.0.0.1', family: 4 }]);
    };
    const internalOrigins = [origin];
    const fetch = createGuardedFetch({ internalOrigins, lookup, connectionsPerOrigin: 1 });
    const leaving = new AbortController();
    let unsent = 0;
    const ended = fetch(isPlain ? given : new URL(given), {
      redirect: 'error',
      signal: leaving.signal,
      onUnsent: () => {
        unsent += 1;
      },
    });
    ended.catch(() => {});

    await connecting.promise;
    leaving.abort();
    await expect(ended).rejects.toBe(leaving.signal.reason);
    found.resolve();
    await fetch(`${origin}/next`);

    expect(unsent).toBe(1);
    expect(arrived).toEqual(['/next']);
  });

  test('T3: does not count as unsent if its signal ends it after it was sent', async () => {
    const leaving = new AbortController();
    const reason = new Error('leaving');
    using server = await endConnections('http', () => leaving.abort(reason));
    let unsent = 0;

    const ended = createGuardedFetch({ internalOrigins: [server.origin] })(
      isPlain ? `${server.origin}/` : new URL(server.origin),
      {
        redirect: 'error',
        signal: leaving.signal,
        onUnsent: () => {
          unsent += 1;
        },
      },
    );

    await expect(ended).rejects.toBe(reason);
    expect(unsent).toBe(0);
  });
});

test('a request that was redirected to a host without a connection was sent', async () => {
  const url = host.serve('/away', (_request, response) => {
    response.writeHead(307, { location: 'https://127.0.0.1/' }).end();
  });
  const fetch = createGuardedFetch({ internalOrigins: [host.origin] });

  const error = await fetch(url).catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({ cause: expect.any(AddressNotAllowedError) });
  expect(error).not.toBeInstanceOf(RequestNotSentError);
});
