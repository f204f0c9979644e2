/** When a followed height is measured and reported, and what counts as height. */

import { beforeEach, describe, expect, test, vi } from 'vitest';
import { followHeight } from './height.ts';
import {
  display,
  FakeResizeObserver,
  installFakeLayout,
  recordHeights,
  resize,
  setBottom,
} from './testing/fake-layout.ts';

let element: HTMLElement;
let ending: AbortController;

beforeEach(() => {
  const removeLayout = installFakeLayout();
  element = document.body.appendChild(document.createElement('main'));
  ending = new AbortController();
  return () => {
    ending.abort();
    removeLayout();
  };
});

const follow = () => recordHeights(element, ending.signal);

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

  test('that grows whenever it was reported is reported with growing pauses', async () => {
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

describe('a page that grows with its frame', () => {
  const diagnose = vi.fn();
  let heights: number[];

  /** The host gives the frame each height, and then the page grows as its style says. */
  function followIn(grownTo: (framePx: number) => number) {
    heights = [];
    diagnose.mockClear();
    vi.stubGlobal('innerHeight', 150);
    const report = (heightPx: number) => {
      if (heightPx === heights.at(-1)) return false;
      heights.push(heightPx);
      queueMicrotask(() => {
        vi.stubGlobal('innerHeight', heightPx);
        grow(grownTo(heightPx));
      });
      return true;
    };
    followHeight(element, report, ending.signal, diagnose);
    grow(grownTo(150));
    return vi.advanceTimersByTimeAsync(60_000);
  }

  test.each<[string, (framePx: number) => number, number]>([
    ['by the same amount', (framePx) => framePx + 40, 190],
    ['by a part of its height', (framePx) => framePx * 1.1, 165],
  ])('%s keeps the least height after a few echoes', async (_how, grownTo, leastPx) => {
    await followIn(grownTo);

    expect(heights).toHaveLength(5);
    expect(Math.floor(heights.at(-1) ?? 0)).toBe(leastPx);
    expect(heights.at(-1)).toBe(heights[0]);
  });

  test('is explained by the element whose style says so', async () => {
    vi.stubGlobal('getComputedStyle', ({ id }: Element) => ({
      marginBottom: '0px',
      minHeight: id === 'root' ? `${innerHeight}px` : '0px',
    }));
    element.id = 'root';
    await followIn((framePx) => framePx + 40);

    expect(diagnose.mock.calls).toEqual([
      [expect.stringMatching(/frame, which stays 190 px high.*vh.*main#root$/)],
    ]);
  });

  test('is followed again when its content grows', async () => {
    let contentPx = 0;
    await followIn((framePx) => Math.max(framePx, contentPx) + 40);
    contentPx = 500;
    setBottom(element, 540);
    element.append('text');
    await vi.advanceTimersByTimeAsync(60_000);

    expect(heights.slice(5, 7)).toEqual([540, 580]);
    expect(heights.at(-1)).toBe(540);
  });

  test('by less and less ends by itself', async () => {
    await followIn((framePx) => Math.ceil(framePx / 2) + 100);
    expect(heights.at(-1)).toBe(200);
    expect(diagnose).not.toHaveBeenCalled();
  });
});

describe('a page that grows by itself, with the frame behind it,', () => {
  async function growStepwise(step: () => void) {
    const { heights } = follow();
    for (let heightPx = 100; heightPx <= 1_000; heightPx += 20) {
      vi.stubGlobal('innerHeight', heights.at(-1) ?? 0);
      step();
      grow(heightPx);
      await vi.advanceTimersByTimeAsync(40);
    }
    await vi.advanceTimersByTimeAsync(1_000);
    return heights;
  }

  test.each<[string, () => void]>([
    ['as in an animation,', () => {}],
    ['row by row,', () => element.append('row')],
  ])('%s is followed to its end, and never becomes lower', async (_how, step) => {
    const heights = await growStepwise(step);
    expect(heights.at(-1)).toBe(1_000);
    expect(heights).toEqual(heights.toSorted((one, other) => one - other));
  });
});

test('without a ResizeObserver, as in jsdom, no height is followed', () => {
  vi.stubGlobal('ResizeObserver', undefined);
  const { report } = follow();
  element.append('text');
  vi.advanceTimersByTime(1_000);
  expect(report).not.toHaveBeenCalled();
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
