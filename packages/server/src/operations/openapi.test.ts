import type { BuiltInCode, Client } from '@dowel/adapter/client';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { PlatformError } from '../base/platform-error.ts';
import { startWorld } from '../testing/start-world.ts';
import { createNotification } from './create-notification.ts';
import { defineOperation } from './define-operation.ts';
import { type AnsweredCode, describeOperations } from './openapi.ts';
import type { OperationTable } from './operation.ts';
import { readOperations } from './operation-table.ts';
import { createOperationWorld, type OperationWorld } from './testing/operation-world.ts';

const tree = z.object({
  label: z.string(),
  get children() {
    return z.array(tree).optional();
  },
});

/** A name that a pointer and a component must write in other letters. */
const named = z.object({ name: z.string() }).meta({ id: 'plants/named ~1' });

const operations = {
  createNotification,
  /** Ends as its input says. */
  end: defineOperation({
    summary: 'Ends in one of several ways.',
    input: z.object({ how: z.string().trim(), at: z.iso.date().optional() }),
    output: z.object({ ok: z.boolean(), note: z.string().optional() }),
    scopes: ['plugin:notify'],
    errors: { POLL_CLOSED: 409, TOO_LATE: 410 },
    limit: { perUserPerMinute: 1_000 },
    timeoutMs: 20,
    run({ input, fail, installation }) {
      const ways: Record<string, () => Promise<{ ok: boolean }> | { ok: boolean }> = {
        closed: () => fail('POLL_CLOSED', 'It is closed'),
        late: () => fail('TOO_LATE', 'It is over'),
        broken: () => ({ ok: 'canary' }) as never,
        hang: () => new Promise<never>(() => {}),
      };
      if (input.how.startsWith('PLATFORM ')) {
        const code = input.how.slice('PLATFORM '.length) as PlatformError['code'];
        throw new PlatformError(code, 'x', { retryAfterMs: 1_500, installation });
      }
      return (ways[input.how] ?? (() => ({ ok: true, secret: 'canary' })))();
    },
  }),
  grow: defineOperation({ input: tree, output: tree, run: ({ input }) => input }),
  label: defineOperation({
    input: z.object({ first: named, second: named }),
    output: z.object({}),
    run: () => ({}),
  }),
  /** Its members are named like keywords. */
  plant: defineOperation({
    input: z.object({ default: tree, enum: z.object({ const: tree }) }),
    output: z.object({}),
    run: () => ({}),
  }),
} satisfies OperationTable;

const document = describeOperations({
  manifest: { name: { de: 'Umfrage', en: 'Poll' }, pluginVersion: '1.2.0' },
  url: 'https://polls.example.com/base',
  operations: readOperations(operations, { requestedScopes: ['plugin:notify'] }),
});

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'api');

let world: OperationWorld | undefined;
afterEach(async () => {
  await world?.[Symbol.asyncDispose]();
  world = undefined;
});

function problemsOf(name: string, status: number, body: unknown): unknown {
  const response = `responses/${status}/content/application~1json/schema`;
  const validate = ajv.getSchema(`api#/paths/~1api~1${name}/post/${response}`);
  if (!validate) return `${name} does not describe ${status}`;
  return validate(body) ? undefined : validate.errors;
}

test('the document is OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect([valid, errors]).toEqual([true, undefined]);
  expect(document).toMatchObject({
    openapi: '3.1.1',
    info: { title: 'Poll', version: '1.2.0' },
    servers: [{ url: 'https://polls.example.com/base' }],
    paths: {
      '/api/end': { post: { operationId: 'end', summary: 'Ends in one of several ways.' } },
    },
  });
});

