import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Timer } from '@dowel/http';
import { createHeldTimer, endlessMs, isEndless } from '@dowel/http/testing';
import { StoreError } from '@dowel/installation-store';
import { afterEach, describe, expect, expectTypeOf, test, vi } from 'vitest';
import { PlatformError } from '../base/platform-error.ts';
import {
  createOperationWorld,
  type OperationWorld,
} from '../operations/testing/operation-world.ts';
import type { Platform } from './call-platform.ts';
import { createPlatform } from './create-platform.ts';
import type { Notifier } from './notify.ts';
import { type PlatformPath, path } from './platform-path.ts';

interface Arrived {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

let world: OperationWorld | undefined;
let arrived: Arrived[] = [];

afterEach(async () => {
  await world?.[Symbol.asyncDispose]();
  world = undefined;
});

/** The platform of the world's installation. */
async function open(
  respond: RequestListener = (_request, response) => response.end('{}'),
  { timer, ...scope }: { signal?: AbortSignal; traceparent?: string; timer?: Timer } = {},
): Promise<Platform & Notifier> {
  arrived = [];
  world = await createOperationWorld(
    {},
    async (request, response) => {
      const { method, url, headers } = request;
      arrived.push({ method, url, headers, body: await text(request) });
      respond(request, response);
    },
    timer && { timer },
  );
  return platformOf(world, scope);
}

const platformOf = (
  { context, installation }: OperationWorld,
  scope: { signal?: AbortSignal; traceparent?: string } = {},
) => createPlatform(context, installation, { instanceId: 'w-1', scope });

const failed = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Also runs the finalizers of collected objects. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let turn = 0; turn < 10; turn += 1) {
    await setImmediate();
    collect();
  }
}

describe('a call', () => {
  test('carries the access token, JSON and the trace of its request', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const platform = await open(undefined, { traceparent });

    const response = await platform.fetch('/api/things?page=2', { json: { a: [1] } });

    expect(await response.json()).toEqual({});
    expect(arrived).toMatchObject([
      {
        method: 'POST',
        url: '/api/things?page=2',
        body: '{"a":[1]}',
        headers: {
          authorization: 'Bearer canary-access',
          'content-type': 'application/json',
          accept: 'application/json',
          traceparent,
        },
      },
    ]);
  });

  test.each([200, 204, 304, 400, 404, 409, 500, 503])(
    'that is answered %i gets that answer',
    async (status) => {
      const platform = await open((_request, response) => response.writeHead(status).end());
      expect((await platform.fetch('/api/things')).status).toBe(status);
    },
  );

  test('H16: gets the usual headers of an answer, and no cookie', async () => {
    const headers = {
      'content-type': 'application/json',
      etag: '"1"',
      'retry-after': '7',
      'set-cookie': 'a=b',
      'x-powered-by': 'x',
    };
    const platform = await open((_request, response) => response.writeHead(200, headers).end('{}'));
    const response = await platform.fetch('/api/things');
    for (const answer of [response, response.clone()]) {
      expect(Object.fromEntries(answer.headers)).toEqual({
        'content-type': 'application/json',
        date: expect.any(String),
        etag: '"1"',
        'retry-after': '7',
      });
      expect(answer.url).toBe('');
      expect(await answer.json()).toEqual({});
    }
  });

  test.each([
    'authorization',
    'Cookie',
    'host',
    'x-forwarded-for',
    'content-type',
    'content-length',
  ])('H16: cannot set the header %s', async (name) => {
    const platform = await open();
    const error = await failed(platform.fetch('/api/things', { headers: { [name]: 'x' } }));
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(name);
    expect(arrived).toEqual([]);
  });

  test.each<[string, object, string]>([
    ['a body', { method: 'POST', body: '{"a":1}' }, 'give the value itself as json'],
    [
      'an unknown member',
      { timeout: 5 },
      'platform.fetch has no option timeout. There are: method',
    ],
    ['a method in small letters', { method: 'post' }, 'must be "GET" or "HEAD"'],
    ['no time at all', { timeoutMs: 0 }, 'The timeoutMs of platform.fetch must be a whole number'],
    ['less than no time', { timeoutMs: -1 }, 'must be a whole number of milliseconds from 1'],
    ['a time that is none', { timeoutMs: Number.NaN }, 'must be a whole number of milliseconds'],
    ['a text as its time', { timeoutMs: '5000' }, 'must be a whole number of milliseconds'],
    ['an instance of Headers', { headers: new Headers({ accept: 'x' }) }, 'Object.fromEntries'],
    [
      'a list of headers',
      { headers: [['accept', 'x']] },
      'headers of platform.fetch must be a plain object',
    ],
    ['a header that is null', { headers: { prefer: null } }, 'The header prefer must be a string'],
    ['a header that is a number', { headers: { prefer: 7 } }, 'The header prefer must be a string'],
    ['a Map of headers', { headers: new Map([['accept', 'x']]) }, 'must be a plain object'],
  ])(
    'with %s is a TypeError that says what to write, and is not sent',
    async (_, init, message) => {
      const platform = await open();

      const error = await failed(platform.fetch('/api/things', init));

      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain(message);
      expect(arrived).toEqual([]);
    },
  );

  test('leaves out members and headers that are undefined', async () => {
    const platform = await open();
    const init: object = {
      body: undefined,
      method: undefined,
      headers: { accept: undefined, prefer: 'x' },
    };

    await platform.fetch('/api/things', init);

    expect(arrived).toMatchObject([
      { method: 'GET', headers: { accept: 'application/json', prefer: 'x' } },
    ]);
  });

  test('can set conditions and a key for its repetition', async () => {
    const platform = await open();
    const headers = { 'If-Match': '"1"', 'idempotency-key': 'k' };
    await platform.fetch('/api/things', { method: 'PUT', json: {}, headers });
    expect(arrived[0]?.headers).toMatchObject({ 'if-match': '"1"', 'idempotency-key': 'k' });
  });

  test('has a body of at most 1 MiB, and GET has none', async () => {
    const platform = await open();
    const json = 'x'.repeat(1_048_575);
    for (const init of [{ json }, { method: 'GET', json: {} } as const]) {
      expect(await failed(platform.fetch('/api/things', init))).toBeInstanceOf(TypeError);
    }
    expect(arrived).toEqual([]);
  });

  test.each([
    ['a short one', { 'content-length': 8 }],
    ['one of unknown length', {}],
  ])('gets an answer that it reads later, %s', async (_, headers) => {
    const finish = Promise.withResolvers<void>();
    const platform = await open((_request, response) => {
      response.writeHead(200, headers).write('[1,');
      void finish.promise.then(() => response.end('2,34]'));
    });

    const answer = await platform.fetch('/api/slow');
    await collectGarbage();
    finish.resolve();

    expect(await answer.json()).toEqual([1, 2, 34]);
  });

  test('gets 1 MiB of an answer, and no more', async () => {
    const platform = await open((_request, response) => response.end('x'.repeat(1_048_577)));
    const response = await platform.fetch('/api/things');
    await expect(response.text()).rejects.toMatchObject({
      code: 'PLATFORM_FAILED',
      cause: { code: 'BODY_TOO_LARGE' },
    });
  });
});

