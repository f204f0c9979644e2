import { act, cleanup, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { useLiveChanges } from './live-changes.ts';
import { answerControl, renderPage } from './test-page.tsx';

const sources: FakeEventSource[] = [];

class FakeEventSource extends EventTarget {
  static readonly CLOSED = 2;
  readyState = 1;
  constructor() {
    super();
    sources.push(this);
  }
  close() {
    this.readyState = FakeEventSource.CLOSED;
  }
}

function LiveState() {
  return <p>{useLiveChanges()}</p>;
}

function openStream() {
  vi.stubGlobal('EventSource', FakeEventSource);
  answerControl({});
  renderPage(<LiveState />);
}

const happen = (event: string) => act(() => sources.at(-1)?.dispatchEvent(new Event(event)));

afterEach(() => {
  vi.useRealTimers();
  sources.length = 0;
});

describe('live changes', () => {
  it('say whether they arrive', async () => {
    openStream();
    expect(screen.getByText('connecting')).toBeTruthy();

    await happen('open');
    expect(screen.getByText('live')).toBeTruthy();

    await happen('error');
    expect(screen.getByText('interrupted')).toBeTruthy();
  });

  it('open a new stream when the browser has given up', async () => {
    vi.useFakeTimers();
    openStream();

    sources[0]?.close();
    await happen('error');
    await act(() => vi.advanceTimersByTimeAsync(3_000));

    expect(sources).toHaveLength(2);
  });

  it('leave no stream open when the page goes', () => {
    openStream();

    cleanup();

    expect(sources.every(({ readyState }) => readyState === FakeEventSource.CLOSED)).toBe(true);
  });
});
