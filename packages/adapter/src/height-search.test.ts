/** How many steps the search for content outside of the box takes. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { installFakeLayout, recordHeights, setBottom } from './testing/fake-layout.ts';

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
