import { PluginError } from './plugin-error.ts';
import { publishedTexts } from './published-text.ts';

/**
 * Shows a failure in the element: as text only, and read out by screen readers. A `PluginError` is shown
 * with its code, and with the text of the specification where it has one (Spec §7).
 *
 * @example
 * renderError(document.body, error);
 */
export function renderError(element: Element, error: unknown): void {
  element.setAttribute('role', 'alert');
  element.textContent = error instanceof PluginError ? describeError(error) : String(error);
}

function describeError({ code, diagnosis }: PluginError): string {
  const published = publishedTexts[code];
  return published ? `${published} (${code}). ${diagnosis}` : `${diagnosis} (${code})`;
}
