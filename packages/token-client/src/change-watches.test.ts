import { getEventListeners } from 'node:events';
import { beforeEach, expect, test } from 'vitest';
import { type ChangeWatches, createChangeWatches, watchChanges } from './change-watches.ts';
import type { StoreListener } from './token-store.ts';

let listeners: Set<StoreListener>;
let closing: AbortController;
let watches: ChangeWatches;

beforeEach(() => {
  listeners = new Set();
  closing = new AbortController();
  const onChange = (listener: StoreListener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  watches = createChangeWatches({ onChange }, closing.signal);
});

function announce(installationId: string | null): void {
  for (const listener of listeners) listener(installationId, false);
}

const watch = (installationId: string) => watchChanges({ watches }, installationId);

test('a change wakes all who wait for it, and nobody else', () => {
  const waiting = [watch('a'), watch('a'), watch('b')];

  announce('a');

  expect(waiting.map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
});

test('changes that may have been missed wake everybody', () => {
  const waiting = [watch('a'), watch('b')];

  announce(null);

  expect(waiting.map(({ signal }) => signal.aborted)).toEqual([true, true]);
});

test('the end of the client wakes everybody', () => {
  const waiting = [watch('a'), watch('b')];

  closing.abort();

  expect(waiting.map(({ signal }) => signal.aborted)).toEqual([true, true]);
});

test('ten thousand waits share one listener of the store and one of the end', () => {
  const waiting = Array.from({ length: 10_000 }, (_, index) => watch(`installation-${index}`));

  expect(listeners.size).toBe(1);
  expect(getEventListeners(closing.signal, 'abort')).toHaveLength(1);

  for (const { stop } of waiting) stop();
  expect(watches.size).toBe(0);
});

test('a wait that has ended is not woken, and leaves the others in place', () => {
  const [ended, waiting] = [watch('a'), watch('a')];
  ended.stop();

  announce('a');

  expect([ended, waiting].map(({ signal }) => signal.aborted)).toEqual([false, true]);
});
