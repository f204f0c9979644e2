/** Threat H14: an empty value, and what is no value. */
import { expect, test } from 'vitest';
import { path } from './platform-path.ts';

test.each<[string, () => unknown]>([
  ['at the end', () => path`/api/users/${''}`],
  ['before a query', () => path`/api/users/${''}?full=${1}`],
  ['beside another one', () => path`/api/users/${''}${''}`],
  ['in the middle', () => path`/api/users/${''}/badges`],
])('H14: a segment that is an empty value %s would call the folder, and is refused', (_, make) => {
  expect(make).toThrow(TypeError);
  expect(make).toThrow('has an empty segment');
});

test('an empty value in a query or beside other characters is sent', () => {
  const texts = [
    path`/api/users/?name=${''}`,
    path`/api/users/u-${''}`,
    path`/api/users/${1}/`,
    path`/api/users/`,
  ].map(String);

  expect(texts).toEqual(['/api/users/?name=', '/api/users/u-', '/api/users/1/', '/api/users/']);
});

test.each([undefined, null, Number.NaN, Infinity, {}, true])(
  'H14: the value %s, which is no text and no number, is refused',
  (value) => {
    expect(() => path`/api/users/${value as never}`).toThrow(TypeError);
    expect(() => path`/api/users?q=${value as never}`).toThrow(TypeError);
  },
);
