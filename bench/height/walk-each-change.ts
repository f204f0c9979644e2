/** An earlier way to follow the height: reads all descendants and their styles, 50 ms after each change. */
import './page.ts';

const pauseMs = 50;

walkEachChange(document.body);

function walkEachChange(element: Element): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isChanged = false;

  function onChange(): void {
    isChanged = true;
    if (!timer) measure();
  }

  function measure(): void {
    timer = undefined;
    if (!isChanged) return;
    isChanged = false;
    window.reportHeight(bottomOf(element) + scrollY);
    timer = setTimeout(measure, pauseMs);
  }

  new ResizeObserver(onChange).observe(element);
  const everything = { attributes: true, characterData: true, childList: true, subtree: true };
  new MutationObserver(onChange).observe(element, everything);
}

function bottomOf(element: Element): number {
  const { position, visibility, overflowY, marginBottom } = getComputedStyle(element);
  if (position === 'fixed' || visibility === 'hidden') return 0;
  const bottom =
    element.getBoundingClientRect().bottom + Math.max(0, Number.parseFloat(marginBottom) || 0);
  const inside = overflowY === 'visible' ? element.children : [];
  return Math.max(bottom, ...Array.from(inside, bottomOf));
}
