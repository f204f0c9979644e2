/** Reports the page's height to the host: rounded up, and only when it changes. */
export interface Height {
  setHeight: (heightPx: number) => void;
  observeHeight: (element: Element) => () => void;
  close: () => void;
}

export function createHeight(send: (heightPx: number) => void): Height {
  const observers = new Set<ResizeObserver>();
  let isClosed = false;
  let lastPx: number | undefined;

  function setHeight(heightPx: number): void {
    const roundedPx = Math.ceil(heightPx);
    if (isClosed || !Number.isFinite(roundedPx) || roundedPx < 0 || roundedPx === lastPx) return;
    lastPx = roundedPx;
    send(roundedPx);
  }

  /** A ResizeObserver reports once when it starts and after each layout, so no value is lost. */
  function observeHeight(element: Element): () => void {
    if (isClosed) return () => {};
    const observer = new ResizeObserver(() => {
      setHeight(Math.max(element.getBoundingClientRect().height, element.scrollHeight));
    });
    observer.observe(element);
    observers.add(observer);
    return () => {
      observer.disconnect();
      observers.delete(observer);
    };
  }

  function close(): void {
    isClosed = true;
    for (const observer of observers) observer.disconnect();
    observers.clear();
  }

  return { setHeight, observeHeight, close };
}
