/**
 * Follows how high a page is. ResizeObserver sees whatever resizes the element, and costs next to
 * nothing. What sticks out of the element (absolute children, overflow, margins) it cannot see: that
 * is searched for among the descendants, at a bounded rate. A height is the lowest edge of what is
 * shown, in CSS pixels; the last one of a burst is never lost.
 */
const reportPauseMs = 50;
/** A frame that is out of sight is not laid out, so ResizeObserver is silent: it is measured anyway. */
const outOfSightMs = 100;
/**
 * A report this soon after the one before may be its echo: the page grows because its frame does.
 * Each makes the next wait longer, so that a hundred in a row take minutes; a quiet moment ends it.
 */
const echoMs = 1000;
const slowDown = 1.05;
/** A search takes 2,000 steps in a second: all of them at once after a quiet one. */
const stepsPerMs = 2;
const stepsAtOnce = 2000;
/** Looking where an element is takes one step, looking how it is styled as long as this. */
const stepsPerStyle = 3;
/** Of what has changed since the last time, so many elements are looked at first. */
const changedAtOnce = 50;
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
    state = 'paused';
    clearTimeout(timer);
    const now = performance.now();
    search(now);
    const ownReach = reachOf(element);
    const isOut = lowest !== element && isShown(lowest, element);
    if (report(Math.max(ownReach, isOut ? reachOf(lowest) : 0) + scrollY)) {
      const isEcho = now - reportedAt < echoMs + pauseMs;
      pauseMs = isEcho ? pauseMs * slowDown : reportPauseMs;
      reportedAt = now;
    }
    if (!signal.aborted) timer = setTimeout(endPause, pauseMs);
  }

  function search(now: number): void {
    if (!unseen.length && isSearchDue) {
      unseen = [...element.querySelectorAll('*')];
      isSearchDue = false;
    }
    unseen.push(...changed);
    changed = [];
    const steps = Math.min(stepsAtOnce, (now - searchedAt) * stepsPerMs);
    lowest = findLowest(unseen, steps, element, lowest);
    searchedAt = now;
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
    changed = [...changed, ...records.flatMap(listChanged)].slice(0, changedAtOnce);
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

/** What a mutation has shown or moved, most likely: its element and the first ones inside. */
function listChanged({ type, target, addedNodes }: MutationRecord): Element[] {
  const nodes = type === 'childList' ? [...addedNodes] : [target];
  return nodes
    .filter((node) => node instanceof Element)
    .flatMap((node) => [node, ...listInside(node)]);
}

function listInside(element: Element): Element[] {
  const inside = element.getElementsByTagName('*');
  return Array.from(
    { length: Math.min(inside.length, changedAtOnce) },
    (_, at) => inside[at] as Element,
  );
}

/**
 * Takes elements off the end of `unseen`, where pages put what they open, and looks how far down each
 * reaches, for so many steps.
 *
 * @param known what reached furthest until then
 */
function findLowest(unseen: Element[], maxSteps: number, root: Element, known: Element): Element {
  let lowest = root;
  let edge = root.getBoundingClientRect().bottom;
  let reach = reachOf(root);
  let steps = 0;

  function look(at: Element): void {
    steps += 1;
    const { bottom } = at.getBoundingClientRect();
    // Margins count at the lowest edge only: others are within what contains them.
    if (bottom < edge) return;
    steps += stepsPerStyle;
    const reachHere = reachOf(at);
    if (reachHere <= reach || !isShown(at, root)) return;
    [lowest, reach, edge] = [at, reachHere, bottom];
  }

  look(known);
  while (unseen.length && steps < maxSteps) look(unseen.pop() as Element);
  return lowest;
}

/** The lower edge, its margin included, from the top of the frame. */
function reachOf(element: Element): number {
  const marginBottom = Number.parseFloat(getComputedStyle(element).marginBottom) || 0;
  return element.getBoundingClientRect().bottom + Math.max(0, marginBottom);
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
