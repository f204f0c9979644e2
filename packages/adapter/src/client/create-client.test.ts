import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Adapter } from '../create-adapter.ts';
import type { FakeHost } from '../fake-host/index.ts';
import {
  createAdapterFor,
  nextTask,
  openHost,
  startServer,
  type TestServer,
} from '../testing/test-host.ts';
import type { Client, OperationTypes } from './client-types.ts';
import { createClient } from './create-client.ts';
import { OperationError } from './operation-error.ts';

interface Operations {
  vote: OperationTypes<{ choice: string }, { votes: number }, 'POLL_CLOSED'>;
  list: OperationTypes<Record<string, never>, null, never>;
}

interface Arrived {
  method: string | undefined;
  path: string | undefined;
  type: string | undefined;
  bearer: string | undefined;
  input: unknown;
}

let host: FakeHost;
let server: TestServer;
let adapter: Adapter;
let client: Client<Operations>;
let arrived: Arrived[];
/** Answers operations. */
let answer: (response: ServerResponse) => void;
let sessionStatus: number;
let sessionHeaders: Record<string, string>;

const mark = { 'dowel-answer': '1' };

function answerJson(status: number, body: unknown, headers: Record<string, string> = mark): void {
  answer = (response) => response.writeHead(status, headers).end(JSON.stringify(body));
}

beforeEach(async () => {
  host = await openHost();
  [arrived, sessionStatus, sessionHeaders] = [[], 200, {}];
  answerJson(200, { votes: 1 });
  server = await startServer(async (request, response) => {
    const { method, url: path, headers } = request;
    const input = await json(request);
    if (path?.endsWith('/session')) {
      response
        .writeHead(sessionStatus, sessionHeaders)
        .end('{"sessionToken":"session-1","expiresAt":1}');
      return;
    }
    const [type, bearer] = [headers['content-type'], headers.authorization];
    arrived.push({ method, path, type, bearer, input });
    answer(response);
  });
  adapter = createAdapterFor(host, { sessionUrl: `${server.origin}/api/session` });
  client = createClient<Operations>(adapter, `${server.origin}/api/`);
  return async () => {
    adapter.destroy();
    host.close();
    await server[Symbol.asyncDispose]();
  };
});

afterEach(() => void vi.restoreAllMocks());

const outcomeOf = (call: Promise<unknown>) => call.catch((error: unknown) => error);

describe('a call', () => {
  test('posts its input as JSON with the session, and resolves with the output', async () => {
    expect(await client.vote({ choice: 'soup' })).toEqual({ votes: 1 });
    expect(arrived).toEqual([
      {
        method: 'POST',
        path: '/api/vote',
        type: 'application/json',
        bearer: 'Bearer session-1',
        input: { choice: 'soup' },
      },
    ]);
  });

  test('goes to /api/ of the page unless another address is given', async () => {
    const fetch = vi.fn(async (_path: string, _init: RequestInit) => Response.json(null));
    await createClient<Operations>({ fetch }).list({});
    for (const apiUrl of ['/polls/api/', '/polls/api']) {
      await createClient<Operations>({ fetch }, apiUrl).list({});
    }
    expect(fetch.mock.calls.map(([path]) => path)).toEqual([
      '/api/list',
      '/polls/api/list',
      '/polls/api/list',
    ]);
  });

  test('keeps the object whose fetch it calls', async () => {
    const session = {
      output: { votes: 7 },
      async fetch(_path: string, _init: RequestInit) {
        return Response.json(this.output);
      },
    };

    expect(await createClient<Operations>(session).vote({ choice: 'soup' })).toEqual({ votes: 7 });
  });

  test('resolves with null where the operation says so', async () => {
    answerJson(200, null);
    expect(await client.list({})).toBeNull();
    expect(await client.list.safe({})).toEqual({ ok: true, value: null });
  });

  test('that the operation refuses throws its code, and safe returns the same error', async () => {
    answerJson(409, { code: 'POLL_CLOSED', message: 'The poll is closed' });

    const thrown = await outcomeOf(client.vote({ choice: 'soup' }));
    const result = await client.vote.safe({ choice: 'soup' });

    expect(thrown).toBeInstanceOf(OperationError);
    expect(thrown).toMatchObject({
      name: 'OperationError',
      code: 'POLL_CLOSED',
      message: 'The poll is closed',
      status: 409,
      mayHaveRun: false,
    });
    expect((thrown as OperationError).retryAfterMs).toBeUndefined();
    expect(result).toEqual({ ok: false, error: thrown });
  });

  test('that may succeed later says when, and whether it may have had an effect', async () => {
    answerJson(502, {
      code: 'OUTCOME_UNKNOWN',
      message: 'x',
      retryAfterMs: 5000,
      mayHaveRun: true,
    });
    await expect(client.vote({ choice: 'soup' })).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      status: 502,
      retryAfterMs: 5000,
      mayHaveRun: true,
    });
  });
});

