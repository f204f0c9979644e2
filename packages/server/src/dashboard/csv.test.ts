import { expect, test } from 'vitest';
import { csvLine } from './csv.ts';

test('values are separated by commas, and null is empty', () => {
  expect(csvLine(['a', 1, null, ''])).toBe('a,1,,\r\n');
});

test('commas, quotes and line ends are quoted', () => {
  expect(csvLine(['a,b', 'say "x"', 'one\ntwo'])).toBe('"a,b","say ""x""","one\ntwo"\r\n');
});

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['\n=1', '"\'\n=1"'],
  ['＝1', "'＝1"],
  ['=HYPERLINK("a","b")', '"\'=HYPERLINK(""a"",""b"")"'],
])('%j is no formula in a spreadsheet', (text, cell) => {
  expect(csvLine([text])).toBe(`${cell}\r\n`);
});

test('a number stays a number, also below zero', () => {
  expect(csvLine([-1])).toBe('-1\r\n');
});
