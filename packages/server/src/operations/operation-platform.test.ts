/** An operation’s calls of the platform: scopes, lost answers, secrets. */
import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { path } from '../platform/platform-path.ts';
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

test('H13, S20: without scopes there is no platform, also at run time', async () => {
  const look = defineOperation({
    input: z.object({}),
    output: z.boolean(),
    run: ({ platform }) => platform === undefined,
  });
  const { call } = await open({ look });
  expect((await call('look', {})).body).toBe(true);
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

test('S21: no secret reaches an answer or the log, whatever the platform does with it', async () => {
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
