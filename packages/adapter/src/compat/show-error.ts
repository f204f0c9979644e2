const elementId = 'plugin-adapter-error';

/** Shows the error where the predecessor showed its overlay: as text, one at a time. */
export function showError({ message }: Error): void {
  hideError();
  const element = document.createElement('div');
  element.id = elementId;
  element.setAttribute('role', 'alert');
  element.textContent = message;
  // A script in the head may fail before the body exists.
  (document.body ?? document.documentElement).append(element);
}

/** Called when a later init has succeeded. */
export function hideError(): void {
  document.getElementById(elementId)?.remove();
}
