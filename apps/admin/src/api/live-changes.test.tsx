import { act, screen } from '@testing-library/react';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { installationFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';
import { type LiveStatus, watchChanges } from './live-changes.ts';

it('says whether changes arrive by themselves, and if not, since when', async () => {
  const installations = [installationFixture()];
  const { changes } = renderAdmin(createFakeBff({ installations }), '/installations');
  await screen.findByText('acme.example.com');

  act(() => void changes.dispatchEvent(new Event('open')));
  expect(screen.getByText('Live')).toBeDefined();

  act(() => void changes.dispatchEvent(new Event('error')));
  expect(screen.getByText(/^Not live since \d/)).toBeDefined();
});

class FakeSource extends EventTarget {
  readyState = 0;
  isClosed = false;

  close(): void {
    this.isClosed = true;
  }

  say(...types: string[]): void {
    for (const type of types) this.dispatchEvent(new Event(type));
  }
}

function createPage(hidden = false) {
  const page = Object.assign(new EventTarget(), { hidden });
  const show = (isShown: boolean) => {
    page.hidden = !isShown;
    page.dispatchEvent(new Event('visibilitychange'));
  };
  return Object.assign(page, { show });
}

/** Watches streams that the test controls. */
function watch(page = createPage()) {
  const sources: FakeSource[] = [];
  const onGap = vi.fn<(isStart: boolean) => void>();
  const statuses: LiveStatus[] = [];
  const stop = watchChanges({
    onStatus: (status) => statuses.push(status),
    onChanged() {},
    onRefused() {},
    onGap,
    open() {
      const source = new FakeSource();
      sources.push(source);
      return source;
    },
    page,
  });
  onTestFinished(stop);
  const newest = () => sources.at(-1) ?? expect.fail('no stream was opened');
  return { sources, newest, onGap, statuses };
}

function useFakeTimers(): void {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

it('loads again what is shown when a stream begins, also after a first one that failed', () => {
  const { newest, onGap } = watch();

  newest().say('error', 'open', 'position');

  expect(onGap.mock.calls).toEqual([[false]]);
  // The browser sends its last position, and the server sends the missed messages.
  newest().say('error', 'open');
  expect(onGap).toHaveBeenCalledTimes(1);
});

it('is not live after 45 s without a beat, since the last one, and connects again', () => {
  useFakeTimers();
  const { sources, newest, onGap, statuses } = watch();
  newest().say('open', 'position');
  vi.advanceTimersByTime(15_000);
  newest().say('beat');
  const cutOffAt = Date.now();

  vi.advanceTimersByTime(44_999);
  expect(sources).toHaveLength(1);
  vi.advanceTimersByTime(1);

  expect(sources.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  expect(statuses.at(-1)).toEqual({ state: 'reconnecting', cutOffAt });
  newest().say('open', 'position');
  expect(statuses.at(-1)).toEqual({ state: 'connected' });
  expect(onGap.mock.calls).toEqual([[true], [false]]);
});

it('has no stream five seconds after the page was hidden, and loads again what is shown with the page', () => {
  useFakeTimers();
  const page = createPage();
  const { sources, newest, onGap, statuses } = watch(page);
  newest().say('open', 'position');
  page.show(false);
  vi.advanceTimersByTime(4_999);
  page.show(true);
  vi.advanceTimersByTime(5_000);
  expect(newest().isClosed).toBe(false);

  page.show(false);
  vi.advanceTimersByTime(5_000);
  const cutOffAt = Date.now();
  expect(newest().isClosed).toBe(true);
  vi.advanceTimersByTime(3_600_000);
  expect(sources).toHaveLength(1);
  page.show(true);

  expect(sources).toHaveLength(2);
  newest().say('error');
  expect(statuses.slice(-2)).toEqual([
    { state: 'connecting' },
    { state: 'reconnecting', cutOffAt },
  ]);
  newest().say('open', 'position');
  expect(onGap.mock.calls).toEqual([[true], [false]]);
});

it('has no stream in a tab that was opened in the background, until it is shown', () => {
  const page = createPage(true);
  const { sources, newest, onGap } = watch(page);
  expect(sources).toEqual([]);

  page.show(true);
  newest().say('open', 'position');

  expect(onGap.mock.calls).toEqual([[false]]);
});
