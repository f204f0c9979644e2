const elementId = 'plugin-adapter-error';

/** Where the predecessor put its overlay; as text, one at a time. */
export function showError({ message }: Error): void {
  hideError();
  const element = document.createElement('div');
  element.id = elementId;
  element.setAttribute('role', 'alert');
  element.textContent = message;
  // A script in the head may fail before there is a body.
  (document.body ?? document.documentElement).append(element);
}

/** A later init has succeeded. */
export function hideError(): void {
  document.getElementById(elementId)?.remove();
}
