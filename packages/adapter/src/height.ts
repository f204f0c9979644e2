/**
 * Follows how high a page is. ResizeObserver sees whatever resizes the element, and costs next to
 * nothing. What sticks out of the element (absolute children, overflow, margins) it cannot see: that
 * is searched for among the descendants, at a bounded rate. A height is the lowest edge of what is
 * shown, in CSS pixels; the last one of a burst is never lost.
 */
const reportPauseMs = 50;
/** A frame that is scrolled out of sight has a silent ResizeObserver: it is measured anyway. */
const outOfSightMs = 100;
/**
 * A report this soon after the one before may be its echo: the page grows because its frame does.
 * Each makes the next wait longer, up to a limit; a quiet moment ends it.
 */
const echoMs = 1000;
const slowDown = 1.05;
const longestPauseMs = 2000;
/** A search takes 2,000 steps in a second: all of them at once after a quiet one. */
const stepsPerMs = 2;
const stepsAtOnce = 2000;
/** Looking where an element is takes one step, looking how it is styled as long as this. */
const stepsPerStyle = 3;
/** Of what has changed since the last time, so many elements are looked at first, beside the search. */
const changedAtOnce = 50;
/** NodeFilter.SHOW_ELEMENT */
const elementsOnly = 1;
/** What may show or move something, though no element or attribute changes: images, menus in CSS. */
const eventTypes = [
  'load',
  'transitionend',
  'animationend',
  'toggle',
  'change',
  'focusin',
  'focusout',
  'pointerover',
  'pointerout',
];

/** @param report returns whether that was a new height */
export function followHeight(
  element: Element,
  report: (heightPx: number) => boolean,
  signal: AbortSignal,
): void {
  let state: 'idle' | 'awaiting layout' | 'paused' = 'idle';
  let isSearchDue = false;
  let unseen: Element[] = [];
  let changed: Element[] = [];
  let lowest = element;
  let searchedAt = -Infinity;
  let reportedAt = -Infinity;
  let pauseMs = reportPauseMs;
  let timer = setTimeout(measure, outOfSightMs);

  function onChange(): void {
    isSearchDue = true;
    if (state === 'idle') awaitLayout();
  }

  /** ResizeObserver is called right after layout, when looking forces none. */
  function awaitLayout(): void {
    state = 'awaiting layout';
    clearTimeout(timer);
    timer = setTimeout(measure, outOfSightMs);
    sizes.unobserve(element);
    sizes.observe(element);
  }

  function measure(): void {
    clearTimeout(timer);
    // A frame that is not displayed has no height. ResizeObserver is called when it is displayed again.
    if (document.documentElement.checkVisibility?.() === false) {
      state = 'idle';
      return;
    }
    state = 'paused';
    const now = performance.now();
    if (report(search(now) + scrollY)) {
      const isEcho = now - reportedAt < echoMs + pauseMs;
      pauseMs = isEcho ? Math.min(pauseMs * slowDown, longestPauseMs) : reportPauseMs;
      reportedAt = now;
    }
    if (!signal.aborted) timer = setTimeout(endPause, pauseMs);
  }

  /** @returns how far down the page reaches, from the top of the frame */
  function search(now: number): number {
    if (!unseen.length && isSearchDue) {
      unseen = [...element.querySelectorAll('*')];
      isSearchDue = false;
    }
    const steps = Math.min(stepsAtOnce, (now - searchedAt) * stepsPerMs);
    let reach: number;
    [lowest, reach] = findLowest(unseen, steps, element, [lowest, ...changed]);
    changed = [];
    searchedAt = now;
    return reach;
  }

  function endPause(): void {
    state = 'idle';
    if (isSearchDue || unseen.length) awaitLayout();
  }

  const sizes = new ResizeObserver(() => {
    isSearchDue ||= state !== 'awaiting layout';
    if (state !== 'paused') measure();
  });
  const mutations = new MutationObserver((records) => {
    addChanged(changed, records);
    onChange();
  });
  sizes.observe(element);
  mutations.observe(element, {
    attributes: true,
    characterData: true,
    childList: true,
    subtree: true,
  });
  for (const type of eventTypes) {
    document.addEventListener(type, onChange, { capture: true, signal });
  }
  document.fonts?.addEventListener('loadingdone', onChange, { signal });
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    mutations.disconnect();
    sizes.disconnect();
  });
}

/** Adds what mutations have shown or moved, most likely: their elements and those inside, a few in all. */
function addChanged(changed: Element[], records: MutationRecord[]): void {
  for (const { type, target, addedNodes } of records) {
    for (const node of type === 'childList' ? addedNodes : [target]) {
      if (changed.length >= changedAtOnce) return;
      if (!(node instanceof Element)) continue;
      const inside = document.createTreeWalker(node, elementsOnly);
      for (let each: Node | null = node; each; each = inside.nextNode()) {
        if (changed.push(each as Element) >= changedAtOnce) return;
      }
    }
  }
}

/**
 * Takes elements off the end of `unseen`, where pages put what they open, and looks how far down each
 * reaches, for so many steps.
 *
 * @param likely is looked at first, whatever it takes
 */
function findLowest(
  unseen: Element[],
  maxSteps: number,
  root: Element,
  likely: Element[],
): [lowest: Element, reach: number] {
  let lowest = root;
  let edge = root.getBoundingClientRect().bottom;
  let reach = edge + marginBelow(root);
  let steps = 0;

  function look(at: Element): void {
    steps += 1;
    const { bottom } = at.getBoundingClientRect();
    // Margins count at the lowest edge only: others are within what contains them.
    if (bottom < edge) return;
    steps += stepsPerStyle;
    const reachHere = bottom + marginBelow(at);
    if (reachHere <= reach || !isShown(at, root)) return;
    [lowest, reach, edge] = [at, reachHere, bottom];
  }

  likely.forEach(look);
  steps = 0;
  while (unseen.length && steps < maxSteps) look(unseen.pop() as Element);
  return [lowest, reach];
}

function marginBelow(element: Element): number {
  return Math.max(0, Number.parseFloat(getComputedStyle(element).marginBottom) || 0);
}

/** Whether something within the root is seen where it is: neither hidden nor fixed, scrolled or cut. */
function isShown(element: Element, root: Element): boolean {
  let { position, visibility } = getComputedStyle(element);
  if (visibility !== 'visible' || element.checkVisibility?.() === false) return false;
  for (let outer = element.parentElement; ; outer = outer.parentElement) {
    if (position === 'fixed' || !outer) return false;
    const style = getComputedStyle(outer);
    // What is absolute is held, and cut, only by what it is positioned in.
    const isHeld =
      position !== 'absolute' || style.position !== 'static' || style.transform !== 'none';
    if (isHeld && cuts(outer, style)) return false;
    if (isHeld) position = style.position;
    if (outer === root) return true;
  }
}

function cuts(element: Element, { overflowY }: CSSStyleDeclaration): boolean {
  const { body, documentElement } = document;
  if (overflowY === 'visible' || element === documentElement) return false;
  // The overflow of the body is that of the frame, unless its parent has one.
  return element !== body || getComputedStyle(documentElement).overflowY !== 'visible';
}
