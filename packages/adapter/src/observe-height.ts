import type { Adapter } from './create-adapter.ts';
import { followHeight } from './height.ts';

/**
 * Keeps the frame as high as the element, by default the body, until it is stopped or the adapter is
 * destroyed. A height is in CSS pixels. What is seen before `init` is sent after it.
 *
 * @example
 * const stop = observeHeight(adapter, document.querySelector('main'));
 *
 * @returns how to stop that
 */
export function observeHeight(
  { setHeight, signal }: Pick<Adapter, 'setHeight' | 'signal'>,
  element: Element | null = document.body,
): () => void {
  const control = new AbortController();
  if (element && !signal.aborted) {
    followHeight(element, setHeight, AbortSignal.any([signal, control.signal]));
  }
  return () => control.abort();
}
