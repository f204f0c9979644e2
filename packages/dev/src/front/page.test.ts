import { expect, test } from 'vitest';
import { isInStateFolder } from './page.ts';

test.each([
  '/plugin/@key/.dowel/page-key?raw',
  '/plugin/@key/@fs/home/mara/lunch/.dowel/data/keys.json',
  '/plugin/@key/%2Edowel%2fpage-key',
  '/plugin/@key/src/../.DOWEL/page-key',
  '/plugin/@key/src%5c.dowel%5cpage-key',
  '/plugin/@key/.dowel',
  '/plugin/@key/%E0%A4%A',
])('the state is not for a page: %s', (url) => {
  expect(isInStateFolder(url)).toBe(true);
});

test.each([
  '/plugin/@key/src/page.tsx?t=1',
  '/plugin/@key/src/a.dowel.ts',
  '/plugin/@key/.dowels/a',
])('the source is: %s', (url) => {
  expect(isInStateFolder(url)).toBe(false);
});
