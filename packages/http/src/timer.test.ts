import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { endInTime, pause, systemTimer, withTimeout } from './timer.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const reason = () => new Error('too late');

async function connectedPair(): Promise<[Socket, Socket]> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const writer = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [reader] = (await once(server, 'connection')) as [Socket];
  server.close();
  return [reader, writer];
}

/** Work that never ends by itself; it fails with the reason of its signal. */
function endWith(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error)),
  );
}

test('a time that setTimeout cannot count waits for the longest that it can', () => {
  const callback = vi.fn();
  systemTimer.after(Infinity, callback);

  vi.advanceTimersByTime(2 ** 31 - 2);
  expect(callback).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(callback).toHaveBeenCalledOnce();
});

test.each([-1, -Infinity])('a time of %d is over at once', (ms) => {
  const warned = vi.spyOn(process, 'emitWarning');
  const callback = vi.fn();
  systemTimer.after(ms, callback);

  vi.advanceTimersByTime(0);

  expect(callback).toHaveBeenCalledOnce();
  expect(warned).not.toHaveBeenCalled();
});

test('a time that is noticed late lets the process read its sockets once more', async () => {
  vi.useRealTimers();
  const order: string[] = [];
  const [reader, writer] = await connectedPair();
  reader.on('data', () => order.push('data'));
  const timedOut = new Promise<void>((resolve) => {
    systemTimer.after(1, () => {
      order.push('time-out');
      resolve();
    });
  });

  // The answer is in the socket while the process is busy.
  writer.write('answer');
  const busyUntil = performance.now() + 60;
  while (performance.now() < busyUntil);
  await timedOut;

  expect(order).toEqual(['data', 'time-out']);
  for (const socket of [reader, writer]) socket.destroy();
});

test('a cancelled time calls nothing, also while it is late', async () => {
  vi.useRealTimers();
  const callback = vi.fn();
  const cancel = systemTimer.after(1, callback);
  // It fires right after the other one, before the loop goes on.
  const fired = new Promise((resolve) => setTimeout(resolve, 1));
  const busyUntil = performance.now() + 60;
  while (performance.now() < busyUntil);

  await fired;
  cancel();
  await new Promise((resolve) => setImmediate(() => setImmediate(() => setImmediate(resolve))));

  expect(callback).not.toHaveBeenCalled();
});

test('a cancelled time calls nothing', () => {
  const callback = vi.fn();
  const cancel = systemTimer.after(10, callback);

  cancel();

  expect(vi.getTimerCount()).toBe(0);
});

test('a pause ends after its time', async () => {
  const over = pause(systemTimer, 1_000);

  await vi.advanceTimersByTimeAsync(1_000);

  await expect(over).resolves.toBeUndefined();
});

test('an abort ends a pause and its timer', async () => {
  const controller = new AbortController();
  const over = pause(systemTimer, 1_000, controller.signal);

  controller.abort();

  await expect(over).resolves.toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});

test('a pause with a signal that is aborted already starts no timer', async () => {
  await pause(systemTimer, 1_000, AbortSignal.abort());

  expect(vi.getTimerCount()).toBe(0);
});

test('work that ends in time keeps its result and leaves no timer', async () => {
  const result = await withTimeout(systemTimer, { ms: 1_000, reason }, () => Promise.resolve(7));

  expect(result).toBe(7);
  expect(vi.getTimerCount()).toBe(0);
});

test('work that takes too long is aborted with the reason', async () => {
  const work = withTimeout(systemTimer, { ms: 1_000, reason }, endWith);
  const failure = expect(work).rejects.toThrow('too late');

  await vi.advanceTimersByTimeAsync(1_000);

  await failure;
});

test("the caller's abort ends the work with the caller's reason", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const work = withTimeout(systemTimer, { ms: 1_000, signal, reason }, endWith);

  controller.abort(new Error('the caller left'));

  await expect(work).rejects.toThrow('the caller left');
  expect(vi.getTimerCount()).toBe(0);
});

test('a caller that has left already aborts the signal before the work starts', async () => {
  const signal = AbortSignal.abort(new Error('the caller left'));

  const isAborted = await withTimeout(systemTimer, { ms: 1_000, signal, reason }, (inTime) =>
    Promise.resolve(inTime.aborted),
  );

  expect(isAborted).toBe(true);
});

const never = new Promise<never>(() => {});

test('work that ignores its time is given up, and its signal is aborted with the reason', async () => {
  const stop = new AbortController();
  const work = endInTime(systemTimer, { ms: 1_000, stop, reason }, never);
  const failure = expect(work).rejects.toThrow('too late');

  await vi.advanceTimersByTimeAsync(1_000);

  await failure;
  expect(stop.signal.aborted).toBe(true);
});

test('work that is stopped from outside is given up at once', async () => {
  const stop = new AbortController();
  const work = endInTime(systemTimer, { ms: 1_000, stop, reason }, never);

  stop.abort(new Error('the process stops'));

  await expect(work).rejects.toThrow('the process stops');
  expect(vi.getTimerCount()).toBe(0);
});

test('work that settles before its time keeps its end, and is not aborted', async () => {
  const stop = new AbortController();
  const limit = { ms: 1_000, stop, reason };

  expect(await endInTime(systemTimer, limit, Promise.resolve(7))).toBe(7);
  await expect(endInTime(systemTimer, limit, Promise.reject(new Error('broken')))).rejects.toThrow(
    'broken',
  );

  expect(vi.getTimerCount()).toBe(0);
  expect(stop.signal.aborted).toBe(false);
});

test('work whose stop is aborted already is given up at once, and its end is not missed', async () => {
  const stop = new AbortController();
  stop.abort(new Error('the process stops'));
  const limit = { ms: 1_000, stop, reason };

  await expect(endInTime(systemTimer, limit, never)).rejects.toThrow('the process stops');
  await expect(endInTime(systemTimer, limit, Promise.reject(new Error('broken')))).rejects.toThrow(
    'the process stops',
  );
  expect(vi.getTimerCount()).toBe(0);
});
