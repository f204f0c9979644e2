import { configure } from '@testing-library/dom';
import { afterAll } from 'vitest';

// Only a hang takes this long: on a busy machine the first import of a part of the page takes more than 30 s.
configure({ asyncUtilTimeout: 120_000 });

/** Browser functions that Mantine or the router needs and jsdom lacks. */
class ResizeObserverStub {
  observe() {}
  unobserve() {}
  disconnect() {}
}

globalThis.ResizeObserver ??= ResizeObserverStub;

window.matchMedia ??= (query) =>
  ({
    matches: false,
    media: query,
    onchange: null,
    addEventListener() {},
    removeEventListener() {},
    addListener() {},
    removeListener() {},
    dispatchEvent: () => false,
  }) satisfies MediaQueryList;

window.scrollTo = () => {};
Element.prototype.scrollIntoView ??= () => {};

/** The button of a popover opens it, as in browsers. What closes it, jsdom lacks too. */
document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('[popovertarget]') : null;
  const popover = document.getElementById(button?.getAttribute('popovertarget') ?? '');
  popover?.dispatchEvent(Object.assign(new Event('beforetoggle'), { newState: 'open' }));
  if (popover) popover.style.display = 'block';
});

// Test files share one page: each leaves it as it was.
const startAddress = location.href;
afterAll(() => {
  const isMounted = [...document.body.children].some(hasReactTree);
  document.head.replaceChildren();
  document.body.replaceChildren();
  history.replaceState(null, '', startAddress);
  localStorage.clear();
  sessionStorage.clear();
  // Its timers would run on after the page is gone.
  if (isMounted) throw new Error('A React tree is left behind: call cleanup() when its test ends');
});

/** React marks the container of a tree, and clears the mark when the tree is unmounted. */
function hasReactTree(element: Element): boolean {
  return Object.entries(element).some(
    ([name, value]) => name.startsWith('__reactContainer$') && value !== null,
  );
}
