import { expect, test } from 'vitest';
import { findPlace } from './describe-end.ts';

test.each([
  [
    'a stack of Node',
    ['Error: no', '    at run (file:///lunch/server/main.ts:3:7)'],
    'server/main.ts:3:7',
  ],
  [
    'a stack that begins in a package',
    [
      '    at check (file:///lunch/node_modules/zod/index.js:1:1)',
      '    at /lunch/server.js:9:1',
      '    at file:///lunch/main.js:1:1',
    ],
    'server.js:9:1',
  ],
  [
    'an error of syntax in Node',
    ['node:internal/modules/run_main:107', 'file:///lunch/server/main.ts:54', 'SyntaxError: no'],
    'server/main.ts:54',
  ],
  [
    'a traceback of Python, whose last call is the newest',
    ['  File "/lunch/app.py", line 9, in <module>', '  File "/lunch/app.py", line 3, in read'],
    'app.py:3',
  ],
  ['a file of somebody else', ['    at run (file:///other/main.ts:3:7)'], ''],
  ['no stack', ['It is closed today'], ''],
])('the place of %s is the line of the author', (_name, errors, place) => {
  expect(findPlace(errors, '/lunch')).toBe(place);
});
