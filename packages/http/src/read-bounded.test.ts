import { describe, expect, test } from 'vitest';
import { BodyTooLargeError, boundResponse, readBounded } from './read-bounded.ts';

/** Sends the pieces and records how far it came. */
function createBody(pieces: string[]) {
  const fate = { sent: 0, isStopped: false };
  async function* send() {
    try {
      for (const piece of pieces) {
        fate.sent += 1;
        yield new TextEncoder().encode(piece);
      }
    } finally {
      fate.isStopped = true;
    }
  }
  return { fate, body: send() };
}

test('a body of exactly the limit is read, pieces in their order', async () => {
  const { body } = createBody(['ab', 'cd', 'ef']);

  expect((await readBounded(body, 6)).toString()).toBe('abcdef');
});

test('a missing body is an empty body', async () => {
  expect(await readBounded(null, 0)).toHaveLength(0);
});

test('a body over the limit is refused, and its source is stopped at once', async () => {
  const { body, fate } = createBody(['ab', 'cd', 'ef', 'gh']);

  await expect(readBounded(body, 3)).rejects.toBeInstanceOf(BodyTooLargeError);
  expect(fate).toEqual({ sent: 2, isStopped: true });
});

test('a fetched body over the limit is cancelled', async () => {
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1_024)),
    cancel() {
      isCancelled = true;
    },
  });

  await expect(readBounded(new Response(endless).body, 4_096)).rejects.toMatchObject({
    code: 'BODY_TOO_LARGE',
  });
  expect(isCancelled).toBe(true);
});

/** A bounded answer whose body never sends its second piece. */
function createBounded(maxBytes: number) {
  const cancelled = Promise.withResolvers<void>();
  const source = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(new Uint8Array(8)),
      cancel: () => cancelled.resolve(),
    },
    { highWaterMark: 0 },
  );
  const { body } = boundResponse(new Response(source), maxBytes);
  const reader = body?.getReader();
  if (!reader) throw new Error('There is no body');
  return { reader, cancelled: cancelled.promise };
}

describe('a bounded body', () => {
  test('cancels its source when it is cancelled before its first read', async () => {
    const { reader, cancelled } = createBounded(8);

    await reader.cancel();

    await cancelled;
  });

  test('cancels its source when it is cancelled during a read', async () => {
    const { reader, cancelled } = createBounded(8);
    await reader.read();
    const pending = reader.read();

    await reader.cancel();

    await cancelled;
    expect(await pending).toEqual({ done: true, value: undefined });
  });

  test('cancels its source when it is too long', async () => {
    const { reader, cancelled } = createBounded(7);

    await expect(reader.read()).rejects.toBeInstanceOf(BodyTooLargeError);

    await cancelled;
  });
});

test('the source of an answer whose status is none is cancelled', async () => {
  const cancelled = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({ cancel: () => cancelled.resolve() });
  const answer = { status: 700, statusText: '', headers: new Headers(), body } as Response;

  expect(() => boundResponse(answer, 8)).toThrow(RangeError);

  await cancelled.promise;
});

test('an error of the source is passed on', async () => {
  const fault = new Error('ECONNRESET');
  const broken = new ReadableStream<Uint8Array>({ start: (controller) => controller.error(fault) });

  await expect(readBounded(broken, 10)).rejects.toBe(fault);
});
