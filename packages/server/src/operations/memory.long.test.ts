/** Thousands of calls whose platform answers in every bad way leave nothing behind in memory. */
import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineOperation } from './define-operation.ts';
import { createOperationWorld, type OperationWorld } from './testing/operation-world.ts';

/** A closure that is kept for each call is at least so large. */
const smallestLeak = 250;
const atOnce = 50;

const giant = JSON.stringify('x'.repeat(1_048_576));
const answers: readonly ((response: ServerResponse) => void)[] = [
  (response) => response.end('{"id":1}'),
  (response) => response.writeHead(201).end('{"id":2}'),
  (response) => response.writeHead(204).end(),
  (response) => response.writeHead(500).end('{}'),
  (response) => response.writeHead(429, { 'retry-after': '1' }).end('{}'),
  (response) => response.writeHead(404).end('{"errorCode":"X"}'),
  (response) => response.end('<html></html>'),
  (response) => response.destroy(),
  (response) => {
    response.writeHead(200, { 'content-length': 8 }).write('[1,');
    setImmediate(() => response.destroy());
  },
  // Hangs: its caller leaves.
  () => {},
];

const look = defineOperation({
  input: z.object({ index: z.int() }),
  output: z.object({ status: z.int() }),
  scopes: ['plugin:notify'],
  async run({ input: { index }, platform }) {
    const response = await platform.fetch('/api/things', { json: { index } });
    await response.json();
    return { status: response.status };
  },
});

/** @returns how often each status was answered. */
async function callMany(world: OperationWorld, count: number): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  for (let index = 0; index < count; index += atOnce) {
    const calls = Array.from({ length: atOnce }, async (_, offset) => {
      const leaving = new AbortController();
      if (offset % answers.length === answers.length - 1) setTimeout(() => leaving.abort(), 20);
      const { signal } = leaving;
      const { status } = await world.call('look', { index: offset }, { signal });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    await Promise.all(calls);
    world.clock.ms += 60_000;
    world.logs.length = 0;
    world.observed.length = 0;
  }
  return statuses;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function measureHeap(): Promise<number> {
  // Sockets and finalizers end in later turns.
  for (let round = 0; round < 5; round += 1) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return process.memoryUsage().heapUsed;
}

test('10,000 further calls leave nothing in memory, whatever the platform answers', async () => {
  let requests = 0;
  await using world = await createOperationWorld({ look }, async (request, response) => {
    const { index } = JSON.parse(await text(request)) as { index: number };
    requests += 1;
    if (requests % 500 === 0) response.end(giant);
    else answers[index % answers.length]?.(response);
  });
  await callMany(world, 5_000);
  const before = await measureHeap();

  const statuses = await callMany(world, 10_000);

  const growth = (await measureHeap()) - before;
  expect(statuses.get(200)).toBeGreaterThan(500);
  expect(growth).toBeLessThan(10_000 * smallestLeak);
}, 600_000);
