import { StoreError } from '@dowel/installation-store';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { defineOperation } from './define-operation.ts';
import type { OperationTable } from './operation.ts';
import { echo, schemas } from './testing/echo.ts';
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

test('G16: an operation answers with what its output schema knows, and nothing else', async () => {
  const { call } = await open({ echo });
  const { status, headers, body } = await call('echo', { text: 'Hi' });
  expect([status, body]).toEqual([200, { text: 'Hi' }]);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
});

test('an observer is called at the end of each call, without its input and output', async () => {
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
  expect(logs.join()).toMatch(/^error .*"operation":"vote","requestId":"request-1".*canary-thrown/);
});

test.each(['toString', '__proto__', 'NO_SUCH'])(
  'fail(%j) is no error of the operation',
  async (code) => {
    const vote = defineOperation({ ...schemas, run: ({ fail }) => fail(code as never, 'No') });
    const { call, logs } = await open({ vote });

    expect(await call('vote', { text: '' })).toMatchObject({
      status: 500,
      body: { code: 'INTERNAL_ERROR', mayHaveRun: true },
    });
    expect(logs.join()).toContain(`${code} is not among the errors of vote`);
  },
);

test('a database that fails in the middle of an operation leaves the outcome unknown', async () => {
  const run = () => {
    throw new StoreError('DATABASE_UNAVAILABLE', 'away');
  };
  const { call } = await open({ vote: defineOperation({ ...schemas, run }) });

  const { status, headers, body } = await call('vote', { text: '' });

  const message = 'Something went wrong';
  expect([status, body]).toEqual([500, { code: 'INTERNAL_ERROR', message, mayHaveRun: true }]);
  expect(headers).not.toHaveProperty('retry-after');
});

test('an operation that throws undefined is in the log, too', async () => {
  const run = () => {
    throw undefined;
  };
  const { call, logs } = await open({ vote: defineOperation({ ...schemas, run }) });

  expect(await call('vote', { text: '' })).toMatchObject({ status: 500 });
  expect(logs.join()).toMatch(/^error .*undefined was thrown/);
});

test('G16: an output that does not fit is INTERNAL_ERROR; the log has its place, not its value', async () => {
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
  expect(logs.join()).toContain(
    'The output of list does not fit its schema at /items/1/name: expected string',
  );
  expect(logs.join()).not.toContain('canary');
});

test('an operation without an end gets a signal that is aborted by a TimeoutError, and its call is 504', async () => {
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
  expect((await seen.promise).reason).toMatchObject({ name: 'TimeoutError' });
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
