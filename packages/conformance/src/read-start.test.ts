import { expect, test } from 'vitest';
import { readStart } from './read-start.ts';

test('the start of an endless answer is read, and the rest is cancelled', async () => {
  let isCancelled = false;
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(Buffer.alloc(100_000, 'a')),
    cancel() {
      isCancelled = true;
    },
  });

  const text = await readStart(new Response(body));

  expect(text).toBe('a'.repeat(256 * 1024));
  expect(isCancelled).toBe(true);
});

test('an answer without a body is an empty text', async () => {
  expect(await readStart(new Response(null, { status: 204 }))).toBe('');
});
