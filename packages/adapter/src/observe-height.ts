import type { Adapter } from './create-adapter.ts';
import { followHeight } from './height.ts';

/**
 * Keeps the frame as high as the element, by default the body, until it is stopped or the adapter is
 * destroyed. A height is in CSS pixels. What is seen before `init` is sent after it. A page that grows because its
 * frame does, as by `min-height: 100vh`, keeps its first height, and `onDiagnostic` says so. Where there is no
 * ResizeObserver, as in jsdom, no height is followed.
 *
 * @example
 * const stop = observeHeight(adapter, document.querySelector('main'));
 *
 * @returns how to stop that
 */
export function observeHeight(
  {
    setHeight,
    signal,
    diagnose,
  }: Pick<Adapter, 'setHeight' | 'signal'> & Partial<Pick<Adapter, 'diagnose'>>,
  element: Element | null = document.body,
): () => void {
  const control = new AbortController();
  if (element && !signal.aborted) {
    followHeight(element, setHeight, AbortSignal.any([signal, control.signal]), diagnose);
  }
  return () => control.abort();
}
