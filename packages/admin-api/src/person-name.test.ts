import { expect, test } from 'vitest';
import { readPersonName } from './person-name.ts';

test.each([
  ['ada@example.com', 'ada@example.com'],
  ['  Zo\u0065\u0308  Müller\u00a0II ', 'Zo\u00eb Müller II'],
  ['李小龍', '李小龍'],
  ['x'.repeat(200), 'x'.repeat(200)],
])('%j is a name', (given, name) => {
  expect(readPersonName(given)).toBe(name);
});

test.each([
  ['nothing', ''],
  ['blanks', ' \u3000 '],
  ['a control character', 'ada\n'.padEnd(6, 'x')],
  ['an escape', 'ada\u001b[2J'],
  ['a NUL', 'ada\0'],
  ['a mark of direction', 'ada\u202egro.elpmaxe'],
  ['an isolate', 'ada\u2066'],
  ['a zero-width space', 'a\u200bda'],
  ['a joiner', 'a\u200dda'],
  ['a soft hyphen', 'a\u00adda'],
  ['a byte order mark', '\ufeffada'],
  ['a Hangul filler', 'ada\u3164'],
  ['a blank of Braille', 'ada\u2800'],
  ['a variation selector', 'ada\ufe0f'],
  ['a tag', 'ada\u{e0041}'],
  ['a line separator', 'ada\u2028'],
  ['half a character', 'ada\ud800'],
  ['a private character', 'ada\ue000'],
  ['too much', 'x'.repeat(201)],
  ['a number', 7],
])('F32: a name with %s is none', (_, given) => {
  expect(readPersonName(given)).toBeUndefined();
});
