/**
 * Measures the page and reports its height: at once and again after a burst of changes, in whole
 * pixels rounded up, and only when it changes. The last value of a burst is never lost.
 */
const throttleMs = 50;
/**
 * A report this soon after the one before may be its echo: the page grows because its frame does.
 * Each makes the next wait longer, so that a hundred in a row take minutes; a quiet moment ends it.
 */
const echoMs = 1000;
const slowDown = 1.05;

/**
 * @param signal ends it; nobody else's, for its `onabort` is taken
 * @param report returns whether that was a new height */
export function followHeight(
  element: Element,
  report: (heightPx: number) => boolean,
  signal: AbortSignal,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isChanged = false;
  let pauseMs = throttleMs;
  let reportedAt = 0;

  function onChange(): void {
    isChanged = true;
    if (!timer) measure();
  }

  function measure(): void {
    timer = undefined;
    if (!isChanged) return;
    isChanged = false;
    const now = Date.now();
    if (report(bottomOf(element) + scrollY)) {
      const isEcho = now - reportedAt < echoMs + pauseMs;
      pauseMs = isEcho ? pauseMs * slowDown : throttleMs;
      reportedAt = now;
    }
    timer = setTimeout(measure, pauseMs);
  }

  const sizes = new ResizeObserver(onChange);
  sizes.observe(element);
  // What is positioned absolutely does not resize the element around it.
  const contents = new MutationObserver(onChange);
  contents.observe(element, {
    attributes: true,
    characterData: true,
    childList: true,
    subtree: true,
  });
  for (const type of ['transitionend', 'load']) {
    element.addEventListener(type, onChange, { capture: true, signal });
  }
  signal.onabort = () => {
    sizes.disconnect();
    contents.disconnect();
    clearTimeout(timer);
  };
}

/** The lowest edge of what the element shows, margins included, seen from the top of the frame. */
function bottomOf(element: Element): number {
  const { position, visibility, overflowY, marginBottom } = getComputedStyle(element);
  if (position === 'fixed' || visibility === 'hidden') return 0;
  const bottom =
    element.getBoundingClientRect().bottom + Math.max(0, Number.parseFloat(marginBottom) || 0);
  const inside = overflowY === 'visible' ? element.children : [];
  return Math.max(bottom, ...Array.from(inside, bottomOf));
}
