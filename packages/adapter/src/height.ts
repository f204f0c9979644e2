/**
 * Follows the height of a page. ResizeObserver reports changes of the element's own size at almost no cost.
 * It does not report content outside the element's box (absolute children, overflow, margins), so the
 * descendants are searched for that, at a limited rate. A height is the lowest visible edge, in CSS pixels.
 * The last height of a burst is always reported.
 */
const reportPauseMs = 50;
/** In a frame that is scrolled out of sight, ResizeObserver reports nothing. This timer measures it. */
const outOfSightMs = 100;
/**
 * A report this soon after the previous one may be its echo, if the page grows because its frame does. Each
 * echo lengthens the wait for the next report, up to a limit. A pause resets it.
 */
const echoMs = 1000;
const slowDown = 1.05;
const longestPauseMs = 2000;
/** This many growths in a row by as much as the frame grew: the page is sized by its frame, as by `100vh`. */
const maxEchoes = 4;
/** Positions are multiples of 1/64 px. */
const tolerancePx = 0.1;
/** A search may use 2,000 steps per second, or all of them at once after a pause. */
const stepsPerMs = 2;
const stepsAtOnce = 2000;
/** Reading an element's position costs one step. Reading its style costs this many. */
const stepsPerStyle = 3;
/** How many of the recently changed elements are measured first, in addition to the search. */
const changedAtOnce = 50;
/** NodeFilter.SHOW_ELEMENT */
const elementsOnly = 1;
/** Events that may show or move content without a change of elements or attributes: images, menus in CSS. */
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

interface Follower {
  readonly element: Element;
  /** Returns whether the height was new. */
  readonly report: (heightPx: number) => boolean;
  readonly diagnose: ((diagnosis: string) => void) | undefined;
  readonly signal: AbortSignal;
  readonly sizes: ResizeObserver;
  state: 'idle' | 'awaiting layout' | 'paused';
  isSearchDue: boolean;
  /** What the search has still to look at. */
  unseen: Element[];
  /** What is measured before the search goes on. */
  changed: Element[];
  /** The element at the lowest edge. */
  lowest: Element;
  /** On `performance.now()`, as the next one. */
  searchedAt: number;
  reportedAt: number;
  pauseMs: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** Of the page and of its frame, when they were last measured. */
  heightPx: number;
  framePx: number;
  /** Elements have changed since then. */
  hasChanged: boolean;
  echoes: number;
  /** The height before the first echo. */
  leastPx: number;
  /** How much higher the page is than its frame, if it always is. Otherwise 0. */
  overflowPx: number;
}

/**
 * Without ResizeObserver, as in jsdom, it follows nothing.
 *
 * @param report returns whether the height was new
 * @param diagnose called with the reason when a height is not followed
 */
export function followHeight(
  element: Element,
  report: (heightPx: number) => boolean,
  signal: AbortSignal,
  diagnose?: (diagnosis: string) => void,
): void {
  if (!globalThis.ResizeObserver) return;
  const sizes = new ResizeObserver(() => onResize(follower));
  const follower: Follower = {
    element,
    report,
    diagnose,
    signal,
    sizes,
    state: 'idle',
    isSearchDue: false,
    unseen: [],
    changed: [],
    lowest: element,
    searchedAt: -Infinity,
    reportedAt: -Infinity,
    pauseMs: reportPauseMs,
    timer: undefined,
    heightPx: Infinity,
    framePx: Infinity,
    hasChanged: false,
    echoes: 0,
    leastPx: 0,
    overflowPx: 0,
  };
  const mutations = new MutationObserver((records) => {
    addChanged(follower.changed, records);
    onChange(follower);
  });
  sizes.observe(element);
  measureIn(follower, outOfSightMs);
  mutations.observe(element, {
    attributes: true,
    characterData: true,
    childList: true,
    subtree: true,
  });
  const listener = () => onChange(follower);
  for (const type of eventTypes) {
    document.addEventListener(type, listener, { capture: true, signal });
  }
  document.fonts?.addEventListener('loadingdone', listener, { signal });
  signal.addEventListener('abort', () => {
    clearTimeout(follower.timer);
    mutations.disconnect();
    sizes.disconnect();
  });
}

function onResize(follower: Follower): void {
  follower.isSearchDue ||= follower.state !== 'awaiting layout';
  if (follower.state !== 'paused') measure(follower);
}

function onChange(follower: Follower): void {
  follower.isSearchDue = true;
  follower.hasChanged = true;
  if (follower.state === 'idle') awaitLayout(follower);
}

/** ResizeObserver is called right after layout, so measuring forces no other layout. */
function awaitLayout(follower: Follower): void {
  const { element, sizes } = follower;
  follower.state = 'awaiting layout';
  measureIn(follower, outOfSightMs);
  sizes.unobserve(element);
  sizes.observe(element);
}

