import { expect, test } from 'vitest';
import { plain } from './plain.ts';

test.each([
  ['a colour', '\u001b[31mred\u001b[0m', 'red'],
  ['a title of the window', '\u001b]0;title\u0007text', 'text'],
  ['a bell', 'a\u0007b', 'ab'],
  ['another direction', '\u202egnirts\u202c \u2067x\u2069\u200f', 'gnirts x'],
])('%s does not reach a terminal', (_, text, shown) => {
  expect(plain(text)).toBe(shown);
});

test('line breaks, and letters of any language, stay', () => {
  expect(plain('Käse\nגבינה 奶酪 👩‍🍳')).toBe('Käse\nגבינה 奶酪 👩‍🍳');
});