describe('without an answer', () => {
  test('H06, H15: a call that changes something is sent once, and its outcome is unknown', async () => {
    const platform = await open((_request, response) => response.destroy());
    const error = await failed(platform.fetch('/api/things', { json: {} }));
    expect(error).toBeInstanceOf(PlatformError);
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', mayHaveRun: true });
    expect(arrived).toHaveLength(1);
  });

  test('a call that reads fails', async () => {
    const platform = await open((_request, response) => response.destroy());
    const error = await failed(platform.fetch('/api/things'));
    expect(error).toMatchObject({ code: 'PLATFORM_FAILED', mayHaveRun: false });
  });

  test('because the database is away, nothing is sent', async () => {
    const platform = await open();
    const { grants } = (world as OperationWorld).store;
    vi.spyOn(grants, 'load').mockRejectedValue(new StoreError('DATABASE_UNAVAILABLE', 'away'));

    const error = await failed(platform.fetch('/api/things', { json: {} }));

    expect(error).toMatchObject({ code: 'OVERLOADED', retryAfterMs: 5_000, mayHaveRun: false });
    expect(arrived).toEqual([]);
  });

  test('because of a redirect, nothing is followed', async () => {
    const platform = await open((_request, response) =>
      response.writeHead(307, { location: '/api/other' }).end(),
    );
    const error = await failed(platform.fetch('/api/things', { json: {} }));
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(arrived.map(({ url }) => url)).toEqual(['/api/things']);
  });

  test('in its time, a call that changes something may have run', async () => {
    const timer = createHeldTimer(isEndless);
    const platform = await open(() => {}, { timer });
    const call = failed(platform.fetch('/api/things', { json: {}, timeoutMs: endlessMs }));
    await expect.poll(() => arrived).toHaveLength(1);
    timer.end();
    const error = await call;
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', mayHaveRun: true });
  });

  test('because there is no connection, a call has had no effect', async () => {
    const platform = await open();
    // A private address is allowed only for the configured http origin.
    await world?.grant([], world.origin.replace('http:', 'https:'));
    const error = await failed(platform.fetch('/api/things', { json: {} }));
    expect(error).toMatchObject({ code: 'PLATFORM_FAILED', mayHaveRun: false });
    expect(arrived).toEqual([]);
  });

  test.each(['its own signal', 'the operation’s signal'])(
    'a call is ended by %s',
    async (which) => {
      const abort = new AbortController();
      const { promise, resolve } = Promise.withResolvers<void>();
      const { signal } = abort;
      const isOwn = which === 'its own signal';
      const platform = await open(() => resolve(), isOwn ? {} : { signal });
      const call = failed(platform.fetch('/api/things', isOwn ? { signal } : {}));
      await promise;

      abort.abort();

      expect(await call).toMatchObject({ code: 'ABORTED' });
    },
  );

  test('because the plug-in was uninstalled, nothing is sent, also after another installation', async () => {
    const platform = await open();
    const { store, installation, tokenClient } = world as OperationWorld;
    await tokenClient.getAccessToken(installation.id);
    await store.transaction(({ installations }) => installations.uninstall(installation, 50));
    const ended = await failed(platform.fetch('/api/things', { json: {} }));

    await store.transaction(({ installations }) => installations.begin(installation, 60, 60));
    const endedAgain = await failed(platform.fetch('/api/things', { json: {} }));

    expect([ended, endedAgain]).toMatchObject([
      { code: 'INSTALLATION_ENDED' },
      { code: 'INSTALLATION_ENDED' },
    ]);
    expect(arrived).toEqual([]);
  });
});

