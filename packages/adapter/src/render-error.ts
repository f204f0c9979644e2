import { PluginError } from './plugin-error.ts';

/** Shows a failure in the element: as text only, and read out by screen readers. */
export function renderError(element: Element, error: unknown): void {
  element.setAttribute('role', 'alert');
  element.textContent =
    error instanceof PluginError
      ? `${error.message} (${error.code}). ${error.diagnosis}`
      : String(error);
}