function measureIn(follower: Follower, ms: number): void {
  clearTimeout(follower.timer);
  follower.timer = setTimeout(measure, ms, follower);
}

function measure(follower: Follower): void {
  clearTimeout(follower.timer);
  // A frame that is not displayed has no height. ResizeObserver is called when it is displayed again.
  if (document.documentElement.checkVisibility?.() === false) {
    follower.state = 'idle';
    return;
  }
  follower.state = 'paused';
  const now = performance.now();
  const heightPx = search(follower, now) + scrollY;
  if (!isSizedByFrame(follower, heightPx) && follower.report(heightPx)) {
    const { reportedAt, pauseMs } = follower;
    const isEcho = now - reportedAt < echoMs + pauseMs;
    follower.pauseMs = isEcho ? Math.min(pauseMs * slowDown, longestPauseMs) : reportPauseMs;
    follower.reportedAt = now;
  }
  if (!follower.signal.aborted) follower.timer = setTimeout(endPause, follower.pauseMs, follower);
}

/**
 * Whether the page only grows because its frame does, so that no frame is high enough. The frame then gets the height
 * that the page had before. Another growth of the page is reported again.
 */
function isSizedByFrame(follower: Follower, heightPx: number): boolean {
  const growthPx = heightPx - follower.heightPx;
  const frameGrowthPx = innerHeight - follower.framePx;
  const overflowPx = heightPx - innerHeight;
  const isSameAmount = Math.abs(growthPx - frameGrowthPx) <= tolerancePx;
  const { hasChanged } = follower;
  follower.heightPx = heightPx;
  follower.framePx = innerHeight;
  follower.hasChanged = false;
  if (overflowPx > 0 && overflowPx <= follower.overflowPx + tolerancePx) return true;
  follower.overflowPx = 0;
  if (follower.echoes === maxEchoes) {
    follower.echoes = 0;
    // An animation grows further, although its frame does not.
    if (hasChanged || !isSameAmount) return false;
    follower.overflowPx = overflowPx;
    follower.report(follower.leastPx);
    follower.diagnose?.(
      `The page grows with its frame, which stays ${Math.ceil(follower.leastPx)} px high. Avoid vh and % in the height of ${nameFramed()}`,
    );
    return true;
  }
  const isByFrame = growthPx > 0 && frameGrowthPx > 0 && (!hasChanged || isSameAmount);
  if (!isByFrame) follower.leastPx = heightPx;
  if (!isByFrame || growthPx < frameGrowthPx - tolerancePx) follower.echoes = 0;
  else if (!hasChanged) follower.echoes += 1;
  if (follower.echoes < maxEchoes) return false;
  follower.isSearchDue = true; // Measures again after a pause.
  return true;
}

/** The first element that is as high as the frame by its style. */
function nameFramed(): string {
  const framed = `${innerHeight}px`;
  for (const each of document.querySelectorAll('*')) {
    const { minHeight, height } = getComputedStyle(each);
    if (minHeight === framed || height === framed) {
      return each.localName + (each.id && `#${each.id}`);
    }
  }
  return 'the page';
}

function endPause(follower: Follower): void {
  follower.state = 'idle';
  if (follower.isSearchDue || follower.unseen.length) awaitLayout(follower);
}

/** @returns the page's lowest edge, measured from the top of the frame */
function search(follower: Follower, now: number): number {
  const { element, changed, lowest, searchedAt } = follower;
  if (!follower.unseen.length && follower.isSearchDue) {
    follower.unseen = [...element.querySelectorAll('*')];
    follower.isSearchDue = false;
  }
  const steps = Math.min(stepsAtOnce, (now - searchedAt) * stepsPerMs);
  let reach: number;
  [follower.lowest, reach] = findLowest(follower.unseen, steps, element, [lowest, ...changed]);
  follower.changed = [];
  follower.searchedAt = now;
  return reach;
}

/**
 * Adds the elements that mutations have probably shown or moved: their targets and the elements inside, a few
 * in all.
 */
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
 * Takes elements from the end of `unseen`, where pages add what they open, and measures their lowest edges,
 * for a number of steps.
 *
 * @param likely elements that are measured first, without a limit of steps
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
    // Only margins at the lowest edge count. Others are inside their container.
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

/** Whether an element in the root is visible at its position: not hidden, fixed, scrolled or clipped. */
function isShown(element: Element, root: Element): boolean {
  let { position, visibility } = getComputedStyle(element);
  if (visibility !== 'visible' || element.checkVisibility?.() === false) return false;
  for (let outer = element.parentElement; ; outer = outer.parentElement) {
    if (position === 'fixed' || !outer) return false;
    const style = getComputedStyle(outer);
    // Only the containing block of an absolute element can clip or fix it.
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
  // The body's overflow applies to the frame, unless its parent has its own.
  return element !== body || getComputedStyle(documentElement).overflowY !== 'visible';
}
