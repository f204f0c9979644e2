import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { path } from '../platform/platform-path.ts';
import { defineOperation } from './define-operation.ts';
import type { OperationTable } from './operation.ts';
import { createOperationWorld, type OperationWorld } from './testing/operation-world.ts';

let world: OperationWorld | undefined;

afterEach(async () => {
  await world?.[Symbol.asyncDispose]();
  world = undefined;
});

async function open(operations: OperationTable): Promise<OperationWorld> {
  world = await createOperationWorld(operations);
  return world;
}

const echo = defineOperation({
  input: z.object({ text: z.string().max(10) }),
  output: z.object({ text: z.string() }),
  run: ({ input }) => ({ ...input, secret: 'canary-output' }),
});

test('an operation answers with what its output schema knows, and nothing else', async () => {
  const { call } = await open({ echo });
  const { status, headers, body } = await call('echo', { text: 'Hi' });
  expect([status, body]).toEqual([200, { text: 'Hi' }]);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
});

test('an observer hears the end of each call, without what was sent or answered', async () => {
  const refuse = defineOperation({
    input: z.object({}),
    output: z.object({}),
    errors: { POLL_CLOSED: 409 },
    run: ({ fail }) => fail('POLL_CLOSED', 'canary-message'),
  });
  const { call, observed, installation } = await open({ echo, refuse });
  await call('echo', { text: 'canary' });
  await call('refuse', {});
  await call('echo', { text: 'a text that is too long' });
  await call('echo', {}, { session: 'unknown' });
  await call('elsewhere', {});

  const of = { type: 'operation.ended', plugin: '', durationMs: expect.any(Number) };
  const installationId = installation.id;
  expect(observed).toEqual([
    { ...of, operation: 'echo', installationId, status: 200, code: null },
    { ...of, operation: 'refuse', installationId, status: 409, code: 'POLL_CLOSED' },
    { ...of, operation: 'echo', installationId, status: 400, code: 'BAD_REQUEST' },
    { ...of, operation: 'echo', installationId: null, status: 401, code: 'SESSION_INVALID' },
  ]);
});

test('an output may be any JSON value', async () => {
  const values = [null, false, 0, '', [], 'text'];
  const nth = defineOperation({
    input: z.object({ at: z.int() }),
    output: z.union([z.null(), z.boolean(), z.int(), z.string(), z.array(z.string())]),
    run: ({ input }) => (values[input.at] ?? null) as string,
  });
  const { call } = await open({ nth });
  for (const [at, value] of values.entries()) {
    expect((await call('nth', { at })).body).toEqual(value);
  }
});

test('only the session says who calls: ids of others in the input change nothing', async () => {
  const who = defineOperation({
    input: z.record(z.string(), z.json()),
    output: z.record(z.string(), z.json()),
    run: ({ user, instanceId, installation }) => ({
      user: { ...user },
      instanceId,
      installation: { ...installation },
    }),
  });
  const { call, installation } = await open({ who });
  const { id, issuer, tenantId, pluginId, generation } = installation;

  const { body } = await call('who', {
    tenantId: 'other',
    installation: { id: 'other' },
    instanceId: 'w-2',
    user: { id: 'u-2' },
  });

  expect(body).toEqual({
    user: { id: 'u-1' },
    instanceId: 'w-1',
    installation: { id, issuer, tenantId, pluginId, generation },
  });
});

test('what the table does not name cannot be called, and only by POST', async () => {
  const { call } = await open({ echo });
  for (const name of ['veto', 'constructor', '__proto__', 'Echo', '']) {
    expect(await call(name, {})).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  }
  expect(await call('echo', {}, { method: 'GET' })).toMatchObject({
    status: 405,
    headers: { allow: 'POST' },
    body: { code: 'METHOD_NOT_ALLOWED' },
  });
});

test.each(['', 'unknown', 'x'.repeat(200)])('a call with the bearer %j is 401', async (session) => {
  const run = vi.fn(() => ({ text: '' }));
  const { call } = await open({ echo: defineOperation({ ...schemas, run }) });
  expect(await call('echo', { text: '' }, { session })).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Bearer' },
    body: { code: 'SESSION_INVALID' },
  });
  expect(run).not.toHaveBeenCalled();
});

