/** An operation’s calls of the platform: scopes, lost answers, secrets. */
import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import type { Json } from '../platform/call-platform.ts';
import { path } from '../platform/platform-path.ts';
import { createServerPlatform, type InstallationChoice } from '../platform/server-platform.ts';
import type { InstallationIdentity } from '../sessions/caller.ts';
import { defineOperation } from './define-operation.ts';
import type { OperationTable } from './operation.ts';
import { schemas } from './testing/echo.ts';
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

function opened(): OperationWorld {
  if (!world) throw new Error('The world is not open');
  return world;
}

test('H13, S20: without scopes there is no platform, also at run time', async () => {
  const look = defineOperation({
    input: z.object({}),
    output: z.object({ message: z.string(), copied: z.array(z.string()) }),
    run(context) {
      const copied = Object.keys({ ...context });
      try {
        return { message: String(context.platform), copied };
      } catch (error) {
        return { message: (error as TypeError).message, copied };
      }
    },
  });
  const { call } = await open({ look });
  expect((await call('look', {})).body).toEqual({
    message: expect.stringMatching(/^look has no platform.* add .*scopes: \['plugin:notify'\]/),
    copied: expect.not.arrayContaining(['platform']),
  });
});

test('H13, S20: a scope that was withdrawn is missing at the next call', async () => {
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

test('S19: a call whose answer is lost is OUTCOME_UNKNOWN, and is sent once', async () => {
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

test('I05: an answer that its operation does not read keeps no place of its tenant', async () => {
  const look = defineOperation({
    input: z.object({}),
    output: z.boolean(),
    scopes: ['plugin:notify'],
    run: async ({ platform }) => (await platform.fetch('/api/records')).ok,
  });
  world = await createOperationWorld({ look }, (_request, response) => {
    response.end('x'.repeat(300_000));
  });

  // A tenant has 32 places.
  for (let count = 0; count < 40; count += 1) {
    expect((await world.call('look', {})).status).toBe(200);
  }
});

test('an answer that is read after its operation has ended is read to its end', async () => {
  const read = Promise.withResolvers<number>();
  const look = defineOperation({
    input: z.object({}),
    output: z.boolean(),
    scopes: ['plugin:notify'],
    async run({ platform }) {
      const answer = await platform.fetch('/api/records');
      read.resolve(answer.text().then(({ length }) => length));
      return answer.ok;
    },
  });
  world = await createOperationWorld({ look }, (_request, response) => {
    response.end('x'.repeat(300_000));
  });

  expect((await world.call('look', {})).status).toBe(200);
  expect(await read.promise).toBe(300_000);
});

test('the end of another installation is no end of the session, and the operation may have run', async () => {
  const records: string[] = [];
  const inform = defineOperation({
    ...schemas,
    async run({ input }) {
      records.push(input.text);
      const context = { ...opened().context, store: opened().store };
      await createServerPlatform(context, 'another').fetch('/api/things');
      return input;
    },
  });
  const { call, logs } = await open({ inform });

  expect(await call('inform', { text: 'Once' })).toMatchObject({
    status: 500,
    body: { code: 'INTERNAL_ERROR', mayHaveRun: true },
  });
  expect(records).toEqual(['Once']);
  expect(logs.join()).toContain('not installed here any more');
});

/** Ways to call the platform of the caller's own installation. */
const ownCalls: [string, (own: InstallationIdentity) => InstallationChoice | undefined][] = [
  ['platform', () => undefined],
  ['its id', ({ id }) => id],
  ['the installation', (own) => own],
];

test.each(ownCalls)(
  "the end of the session's own installation ends the session, called by %s",
  async (_way, choose) => {
    const inform = defineOperation({
      ...schemas,
      scopes: ['plugin:notify'],
      async run({ input, platform, installation }) {
        const { store, context, installation: own } = opened();
        await store.transaction(({ installations }) => installations.uninstall(own, 50));
        const choice = choose(installation);
        const called = choice ? createServerPlatform({ ...context, store }, choice) : platform;
        await called.fetch('/api/things');
        return input;
      },
    });
    const { call } = await open({ inform });

    expect(await call('inform', { text: '' })).toMatchObject({
      status: 401,
      body: { code: 'SESSION_INVALID' },
    });
  },
);

test('I05: a platform call that the time of its operation ends costs the tenant half of its places', async () => {
  const timeoutMs = 5_000;
  const ended = Promise.withResolvers<void>();
  const wait = defineOperation({
    ...schemas,
    scopes: ['plugin:notify'],
    timeoutMs,
    async run({ platform, input }) {
      await platform.fetch('/api/things').finally(ended.resolve);
      return input;
    },
  });
  let arrived = 0;
  world = await createOperationWorld({ wait }, () => {
    arrived += 1;
  });
  const { call, tokenClient, installation } = world;
  const send = () => tokenClient.fetch(installation.id, '/api/things', { timeoutMs });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());

  const late = call('wait', { text: '' });
  await expect.poll(() => arrived).toBe(1);
  vi.advanceTimersByTime(timeoutMs);
  expect((await late).status).toBe(504);
  await ended.promise;
  const calls = [send(), send(), send()].map((sent) => sent.catch(({ code }) => code));
  await expect.poll(() => arrived).toBeGreaterThanOrEqual(3);
  vi.advanceTimersByTime(timeoutMs);

  expect(await Promise.all(calls)).toEqual([
    'CALL_TIMED_OUT',
    'CALL_TIMED_OUT',
    'TOO_MANY_UNANSWERED',
  ]);
});

/** Answers that an operation cannot use. */
const unusable: [string, (response: ServerResponse) => void][] = [
  ['is HTML', (response) => response.end('<html>canary</html>')],
  ['is empty', (response) => response.end()],
  ['is longer than 1 MiB', (response) => response.end(JSON.stringify('x'.repeat(1_048_576)))],
  [
    'breaks off',
    (response) => {
      response.writeHead(200, { 'content-length': 8 }).write('[1,');
      setImmediate(() => response.destroy());
    },
  ],
];
const readers: Record<string, (response: Response) => Promise<unknown>> = {
  json: (response) => response.json(),
  text: (response) => response.text(),
  bytes: (response) => response.bytes(),
  arrayBuffer: (response) => response.arrayBuffer(),
  blob: (response) => response.blob(),
  formData: (response) => response.formData(),
  clone: (response) => response.clone().json(),
  body: async ({ body }) => JSON.parse(await text(body as unknown as NodeStream)),
};

/** Calls an operation that reads the answer in a way, after a call with this method. */
async function readAnswer(
  answer: (response: ServerResponse) => void,
  method: 'GET' | 'POST',
  read: string,
) {
  const look = defineOperation({
    input: z.object({}),
    output: z.unknown() as unknown as z.ZodType<Json>,
    scopes: ['plugin:notify'],
    async run({ platform }) {
      return (await readers[read]?.(await platform.fetch('/api/things', { method }))) as Json;
    },
  });
  world = await createOperationWorld({ look }, (_request, response) => answer(response));
  return world.call('look', {});
}

describe.each(unusable)('an answer of the platform that %s', (_, answer) => {
  test('has failed, if the call only reads', async () => {
    expect(await readAnswer(answer, 'GET', 'json')).toMatchObject({
      status: 502,
      body: { code: 'PLATFORM_FAILED' },
    });
    expect(world?.logs.join()).not.toContain('canary');
  });

  test('leaves the outcome unknown, if the call may change something', async () => {
    expect(await readAnswer(answer, 'POST', 'json')).toMatchObject({
      status: 502,
      body: { code: 'OUTCOME_UNKNOWN', mayHaveRun: true },
    });
  });
});

const incomplete = unusable
  .slice(2)
  .flatMap(([what, answer]) => Object.keys(readers).map((read) => [what, read, answer] as const));

test.each(incomplete)('an answer that %s has failed, read by %s', async (_what, read, answer) => {
  expect(await readAnswer(answer, 'GET', read)).toMatchObject({
    status: 502,
    body: { code: 'PLATFORM_FAILED' },
  });
});

test('an answer may be read as a stream, or not, and only once', async () => {
  const look = defineOperation({
    input: z.object({}),
    output: z.array(z.string()),
    scopes: ['plugin:notify'],
    async run({ platform }) {
      const [first, second, third] = await Promise.all(
        [1, 2, 3].map(() => platform.fetch('/api/things')),
      );
      const streamed = await text(first?.body as unknown as NodeStream);
      await second?.body?.cancel();
      const whole = third?.body ? await third.text() : '';
      const again = await third?.text().catch((error: Error) => error.name);
      return [streamed, whole, again ?? ''];
    },
  });
  world = await createOperationWorld({ look }, (_request, response) => response.end('"ok"'));

  expect(await world.call('look', {})).toMatchObject({ body: ['"ok"', '"ok"', 'TypeError'] });
});

test('S21: no secret reaches an answer or the log, even if the platform repeats it', async () => {
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

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 502, 502, 502]);
  expect(world.logs).toHaveLength(3);
  expect(JSON.stringify([answers, world.logs])).not.toContain('canary');
});