describe('an error', () => {
  const errorOf = async () =>
    ((await client.vote.safe({ choice: 'soup' })) as { error: OperationError }).error;

  test.each<[string, Record<string, string>, object, boolean]>([
    ['with the mark of the back end', mark, {}, false],
    ['that says itself that it has run', mark, { mayHaveRun: true }, true],
    ['of a proxy that has codes, too', {}, {}, true],
    [
      'whose mark a proxy removed, which says that it has not run',
      {},
      { mayHaveRun: false },
      false,
    ],
    ['of a proxy that says something else', {}, { mayHaveRun: 'no' }, true],
  ])('%s keeps its code', async (_what, headers, more, mayHaveRun) => {
    answerJson(504, { code: 'GatewayTimeout', ...more }, headers);
    expect(await errorOf()).toMatchObject({ code: 'GatewayTimeout', status: 504, mayHaveRun });
  });

  test('takes only the members that it knows, in their types', async () => {
    answer = (response) =>
      response
        .writeHead(409, mark)
        .end(
          '{"code":"POLL_CLOSED","name":"Evil","stack":"evil","cause":"evil","status":200,"retryAfterMs":"5","__proto__":{"evil":true}}',
        );
    const error = await errorOf();

    expect(error).toBeInstanceOf(OperationError);
    expect(error).not.toHaveProperty('evil');
    expect(error.stack).not.toBe('evil');
    expect(error).toMatchObject({ name: 'OperationError', status: 409 });
    expect([error.cause, error.retryAfterMs]).toEqual([undefined, undefined]);
  });

  test.each<[string, number, string]>([
    ['a proxy’s HTML', 429, '<h1>Slowly</h1>'],
    ['the back end’s JSON', 503, '{"code":"OVERLOADED","message":"Try again later"}'],
  ])('of %s says when to try again, by Retry-After', async (_whose, status, body) => {
    answer = (response) => response.writeHead(status, { 'retry-after': '30' }).end(body);
    expect(await errorOf()).toMatchObject({ status, retryAfterMs: 30_000 });
  });

  test('says when to try again if the session was refused for now', async () => {
    [sessionStatus, sessionHeaders] = [429, { 'retry-after': '60' }];
    expect(await errorOf()).toMatchObject({
      code: 'NO_ANSWER',
      mayHaveRun: false,
      retryAfterMs: 60_000,
    });
  });
});

