import { expect, test } from 'vitest';
import { patternOf } from './path-pattern.ts';

test.each([
  ['/api/v2/users?email=ada@example.com', '/api/v2/users'],
  ['api/users', '/api/users'],
  ['/api/users/42/badges/', '/api/users/{id}/badges/'],
  ['/users/6f9619ff-8b86-4011-b42d-00c04fc964ff', '/users/{id}'],
  ['/users/ada%40example.com/files/list.json', '/users/{id}/files/list.json'],
  ['/users/ada@example.com', '/users/{id}'],
  ['/users/ada.lovelace', '/users/{id}'],
  ['/files/Gehalt%20Ada', '/files/{id}'],
  [`/links/${'a'.repeat(33)}`, '/links/{id}'],
  ['/links/eyJhbGciOiJSUzI1NiJ9.e30.x', '/links/{id}'],
  [`/${'word/'.repeat(60)}`, `/${'word/'.repeat(60).slice(0, 199)}…`],
])('the pattern of %s is %s', (path, pattern) => {
  expect(patternOf(path)).toBe(pattern);
});
