import { expect, test, vi } from 'vitest';
import { createHeight } from './height.ts';

test('heights are rounded up and sent only when they change', () => {
  const send = vi.fn();
  const { setHeight } = createHeight(send);

  for (const heightPx of [
    100.2,
    101,
    101,
    100.9,
    0,
    Number.NaN,
    -1,
    Number.POSITIVE_INFINITY,
    20,
  ]) {
    setHeight(heightPx);
  }

  expect(send.mock.calls).toEqual([[101], [0], [20]]);
});

test('an observed element reports each new height until it is let go', () => {
  const resize: (() => void)[] = [];
  const disconnect = vi.fn();
  const send = vi.fn();
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(callback: () => void) {
        resize.push(callback);
      }
      observe() {}
      disconnect = disconnect;
    },
  );
  const element = document.createElement('main');
  const rect = vi.spyOn(element, 'getBoundingClientRect');
  const height = createHeight(send);

  const stop = height.observeHeight(element);
  for (const heightPx of [40.5, 40.6, 80]) {
    rect.mockReturnValue({ height: heightPx } as DOMRect);
    resize[0]?.();
  }
  stop();

  expect(send.mock.calls).toEqual([[41], [80]]);
  expect(disconnect).toHaveBeenCalledOnce();
  vi.unstubAllGlobals();
});

test('after close nothing is sent', () => {
  const send = vi.fn();
  const height = createHeight(send);
  height.observeHeight(document.createElement('main'));

  height.close();
  height.setHeight(10);

  expect(send).not.toHaveBeenCalled();
});