const schemas = { input: z.object({ text: z.string() }), output: z.object({ text: z.string() }) };
const bytes = (text: string) => async () => Buffer.from(text);

test.each<[string, object, number, string, string]>([
  ['a field is wrong', { body: bytes('{"text":1}') }, 400, 'BAD_REQUEST', 'text: '],
  ['it is not JSON', { body: bytes('{text}') }, 400, 'BAD_REQUEST', 'not JSON'],
  ['a name comes twice', { body: bytes('{"text":"","text":""}') }, 400, 'BAD_REQUEST', 'not JSON'],
  ['it is not UTF-8', { body: async () => Buffer.from([0xff]) }, 400, 'BAD_REQUEST', 'UTF-8'],
  ['it is a form', { headers: { 'content-type': 'text/plain' } }, 415, 'BAD_MEDIA_TYPE', 'json'],
  ['it is encoded', { headers: { 'content-encoding': 'gzip' } }, 415, 'BAD_MEDIA_TYPE', 'encoding'],
])(
  'when %s the input is refused and nothing runs',
  async (_what, changes, status, code, message) => {
    const run = vi.fn(() => ({ text: '' }));
    const { call } = await open({ echo: defineOperation({ ...schemas, run }) });

    expect(await call('echo', { text: '' }, changes)).toMatchObject({
      status,
      body: { code, message: expect.stringContaining(message) },
    });
    expect(run).not.toHaveBeenCalled();
  },
);

test('an input may transform, and the operation gets the result', async () => {
  const shout = defineOperation({
    input: z.object({ text: z.string().transform((text) => text.toUpperCase()) }),
    output: z.string(),
    run: ({ input }) => input.text,
  });
  const { call } = await open({ shout });
  expect((await call('shout', { text: 'hi' })).body).toBe('HI');
});

test('an operation may end with a code of its own', async () => {
  const vote = defineOperation({
    ...schemas,
    errors: { POLL_CLOSED: 409 },
    run: ({ fail }) => fail('POLL_CLOSED', 'The poll is closed'),
  });
  const { call, logs } = await open({ vote });
  const { status, headers, body } = await call('vote', { text: '' });
  expect([status, body]).toEqual([409, { code: 'POLL_CLOSED', message: 'The poll is closed' }]);
  expect(headers).not.toHaveProperty('retry-after');
  expect(logs).toEqual([]);
});

test.each<[string, () => never]>([
  [
    'throws',
    () => {
      throw new Error('canary-thrown');
    },
  ],
  [
    'throws a value that is no error',
    () => {
      throw 'canary-thrown';
    },
  ],
])('an operation that %s is INTERNAL_ERROR, and only the log says why', async (_what, run) => {
  const { call, logs } = await open({ vote: defineOperation({ ...schemas, run }) });
  const { status, body } = await call('vote', { text: '' });
  const message = 'Something went wrong';
  expect([status, body]).toEqual([500, { code: 'INTERNAL_ERROR', message, mayHaveRun: true }]);
  expect(logs.join()).toMatch(/^error .*request-1.*canary-thrown/);
});

test('an operation that throws undefined is in the log, too', async () => {
  const run = () => {
    throw undefined;
  };
  const { call, logs } = await open({ vote: defineOperation({ ...schemas, run }) });

  expect(await call('vote', { text: '' })).toMatchObject({ status: 500 });
  expect(logs.join()).toMatch(/^error .*undefined was thrown/);
});

test('an output that does not fit is INTERNAL_ERROR; the log has its place, not its value', async () => {
  const list = defineOperation({
    input: z.object({}),
    output: z.object({ items: z.array(z.object({ name: z.string() })) }),
    run: () => ({ items: [{ name: 'a' }, { name: { deep: 'canary-value' } as never }] }),
  });
  const { call, logs } = await open({ list });
  expect(await call('list', {})).toMatchObject({
    status: 500,
    body: { code: 'INTERNAL_ERROR', mayHaveRun: true },
  });
  expect(logs.join()).toContain('"/items/1/name": invalid_type');
  expect(logs.join()).not.toContain('canary');
});