/** The paths of threat H01. */
const hostile = [
  '//evil.test/x',
  'https://evil.test/x',
  '@evil.test',
  ':8443/x',
  '/a\\b',
  '/a#b',
  '/a//b',
  '/a b',
  '/a%2',
  '',
  '?q',
  '/../x',
  '/a/..',
  '/a/%2e%2E/b',
  '/a/.%2e%2fb',
  '/a/..;v=1/b',
  '/a%5c..%5cb',
  '/a%2fb',
];

describe('a path', () => {
  test.each(hostile)(
    'H14, S18: %j as a whole is a TypeError, and nothing is sent',
    async (text) => {
      const platform = await open();
      const error = await failed(platform.fetch(text as '/api'));
      expect(error).toBeInstanceOf(TypeError);
      // Refused here, with what to write instead; the token client would refuse some of them, too.
      expect(String(error)).toContain('Write a path such as');
      if (text.length > 2) expect(String(error)).not.toContain(text);
      expect(arrived).toEqual([]);
    },
  );

  test('H14, S18: with any value has that value in one segment', async () => {
    const platform = await open();
    const refused: string[] = [];
    const values = [...hostile, 'ü', '100%', 'a?b=c&d', '.', '..', '\ud800', 7];
    for (const value of values) {
      try {
        await platform.fetch(path`/api/things/${value}/x?q=${value}`);
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
        refused.push(String(value));
      }
    }
    // No encoding keeps these in their place.
    expect(refused).toEqual(['', '/../x', '/a/..', '/a/..;v=1/b', '.', '..', '\ud800']);
    const rest = values.map(String).filter((value) => !refused.includes(value));
    const segments = arrived.map(({ url = '' }) => new URL(url, 'http://x').pathname.split('/'));
    expect(segments.map((each) => each.length)).toEqual(rest.map(() => 5));
    expect(segments.map((each) => decodeURIComponent(each[3] ?? ''))).toEqual(rest);
    const queries = arrived.map(({ url = '' }) => new URL(url, 'http://x').searchParams.get('q'));
    expect(queries).toEqual(rest);
  });

  test('is put together with its values by the tag', async () => {
    const platform = await open();
    const [userId, page] = ['ada/bob', 2];

    const response = await platform.fetch(path`/api/users/${userId}/badges?page=${page}`);

    expect(response.status).toBe(200);
    expect(arrived[0]?.url).toBe('/api/users/ada%2Fbob/badges?page=2');
  });

  test('S18: that is put together without the tag does not compile', () => {
    const wrong = (platform: Platform, id: string, tagged: PlatformPath) => {
      void platform.fetch(`/api/users`);
      void platform.fetch(tagged);
      void platform.fetch(path`/api/users/${id}`);
      // @ts-expect-error the value is not encoded
      void platform.fetch(`/api/users/${id}`);
      // @ts-expect-error nobody knows what is in it
      void platform.fetch(id);
    };
    expectTypeOf(wrong).toBeFunction();
  });
});
