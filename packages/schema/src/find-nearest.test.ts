import { expect, test } from 'vitest';
import { findMeant, findNearest } from './find-nearest.ts';

test.each([
  ['', '', 0],
  ['abc', 'abc', 0],
  ['ABC', 'abc', 0],
  ['abc', 'acb', 1],
  ['abc', 'ab', 1],
  ['ab', 'abc', 1],
  ['abc', 'axc', 1],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
])('the distance from %j to %j is %i', (name, nearest, distance) => {
  expect(findNearest(name, [nearest])).toEqual({ nearest, distance });
});

test('the first of the nearest entries is found', () => {
  expect(findNearest('confg', ['context', 'config', 'confix'])).toEqual({
    nearest: 'config',
    distance: 1,
  });
  expect(findNearest('a', [])).toMatchObject({ distance: Number.POSITIVE_INFINITY });
});

test.each([
  ['lifecyle', 'lifecycle'],
  ['entrypoints', 'entryPoints'],
  ['plugin:notfy', 'plugin:notify'],
  ['uri', 'url'],
  ['xy', undefined],
  ['manifest', undefined],
  ['x'.repeat(100_000), undefined],
])('%.20s was meant to be %s', (name, meant) => {
  expect(findMeant(name, ['lifecycle', 'entryPoints', 'plugin:notify', 'url', 'id'])).toBe(meant);
});

test('nothing is meant without entries', () => {
  expect(findMeant('', [])).toBeUndefined();
});