test('an operation without an end gets an aborted signal, and its call is 504', async () => {
  const seen = Promise.withResolvers<AbortSignal>();
  const wait = defineOperation({
    ...schemas,
    timeoutMs: 5,
    run({ signal }) {
      seen.resolve(signal);
      return new Promise(() => {});
    },
  });
  const { call } = await open({ wait });
  expect(await call('wait', { text: '' })).toMatchObject({
    status: 504,
    body: { code: 'TIMED_OUT', mayHaveRun: true },
  });
  expect((await seen.promise).aborted).toBe(true);
});

test.each([
  ['input', 0],
  ['output', 1],
] as const)(
  'a schema of the %s that hangs ends with the time of the operation',
  async (hanging, runs) => {
    let hasRun = 0;
    const hangs = z.object({ text: z.string().refine(() => new Promise<boolean>(() => {})) });
    const slow = defineOperation({
      input: hanging === 'input' ? hangs : z.object({ text: z.string() }),
      output: hanging === 'output' ? hangs : z.object({ text: z.string() }),
      timeoutMs: 50,
      run() {
        hasRun += 1;
        return { text: '' };
      },
    });
    const { call } = await open({ slow });

    const { status, body } = await call('slow', { text: '' });

    expect([status, hasRun]).toEqual([504, runs]);
    expect(body).toMatchObject({ code: 'TIMED_OUT' });
    expect((body as { mayHaveRun?: boolean }).mayHaveRun ?? false).toBe(runs === 1);
  },
);

test('a page that leaves ends its operation', async () => {
  const started = Promise.withResolvers<AbortSignal>();
  const wait = defineOperation({
    ...schemas,
    run({ signal }) {
      started.resolve(signal);
      return new Promise(() => {});
    },
  });
  const { call, logs } = await open({ wait });
  const leaving = new AbortController();
  const call1 = call('wait', { text: '' }, { signal: leaving.signal });
  const signal = await started.promise;

  leaving.abort();

  expect(signal.aborted).toBe(true);
  expect((await call1).status).toBe(499);
  expect(logs).toEqual([]);
});

test.each(['20', '16384', '16385', undefined])(
  'a session that ends while a body of %s bytes arrives runs nothing',
  async (length) => {
    const run = vi.fn(() => ({ text: '' }));
    const echoing = defineOperation({ ...schemas, run });
    const { call, store, installation } = await open({ echo: echoing });
    const body = async () => {
      await store.transaction(({ installations }) => installations.uninstall(installation, 9));
      return Buffer.from('{"text":""}');
    };
    const headers: Record<string, string> =
      length === undefined ? {} : { 'content-length': length };

    expect((await call('echo', {}, { body, headers })).status).toBe(401);
    expect(run).not.toHaveBeenCalled();
  },
);

test('a large body of a stranger is not read', async () => {
  const body = vi.fn(async () => Buffer.from('{}'));
  const { call } = await open({ echo });
  const headers = { 'content-length': '16385' };
  expect((await call('echo', {}, { session: 'unknown', body, headers })).status).toBe(401);
  expect(body).not.toHaveBeenCalled();
});

test('an operation is a function with checked input, checked output and errors of its own', async () => {
  const votes = new Map<string, string>();
  const poll = {
    isOpen: true,
    vote(userId: string, choice: string) {
      votes.set(userId, choice);
      return { votes: votes.size };
    },
  };

  const vote = defineOperation({
    input: z.object({ choice: z.string() }),
    output: z.object({ votes: z.int() }),
    errors: { POLL_CLOSED: 409 },
    run: ({ input, user, fail }) =>
      poll.isOpen ? poll.vote(user.id, input.choice) : fail('POLL_CLOSED', 'The poll is closed'),
  });

  const { call } = await open({ vote });
  expect((await call('vote', { choice: 'soup' })).body).toEqual({ votes: 1 });
  poll.isOpen = false;
  expect((await call('vote', { choice: 'soup' })).body).toMatchObject({ code: 'POLL_CLOSED' });
});