describe('without an answer of the back end', () => {
  test.each<[string, number, (response: ServerResponse) => void]>([
    ['a proxy answers in HTML', 502, (response) => response.writeHead(502).end('<h1>Oops</h1>')],
    ['a proxy answers in JSON', 503, (response) => response.writeHead(503).end('{"a":1}')],
    ['a proxy has codes, too', 504, (response) => response.writeHead(504).end('{"code":504}')],
    ['the answer is null', 500, (response) => response.writeHead(500).end('null')],
    ['a good answer is not JSON', 200, (response) => response.writeHead(200).end('')],
    [
      'the answer breaks off',
      200,
      (response) => response.writeHead(200).write('{"votes":', () => response.destroy()),
    ],
    ['the connection breaks', 0, (response) => response.destroy()],
  ])(
    'because %s, the call fails with NO_ANSWER and may have run',
    async (_why, status, respond) => {
      answer = respond;
      await expect(client.vote({ choice: 'soup' })).rejects.toMatchObject({
        name: 'OperationError',
        code: 'NO_ANSWER',
        status,
        mayHaveRun: true,
      });
    },
  );

  test('an input that cannot be JSON is a TypeError, and nothing is sent', async () => {
    const endless: { choice: string; self?: unknown } = { choice: 'soup' };
    endless.self = endless;

    await expect(client.vote(endless)).rejects.toBeInstanceOf(TypeError);
    await expect(client.vote.safe(endless)).rejects.toBeInstanceOf(TypeError);
    expect(arrived).toEqual([]);
  });

  test('because the back end refuses the session, it has not run', async () => {
    sessionStatus = 403;

    const { error } = (await client.vote.safe({ choice: 'soup' })) as { error: OperationError };

    expect(error).toMatchObject({ code: 'NO_ANSWER', status: 0, mayHaveRun: false });
    expect(error.cause).toMatchObject({ name: 'PluginError', code: 'ERR_SESSION' });
    expect(arrived).toEqual([]);
  });

  test('because the fetch of another client failed, it may have run', async () => {
    const error = Object.assign(new Error('Network Error'), { code: 'ERR_NETWORK' });
    const fetch = () => Promise.reject(error);

    const result = await createClient<Operations>({ fetch }).vote.safe({ choice: 'soup' });

    expect(result).toMatchObject({ error: { code: 'NO_ANSWER', mayHaveRun: true } });
  });

  test('because the init JWT is forged, it has not run, and the cause says why', async () => {
    adapter.destroy();
    host.close();
    host = await openHost({ answers: 'forged' });
    adapter = createAdapterFor(host, { sessionUrl: `${server.origin}/api/session` });
    client = createClient<Operations>(adapter, `${server.origin}/api/`);

    const { error } = (await client.vote.safe({ choice: 'soup' })) as { error: OperationError };

    expect(error).toMatchObject({ code: 'NO_ANSWER', status: 0, mayHaveRun: false });
    expect(error.cause).toMatchObject({ name: 'PluginError', code: 'ERR2' });
    expect(error.message).toContain('Invalid plug-in token');
    expect(arrived).toEqual([]);
  });

  test('because the adapter is destroyed, it may have run', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answer = () => resolve();
    const call = client.vote.safe({ choice: 'soup' });
    await promise;

    adapter.destroy();

    expect(await call).toMatchObject({ error: { code: 'NO_ANSWER', mayHaveRun: true } });
  });
});

describe('after the adapter was destroyed', () => {
  test('a call is not sent, and has not run', async () => {
    adapter.destroy();
    await nextTask();

    const result = await client.vote.safe({ choice: 'soup' });

    expect(result).toMatchObject({ error: { code: 'NO_ANSWER', mayHaveRun: false } });
    expect(arrived).toEqual([]);
  });
});

describe('a call whose answer does not end', () => {
  test('fails after a minute, and may have run', async () => {
    const begun = Promise.withResolvers<void>();
    answer = (response) => {
      response.writeHead(200).write('{"votes":');
      begun.resolve();
    };
    await adapter.session();
    const overtime = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(overtime.signal);
    const call = client.vote.safe({ choice: 'soup' });
    await begun.promise;
    expect(timeout.mock.calls).toEqual([[60_000]]);

    overtime.abort(new DOMException('', 'TimeoutError'));

    expect(await call).toMatchObject({
      error: { code: 'NO_ANSWER', mayHaveRun: true, cause: { name: 'TimeoutError' } },
    });
  });
});

describe('an aborted call', () => {
  test('ends its request at the back end, and may have run', async () => {
    const running = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    answer = (response) => {
      response.once('close', () => ended.resolve());
      running.resolve();
    };
    const abort = new AbortController();
    const call = client.vote.safe({ choice: 'soup' }, { signal: abort.signal });
    await running.promise;

    abort.abort();

    await ended.promise;
    expect(await call).toMatchObject({
      error: { code: 'ABORTED', status: 0, mayHaveRun: true, cause: { name: 'AbortError' } },
    });
  });

  test('that was aborted before is not sent, and has not run', async () => {
    const call = client.vote({ choice: 'soup' }, { signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ code: 'ABORTED', mayHaveRun: false });
    expect(arrived).toEqual([]);
  });
});

describe('a client', () => {
  test('is no promise, and calls nothing when it is awaited, printed or written as JSON', async () => {
    expect(await Promise.resolve<unknown>(client)).toBe(client);
    expect([JSON.stringify(client), String(client)]).toEqual(['{}', '[object Object]']);
    expect(Symbol.iterator in client).toBe(false);
    expect(arrived).toEqual([]);
  });

  test('has the same function at every access', () => {
    expect(client.vote).toBe(client.vote);
    expect(client.vote.safe).toBe(client.vote.safe);
    expect(client.vote).not.toBe(client.list);
  });
});
