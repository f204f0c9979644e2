import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { defaultNotificationLimits } from '../platform/notification-limits.ts';
import { createNotification } from './create-notification.ts';
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

test('G14, H08, S17: only the session says who calls: ids of others in the input change nothing', async () => {
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
  const { id, lifeId, issuer, tenantId, pluginId, generation } = installation;

  const { body } = await call('who', {
    tenantId: 'other',
    installation: { id: 'other' },
    instanceId: 'w-2',
    user: { id: 'u-2' },
  });

  expect(body).toEqual({
    user: { id: 'u-1' },
    instanceId: 'w-1',
    installation: { id, lifeId, issuer, tenantId, pluginId, generation },
  });
});

test('G15: what the table does not name cannot be called, and only by POST', async () => {
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

test('H12: the notifications of a user are counted together, whichever operation sends them', async () => {
  const lunch = { recipientId: 'ada', message: 'Lunch?' };
  const scopes = ['plugin:notify'] as const;
  const empty = { input: z.object({}), output: z.object({}), scopes };
  const inform = defineOperation({
    ...empty,
    async run({ platform }) {
      await platform.notify(lunch);
      return {};
    },
  });
  const look = defineOperation({ ...empty, run: () => ({}) });
  const notificationLimits = { ...defaultNotificationLimits, perUserPerMinute: 3 };
  let arrived = 0;
  world = await createOperationWorld(
    { inform, look, notifyAll: createNotification },
    (_request, response) => {
      arrived += 1;
      response.end('{}');
    },
    { notificationLimits },
  );
  const { call, openSession } = world;
  const statusOf = async (name: string, input: object) => (await call(name, input)).status;

  expect(await statusOf('inform', {})).toBe(200);
  expect(await statusOf('notifyAll', lunch)).toBe(200);
  expect(await statusOf('inform', {})).toBe(200);

  expect(await call('inform', {})).toMatchObject({
    status: 429,
    headers: { 'retry-after': '20' },
    body: { code: 'RATE_LIMITED', retryAfterMs: 20_000 },
  });
  expect(await statusOf('notifyAll', lunch)).toBe(429);
  expect(await statusOf('look', {})).toBe(200);
  const session = await openSession('u-2');
  expect((await call('inform', {}, { session })).status).toBe(200);
  expect(arrived).toBe(4);
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