test('calls of a user and of a tenant are limited, each operation by itself', async () => {
  const limit = { perUserPerMinute: 2, perTenantPerMinute: 3 };
  const limited = defineOperation({ ...schemas, limit, run: () => ({ text: '' }) });
  const { call, clock, openSession } = await open({ limited, echo });
  const of = async (session?: string) =>
    call('limited', { text: '' }, session === undefined ? {} : { session });
  expect([(await of()).status, (await of()).status]).toEqual([200, 200]);
  expect(await of()).toMatchObject({
    status: 429,
    headers: { 'retry-after': '30' },
    body: { code: 'RATE_LIMITED', retryAfterMs: 30_000 },
  });
  const other = await openSession('u-2');
  expect((await of(other)).status).toBe(200);
  expect(await of(other)).toMatchObject({ status: 429, headers: { 'retry-after': '20' } });
  expect((await call('echo', { text: '' })).status).toBe(200);

  clock.ms += 30_000;
  expect((await of()).status).toBe(200);
});

test('without scopes there is no platform, also at run time', async () => {
  const look = defineOperation({
    input: z.object({}),
    output: z.boolean(),
    run: ({ platform }) => platform === undefined,
  });
  const { call } = await open({ look });
  expect((await call('look', {})).body).toBe(true);
});

test('a scope that was withdrawn is missing at the next call', async () => {
  const run = vi.fn(() => ({ text: '' }));
  const scopes = ['plugin:notify'] as const;
  const { call, grant } = await open({ send: defineOperation({ ...schemas, scopes, run }) });
  expect((await call('send', { text: '' })).status).toBe(200);

  await grant(['plugin:read']);

  expect(await call('send', { text: '' })).toMatchObject({
    status: 403,
    body: { code: 'SCOPE_MISSING' },
  });
  expect(run).toHaveBeenCalledOnce();
});

test('a call whose answer is lost is OUTCOME_UNKNOWN, and is sent once', async () => {
  const records: string[] = [];
  const send = defineOperation({
    ...schemas,
    scopes: ['plugin:notify'],
    async run({ platform, input }) {
      await platform.fetch('/api/records', { json: input });
      return input;
    },
  });
  world = await createOperationWorld({ send }, async (request, response) => {
    records.push(await text(request));
    response.destroy();
  });

  expect(await world.call('send', { text: 'Once' })).toMatchObject({
    status: 502,
    body: { code: 'OUTCOME_UNKNOWN', mayHaveRun: true },
  });
  expect(records).toEqual(['{"text":"Once"}']);
});

test('no secret reaches an answer or the log, whatever the platform does with it', async () => {
  const endings: ((response: ServerResponse, secret: string) => void)[] = [
    (response, secret) => response.writeHead(500, { 'x-request-id': secret }).end(secret),
    (response, secret) => response.writeHead(429, { 'retry-after': secret }).end(secret),
    (response, secret) => response.writeHead(307, { location: `/${secret}` }).end(),
    (response, secret) =>
      response.writeHead(200, { etag: `"${secret}"` }).write(secret.repeat(99_999)),
    (response) => response.destroy(),
  ];
  const send = defineOperation({
    input: z.object({ at: z.int() }),
    output: z.object({ status: z.int() }),
    scopes: ['plugin:notify'],
    async run({ platform, input }) {
      const response = await platform.fetch(path`/api/${input.at}`, { json: {} });
      if (input.at === 3) await response.text();
      return { status: response.status };
    },
  });
  world = await createOperationWorld({ send }, ({ url = '', headers }, response) => {
    endings[Number(url.slice('/api/'.length))]?.(response, headers.authorization?.slice(7) ?? '');
  });

  const answers = [];
  for (const at of endings.keys()) answers.push(await world.call('send', { at }));

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 502, 500, 502]);
  expect(world.logs).toHaveLength(3);
  expect(JSON.stringify([answers, world.logs])).not.toContain('canary');
});

test('the log of an operation has its name and the request’s id', async () => {
  const note = defineOperation({
    ...schemas,
    run({ log, requestId }) {
      log.info({ requestId: `own ${requestId}` }, 'note');
      log.warn('noted');
      return { text: '' };
    },
  });
  const { call, logs } = await open({ note });
  await call('note', { text: '' });
  expect(logs).toEqual([
    'info {"operation":"note","requestId":"own request-1"} note',
    'warn {"operation":"note","requestId":"request-1"} noted',
  ]);
});
