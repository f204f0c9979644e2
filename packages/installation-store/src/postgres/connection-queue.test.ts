import { expect, test, vi } from 'vitest';
import { createConnectionQueue } from './connection-queue.ts';

const busy = new Error('busy');
const createQueue = (waitMs = 60_000) =>
  createConnectionQueue({ places: 1, waitMs, onTimeout: () => busy });

test('callers get the place in the order they came', async () => {
  const queue = createQueue();
  const leave = await queue.enter();
  const order: string[] = [];
  const others = ['first', 'second'].map(async (name) => {
    const leaveToo = await queue.enter();
    order.push(name);
    leaveToo();
  });

  expect(order).toEqual([]);
  leave();
  await Promise.all(others);

  expect(order).toEqual(['first', 'second']);
});

test('a caller that waited too long fails, and takes no place later', async () => {
  vi.useFakeTimers();
  const queue = createQueue(1_000);
  const leave = await queue.enter();
  const late = expect(queue.enter()).rejects.toBe(busy);
  await vi.advanceTimersByTimeAsync(1_000);
  await late;
  vi.useRealTimers();

  leave();

  await expect(queue.enter()).resolves.toBeTypeOf('function');
});

test('a queue that shrank serves fewer callers, until its time is over', async () => {
  vi.useFakeTimers();
  const queue = createConnectionQueue({ places: 2, waitMs: 60_000, onTimeout: () => busy });
  const leave = await queue.enter();
  const leaveToo = await queue.enter();
  queue.shrink(1, 5_000);
  const next = vi.fn();
  void queue.enter().then(next);

  leaveToo();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(next).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(next).toHaveBeenCalledOnce();

  leave();
  vi.useRealTimers();
});

test('urgent callers come first, and wait without limit', async () => {
  vi.useFakeTimers();
  const queue = createQueue(1_000);
  const leave = await queue.enter();
  const order: string[] = [];
  const urgent = queue.enter(true).then((leaveToo) => {
    order.push('urgent');
    leaveToo();
  });
  await vi.advanceTimersByTimeAsync(10_000);
  const usual = queue.enter().then(() => order.push('usual'));
  const second = queue.enter(true).then((leaveToo) => {
    order.push('urgent');
    leaveToo();
  });
  vi.useRealTimers();

  leave();
  await Promise.all([urgent, usual, second]);

  expect(order).toEqual(['urgent', 'urgent', 'usual']);
});
