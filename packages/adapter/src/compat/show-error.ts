const elementId = 'plugin-adapter-error';

/** Where the predecessor put its overlay; as text, one at a time. */
export function showError({ message }: Error): void {
  document.getElementById(elementId)?.remove();
  const element = document.createElement('div');
  element.id = elementId;
  element.setAttribute('role', 'alert');
  element.textContent = message;
  document.body.append(element);
}
