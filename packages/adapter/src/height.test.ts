import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { followHeight } from './height.ts';
import { observeHeight } from './observe-height.ts';
import { createAdapterFor, openHost } from './testing/test-host.ts';

/** jsdom has no layout, so the tests call the observer, and elements have given edges. */
class FakeResizeObserver {
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

function resize() {
  for (const { onResize } of FakeResizeObserver.live) onResize();
}

let element: HTMLElement;
let ending: AbortController;

beforeEach(() => {
  vi.stubGlobal('ResizeObserver', FakeResizeObserver);
  vi.useFakeTimers({ now: 1_000_000 });
  display(true);
  element = document.body.appendChild(document.createElement('main'));
  ending = new AbortController();
});

afterEach(() => {
  ending.abort();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
  FakeResizeObserver.live.clear();
});

/** Whether the page's frame is displayed. jsdom has no `checkVisibility`. */
function display(isDisplayed: boolean) {
  document.documentElement.checkVisibility = () => isDisplayed;
}

function setBottom(of: Element, bottom: number) {
  of.getBoundingClientRect = () => ({ bottom }) as DOMRect;
}

function follow() {
  const heights: number[] = [];
  const report = vi.fn((height: number) => {
    if (height === heights.at(-1)) return false;
    return heights.push(height) > 0;
  });
  followHeight(element, report, ending.signal);
  return { heights, report };
}

function grow(to: number) {
  setBottom(element, to);
  resize();
}

describe('a followed height', () => {
  test('is reported at once', () => {
    const { heights } = follow();
    grow(100);
    expect(heights).toEqual([100]);
  });

  test('is reported at the start and the end of a burst, with the last value', () => {
    const { heights } = follow();

    for (const height of [100, 110, 120, 130]) grow(height);
    expect(heights).toEqual([100]);
    vi.advanceTimersByTime(49);
    grow(140);
    expect(heights).toEqual([100]);
    vi.advanceTimersByTime(1);

    expect(heights).toEqual([100, 140]);
    vi.advanceTimersByTime(1_000);
    expect(heights).toEqual([100, 140]);
  });

  test('is measured only when it may have changed', () => {
    const { report } = follow();
    grow(100);
    vi.advanceTimersByTime(10_000);
    expect(report).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that grows because its frame does is reported with growing pauses', async () => {
    const heights: number[] = [];
    const growEach = (height: number) => {
      queueMicrotask(() => grow(height + 1));
      return heights.push(height) > 0;
    };
    followHeight(element, growEach, ending.signal);

    grow(100);
    await vi.advanceTimersByTimeAsync(60_000);

    expect(heights.length).toBeGreaterThan(20);
    expect(heights.length).toBeLessThan(100);
  });

  test('that grows without end is reported at least every two seconds', async () => {
    const { heights } = follow();
    let height = 0;
    const growFor = async (seconds: number) => {
      for (let tenths = 0; tenths < seconds * 10; tenths += 1) {
        height += 1;
        grow(height);
        await vi.advanceTimersByTimeAsync(100);
      }
    };
    await growFor(600);
    const before = heights.length;

    await growFor(60);

    expect(heights.length - before).toBeGreaterThanOrEqual(29);
    expect(heights.length - before).toBeLessThan(35);
  });

  test('is not reported while the frame is not displayed, but is when it is displayed again', async () => {
    const { heights } = follow();
    grow(100);
    await vi.advanceTimersByTimeAsync(1_000);

    display(false);
    setBottom(element, 0);
    element.append('text');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(heights).toEqual([100]);
    expect(vi.getTimerCount()).toBe(0);

    display(true);
    grow(120);
    expect(heights).toEqual([100, 120]);
  });

  test('is reported quickly again after a pause', async () => {
    const { heights } = follow();
    for (let height = 1; height <= 40; height += 1) {
      grow(height);
      await vi.advanceTimersByTimeAsync(400);
    }
    const before = heights.length;
    grow(1_000);
    await vi.advanceTimersByTimeAsync(5_000);

    for (const height of [1_001, 1_002]) {
      grow(height);
      await vi.advanceTimersByTimeAsync(60);
    }

    expect(before).toBe(40);
    expect(heights.slice(-3)).toEqual([1_000, 1_001, 1_002]);
  });

  test.each<[string, () => unknown]>([
    ['a new child', () => element.append('text')],
    [
      'another text inside',
      () => {
        (element.firstElementChild?.firstChild ?? element).textContent = 'other';
      },
    ],
    ['an attribute inside', () => element.querySelector('p')?.setAttribute('class', 'open')],
    [
      'an image that has loaded',
      () => element.querySelector('p')?.dispatchEvent(new Event('load')),
    ],
    [
      'the end of a transition',
      () =>
        element.querySelector('p')?.dispatchEvent(new Event('transitionend', { bubbles: true })),
    ],
  ])('is measured after %s, even if the element keeps its size', async (_what, change) => {
    element.innerHTML = '<p>text</p>';
    const { heights } = follow();
    setBottom(element, 70);

    change();
    await vi.advanceTimersByTimeAsync(0);

    expect(heights).toEqual([70]);
  });

  test('is not followed after the end, not even the last one of a burst', async () => {
    const { report } = follow();
    expect([...FakeResizeObserver.live].map(({ observed }) => observed)).toEqual([[element]]);
    grow(100);
    grow(110);

    ending.abort();
    await vi.advanceTimersByTimeAsync(1_000);

    expect(report).toHaveBeenCalledOnce();
    expect(FakeResizeObserver.live.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is not reported after the end, although sizes change', async () => {
    const { report } = follow();
    ending.abort();

    element.append('text');
    for (const type of ['load', 'transitionend']) element.dispatchEvent(new Event(type));
    await vi.advanceTimersByTimeAsync(1_000);

    expect(report).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a measured height', () => {
  type Styles = Record<string, Record<string, string>>;

  function measure(styles: Styles, bottoms: object) {
    const none = { position: 'static', visibility: 'visible', overflowY: 'visible' };
    vi.stubGlobal('getComputedStyle', ({ id }: Element) => ({
      ...none,
      marginBottom: '0px',
      ...styles[id],
    }));
    element.id = 'main';
    element.innerHTML = '<div id="outer"><i id="inner"></i></div><b id="last"></b>';
    for (const each of [element, ...element.querySelectorAll('*')]) setBottom(each, 0);
    for (const [id, bottom] of Object.entries(bottoms)) {
      setBottom(document.getElementById(id) as Element, bottom);
    }
    const { heights } = follow();
    resize();
    return heights[0];
  }

  test.each<[string, Styles, object, number]>([
    ['the element itself', {}, { main: 100 }, 100],
    ['content outside of its box, at any depth', {}, { main: 100, inner: 140 }, 140],
    ['absolutely positioned content', { inner: { position: 'absolute' } }, { inner: 140 }, 140],
    ['margins', { last: { marginBottom: '12.5px' } }, { main: 100, last: 100 }, 112.5],
    ['no negative margin', { main: { marginBottom: '-20px' } }, { main: 100 }, 100],
    ['no margin without a length', { main: { marginBottom: 'auto' } }, { main: 100 }, 100],
    ['no fixed content', { outer: { position: 'fixed' } }, { main: 1, inner: 140 }, 1],
    ['nothing hidden', { outer: { visibility: 'hidden' } }, { main: 1, outer: 140 }, 1],
    [
      'no scrolled or clipped content',
      { outer: { overflowY: 'auto' } },
      { outer: 9, inner: 99 },
      9,
    ],
  ])('counts %s', (_what, styles, bottoms, height) => {
    expect(measure(styles, bottoms)).toBe(height);
  });

  test('does not depend on the scroll position of the page', () => {
    vi.stubGlobal('scrollY', 30);
    expect(measure({}, { main: 70 })).toBe(100);
  });
});

describe('a search for content outside of the box', () => {
  async function countLooks(elements: number, seconds: number) {
    element.innerHTML = '<p></p>'.repeat(elements);
    const looks = vi.fn(() => ({ bottom: 0 }) as DOMRect);
    vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(looks);
    follow();
    for (let change = 0; change < seconds * 100; change += 1) {
      element.children[change % elements]?.setAttribute('class', `${change}`);
      await vi.advanceTimersByTimeAsync(10);
    }
    return looks.mock.calls.length;
  }

  test.each([2_000, 20_000])(
    'among %i elements that keep changing takes 2,000 steps per second',
    async (elements) => {
      const looks = await countLooks(elements, 5);
      // Each of the 20 reports per second also measures a few elements.
      expect(looks).toBeLessThan(2_000 + 5 * (2_000 + 20 * 10));
      expect(looks).toBeGreaterThan(2_000);
    },
  );

  test('finds a recent change at once, anywhere among 20,000 elements', async () => {
    element.innerHTML = '<i></i>'.repeat(20_000);
    const { heights } = follow();
    setBottom(element, 10);
    const changed = element.children[9] as Element;
    await vi.advanceTimersByTimeAsync(100);
    setBottom(changed, 300);
    changed.setAttribute('class', 'open');
    await vi.advanceTimersByTimeAsync(100);
    expect(heights).toEqual([10, 300]);
  });

  test('ends even if the page changes without end', async () => {
    element.innerHTML = '<i></i>'.repeat(1_000);
    for (const each of [element, ...element.children]) setBottom(each, 10);
    setBottom(element.children[0] as Element, 300);
    const { heights } = follow();
    for (let change = 0; change < 300; change += 1) {
      for (let nth = 0; nth < 50; nth += 1) {
        element.children[500 + nth]?.setAttribute('class', `${change}`);
      }
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(heights).toEqual([10, 300]);
  });

  test.each<[string, () => void]>([
    [
      '2,000 elements that change at once',
      () => {
        for (const each of element.querySelectorAll('i')) each.setAttribute('class', 'open');
      },
    ],
    [
      '2,000 elements that come at once',
      () => {
        element.innerHTML = '<b></b>'.repeat(2_000);
      },
    ],
  ])('looks inside only a few of %s', async (_what, change) => {
    element.innerHTML = '<i></i>'.repeat(2_000);
    follow();
    await vi.advanceTimersByTimeAsync(1_000);
    const lists = vi.spyOn(Element.prototype, 'getElementsByTagName');
    const walks = vi.spyOn(document, 'createTreeWalker');
    change();
    await vi.advanceTimersByTimeAsync(0);
    expect(lists.mock.calls.length + walks.mock.calls.length).toBeLessThanOrEqual(50);
  });

  test('takes no further steps when every element was measured', async () => {
    element.innerHTML = '<i></i>'.repeat(5_000);
    setBottom(element, 10);
    follow();
    element.append('text');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(vi.getTimerCount()).toBe(0);
  });
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
