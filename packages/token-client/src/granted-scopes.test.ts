import { Secret } from '@dowel/schema';
import { expect, test } from 'vitest';
import { readGrantedScopes } from './granted-scopes.ts';

const accessToken = 'eyJhbGciOiJSUzUxMiJ9.c2VjcmV0.c2lnbmF0dXJl';
const secrets = ['short', 'a,bc', 'a secret of words', accessToken].map((text) => new Secret(text));
const read = (scope: string) => readGrantedScopes(scope, secrets, []);

test('scopes are split at blanks, each once, in their order', () => {
  expect(read(' plugin:notify  plugin:read plugin:notify ')).toEqual([
    'plugin:notify',
    'plugin:read',
  ]);
  expect(read('')).toEqual([]);
  expect(read('https://api.example/scope!#[]~')).toEqual(['https://api.example/scope!#[]~']);
});

test('scopes are split at commas, too, unless a requested scope has one', () => {
  expect(read('plugin:notify,plugin:read, x,,y')).toEqual([
    'plugin:notify',
    'plugin:read',
    'x',
    'y',
  ]);
  expect(readGrantedScopes('x a,b', secrets, ['a,b'])).toEqual(['a,b', 'x']);
  expect(readGrantedScopes('plugin:notify,x', secrets, ['plugin:notify'])).toEqual([
    'plugin:notify',
    'x',
  ]);
});

test.each([
  ['a secret alone', accessToken, []],
  ['a short secret with a comma', 'a,bc plugin:notify', ['plugin:notify']],
  ['a secret between commas', `x,${accessToken},y`, ['x', 'y']],
  ['a secret among scopes', `plugin:notify ${accessToken} x`, ['plugin:notify', 'x']],
  ['a secret with other text around it', `scope=${accessToken}!`, ['scope=', '!']],
  ['a secret of several words', 'plugin:notify a secret of words', ['plugin:notify']],
  ['a long part of a secret', accessToken.slice(3, 25), []],
  ['a short secret', 'short plugin:notify', ['plugin:notify']],
  ['a word that a short secret is part of', 'shortcuts:read', ['shortcuts:read']],
])('%s is dropped from the scopes', (_, scope, expected) => {
  expect(read(scope)).toEqual(expected);
});

test.each([
  ['a line break', 'a\r\nb'],
  ['a quotation mark', 'a"b'],
  ['a backslash', 'a\\b'],
  ['a letter beyond ASCII', 'größe'],
  ['129 characters', 'x'.repeat(129)],
])('a scope that RFC 6749 does not allow (%s) is dropped', (_, scope) => {
  expect(read(`${scope} plugin:notify`)).toEqual(['plugin:notify']);
});

test('at most fifty scopes are kept', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => `s${index}`).join(' ');
  expect(read(many)).toHaveLength(50);
});

test.each([
  ['a secret is the same text', 'short'],
  ['a secret contains it as a long part', accessToken.slice(3, 25)],
  ['a secret is a part of it', `${accessToken}:read`],
  ['fifty other scopes come first', 'plugin:notify'],
])('a requested scope is kept even if %s', (_, requested) => {
  const others = Array.from({ length: 50 }, (_each, index) => `s${index}`).join(' ');

  const granted = readGrantedScopes(`${others} ${requested}`, secrets, [requested, 'not granted']);

  expect(granted).toHaveLength(50);
  expect(granted).toContain(requested);
  expect(granted).not.toContain('not granted');
});
