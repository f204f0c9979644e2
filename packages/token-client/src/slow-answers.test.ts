/** Answers that take longer than any other time limit: only the limit of the request counts. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createStrictAuthorizationServer } from './testing/strict-authorization-server.ts';
import { createWorld, type World } from './testing/world.ts';

let world: World;

beforeAll(async () => {
  // Before the first request, because undici keeps one timer for all of them.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  world = await createWorld({ createServer: createStrictAuthorizationServer });
});
afterAll(async () => {
  vi.useRealTimers();
  await world.close();
});

test('a call whose limit is ten minutes waits for an answer that comes after eight', async () => {
  const installation = await world.install();
  const received = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  installation.beforeCallAnswer = () => {
    received.resolve();
    return answer.promise;
  };

  const call = world.client.fetch(installation.id, '/report', { timeoutMs: 600_000 });
  await received.promise;
  for (let second = 0; second < 480; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    await nextTurn();
  }
  answer.resolve();

  expect((await call).status).toBe(201);
});
