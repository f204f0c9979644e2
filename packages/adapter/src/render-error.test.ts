import { expect, test } from 'vitest';
import { PluginError } from './plugin-error.ts';
import { renderError } from './render-error.ts';

const markup = '<svg onload="alert(1)">';

test('an error is shown as text, with its code and the remedy', () => {
  const element = document.createElement('p');

  renderError(element, new PluginError('ERR4', 'Clock off by 400 s: set it'));

  expect(element.textContent).toBe('Invalid plug-in token (ERR4). Clock off by 400 s: set it');
});

test.each([
  ['ERR2', 'Invalid plug-in token (ERR2). Token is no JWT'],
  ['ERR6', 'Initialization timed out (ERR6). Token is no JWT'],
] as const)(
  '%s, whose message is the specification’s text, is shown with the diagnosis',
  (code, shown) => {
    const element = document.createElement('p');

    renderError(element, new PluginError(code, 'Token is no JWT'));

    expect(element.textContent).toBe(shown);
  },
);

test.each([
  ['a message that quotes the other side', new PluginError('ERR7', markup)],
  ['another kind of error', new Error(markup)],
  ['a value that is not an error', markup],
])('G09: markup in %s stays text', (_what, error) => {
  const element = document.createElement('p');

  renderError(element, error);

  expect(element.textContent).toContain(markup);
  expect(element.children).toHaveLength(0);
});

test('a screen reader is notified by a role, which a strict CSP allows', () => {
  const element = document.createElement('p');

  renderError(element, new Error('Something'));

  expect(element.getAttributeNames()).toEqual(['role']);
  expect(element.getAttribute('role')).toBe('alert');
});
