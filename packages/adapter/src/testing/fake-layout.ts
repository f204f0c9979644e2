/** For tests only: jsdom has no layout, so the tests call the observer, and elements have given edges. */
import { vi } from 'vitest';
import { followHeight } from '../height.ts';

export class FakeResizeObserver {
  static live = new Set<FakeResizeObserver>();
  readonly observed: Element[] = [];
  #isObservedAgain = false;
  readonly onResize: () => void;
  constructor(onResize: () => void) {
    this.onResize = onResize;
    FakeResizeObserver.live.add(this);
  }
  observe(element: Element) {
    if (this.#isObservedAgain) this.onResize();
    else this.observed.push(element);
  }
  /** An element that is observed again is reported after the next layout: here at once. */
  unobserve() {
    this.#isObservedAgain = true;
  }
  disconnect() {
    FakeResizeObserver.live.delete(this);
  }
}

export function resize() {
  for (const { onResize } of FakeResizeObserver.live) onResize();
}

/** Also replaces the timers. Returns a function that removes everything. */
export function installFakeLayout(): () => void {
  vi.stubGlobal('ResizeObserver', FakeResizeObserver);
  vi.useFakeTimers({ now: 1_000_000 });
  display(true);
  return () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    document.body.replaceChildren();
    FakeResizeObserver.live.clear();
  };
}

/** Whether the page's frame is displayed. jsdom has no `checkVisibility`. */
export function display(isDisplayed: boolean) {
  document.documentElement.checkVisibility = () => isDisplayed;
}

export function setBottom(of: Element, bottom: number) {
  of.getBoundingClientRect = () => ({ bottom }) as DOMRect;
}

/** Follows the element. A height that equals the one before is not reported. */
export function recordHeights(element: HTMLElement, signal: AbortSignal) {
  const heights: number[] = [];
  const report = vi.fn((height: number) => {
    if (height === heights.at(-1)) return false;
    return heights.push(height) > 0;
  });
  followHeight(element, report, signal);
  return { heights, report };
}
