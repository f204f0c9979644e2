import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { untilAborted } from './until-aborted.ts';

const endless = () => new Promise(() => undefined);

test.each<[string, () => unknown]>([
  ['a value', () => 1],
  ['a promise that is fulfilled', () => Promise.resolve(1)],
  ['a promise that is rejected', () => Promise.reject(new Error('late'))],
  ['a promise that never settles', endless],
])('a signal that has aborted wins over %s', async (_what, create) => {
  const reason = new Error('aborted');
  await expect(untilAborted(AbortSignal.abort(reason), create())).rejects.toBe(reason);
});

test('a signal that aborts later wins over a promise that never settles', async () => {
  const abort = new AbortController();
  const reason = new Error('aborted');
  const waiting = untilAborted(abort.signal, endless());
  abort.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

test('what settles before the signal aborts wins, and leaves no listener', async () => {
  const abort = new AbortController();
  const failure = new Error('failed');

  expect(await untilAborted(abort.signal, Promise.resolve(1))).toBe(1);
  await expect(untilAborted(abort.signal, Promise.reject(failure))).rejects.toBe(failure);

  expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
});
