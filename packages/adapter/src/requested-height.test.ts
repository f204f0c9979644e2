/** The heights that an adapter sends to its host. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { observeHeight } from './observe-height.ts';
import { FakeResizeObserver, installFakeLayout, resize, setBottom } from './testing/fake-layout.ts';
import { createAdapterFor, openHost } from './testing/test-host.ts';

let element: HTMLElement;

beforeEach(() => {
  const removeLayout = installFakeLayout();
  element = document.body.appendChild(document.createElement('main'));
  return removeLayout;
});

describe('a requested height', () => {
  test('is sent to the host after init, only the last one', async () => {
    vi.useRealTimers();
    using host = await openHost();
    const adapter = createAdapterFor(host);
    for (const heightPx of [50, 80]) adapter.setHeight(heightPx);
    expect(host.messages).toEqual([]);

    await adapter.init();

    expect(host.messages.slice(1)).toEqual([
      {
        message: { iss: 'instance-1', sub: 'setHeight', height: 80 },
        targetOrigin: 'https://tenant.example',
      },
    ]);
    adapter.destroy();
  });

  test('is rounded up, and sent only if the rounded height changes', async () => {
    vi.useRealTimers();
    using host = await openHost({ view: 'config' });
    const adapter = createAdapterFor(host);
    await adapter.init();

    const asked = [99.2, 100, 100, 99.9, 0, -1, Number.NaN, Infinity, 0, 20];
    const isNew = asked.filter((px) => adapter.setHeight(px));

    expect(host.heights).toEqual([100, 0, 20]);
    expect(isNew).toEqual([99.2, 0, 20]);
    adapter.destroy();
  });

  test('may be that of the body, until it is stopped', async () => {
    vi.useRealTimers();
    using host = await openHost();
    const adapter = createAdapterFor(host);
    const stop = observeHeight(adapter);
    setBottom(document.body, 10.5);
    resize();
    await adapter.init();
    expect(host.heights).toEqual([11]);

    stop();

    expect(FakeResizeObserver.live.size).toBe(0);
    adapter.destroy();
  });

  test('is not followed after the adapter is destroyed', async () => {
    using host = await openHost();
    const adapter = createAdapterFor(host);
    observeHeight(adapter, element);
    adapter.destroy();
    await vi.advanceTimersByTimeAsync(0);
    expect(FakeResizeObserver.live.size).toBe(0);
  });

  test('is not followed by an adapter that was destroyed before', async () => {
    using host = await openHost();
    const adapter = createAdapterFor(host);
    adapter.destroy();
    await vi.advanceTimersByTimeAsync(0);

    const stop = observeHeight(adapter, element);

    expect(FakeResizeObserver.live.size).toBe(0);
    stop();
  });
});