test('the document describes inputs as they are sent, and schemas that contain themselves', () => {
  const accepts = (name: string, input: unknown) =>
    ajv.getSchema(`api#/components/schemas/${name}.input`)?.(input);
  expect(accepts('end', { how: 'closed', at: '2026-01-01' })).toBe(true);
  expect(accepts('end', { how: 7 })).toBe(false);
  expect(accepts('createNotification', { recipientId: 'ada', message: 'Lunch?' })).toBe(true);
  const leaf = { label: 'leaf' };
  expect(accepts('grow', { label: 'a', children: [leaf, { ...leaf, children: [leaf] }] })).toBe(
    true,
  );
  expect(accepts('grow', { label: 'a', children: [{ children: [] }] })).toBe(false);
  expect(accepts('label', { first: { name: 'a' }, second: { name: 'b' } })).toBe(true);
  expect(accepts('label', { first: { name: 'a' }, second: {} })).toBe(false);
  expect(accepts('plant', { default: leaf, enum: { const: leaf } })).toBe(true);
  expect(accepts('plant', { default: leaf, enum: { const: {} } })).toBe(false);
});

test('every answer is as the document says, whether it succeeds or fails', async () => {
  world = await createOperationWorld(operations);
  const { call, grant } = world;
  const platformCodes = [
    'ACCESS_UNAVAILABLE',
    'OUTCOME_UNKNOWN',
    'PLATFORM_FAILED',
    'OVERLOADED',
    'ABORTED',
    'INSTALLATION_ENDED',
    'NOTIFICATION_REFUSED',
    'SCOPE_MISSING',
    'FEATURE_NOT_AVAILABLE',
    'PLATFORM_LIMITED',
    'PLATFORM_BUSY',
  ].map((code) => `PLATFORM ${code}`);
  const statuses: number[] = [];
  const check = async (input: unknown, changes = {}) => {
    const { status, body } = await call('end', input, changes);
    statuses.push(status);
    expect(JSON.stringify(body)).not.toContain('canary');
    expect(problemsOf('end', status, body)).toBeUndefined();
  };

  for (const how of ['', 'closed', 'late', 'broken', 'hang', ...platformCodes])
    await check({ how });
  await check({ how: 7 });
  await check({ how: '' }, { session: 'none' });
  await check({ how: '' }, { headers: { 'content-type': 'text/plain' } });
  await grant([]);
  await check({ how: '' });

  const platformStatuses = [503, 502, 502, 503, 502, 401, 400, 403, 404, 429, 503];
  expect(statuses).toEqual([200, 409, 410, 500, 504, ...platformStatuses, 400, 401, 415, 403]);
});

test('limits and notifications are answered as the document says', async () => {
  world = await createOperationWorld(operations, (_request, response) =>
    response.writeHead(429, { 'retry-after': '7' }).end('{}'),
  );
  const { call } = world;
  const notification = { recipientId: 'ada', message: 'Lunch?' };
  const answers = [];
  for (let count = 0; count < 61; count += 1) {
    answers.push(await call('createNotification', notification));
  }
  expect(answers[0]).toMatchObject({ status: 429, body: { code: 'PLATFORM_LIMITED' } });
  expect(answers[60]).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
  for (const { status, body } of answers) {
    expect(problemsOf('createNotification', status, body)).toBeUndefined();
  }
});

test('the client knows the codes of the document, and those that come before or without an operation', () => {
  type Others = 'NOT_FOUND' | 'NO_ANSWER' | 'ABORTED';
  expectTypeOf<BuiltInCode>().toEqualTypeOf<AnsweredCode | Others>();
});

test('a table gives a client its inputs, outputs and codes', () => {
  type Page = Client<typeof operations>;
  type Ended = Awaited<ReturnType<Page['end']['safe']>>;
  type Code = Extract<Ended, { ok: false }>['error']['code'];
  expectTypeOf<Code>().toEqualTypeOf<BuiltInCode | 'POLL_CLOSED' | 'TOO_LATE'>();
  expectTypeOf<Parameters<Page['end']>[0]>().toEqualTypeOf<{
    how: string;
    at?: string | undefined;
  }>();
  expectTypeOf<Awaited<ReturnType<Page['end']>>>().toEqualTypeOf<{
    ok: boolean;
    note?: string | undefined;
  }>();
});

test('the server publishes the document', async () => {
  await using served = await startWorld();
  const response = await fetch(`${served.url}/openapi.json`);
  const published = (await response.json()) as Record<string, unknown>;
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect((await new Validator().validate(published)).valid).toBe(true);
  expect(published).toMatchObject({
    servers: [{ url: served.url }],
    paths: { '/api/createNotification': {} },
  });
});
