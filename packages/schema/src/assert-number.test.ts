import { expect, test } from 'vitest';
import { assertCount, assertMilliseconds, assertTimeLimit } from './assert-number.ts';

const noNumbers: [unknown, string][] = [
  [NaN, 'NaN'],
  [-1, '-1'],
  [Infinity, 'Infinity'],
  ['5', 'the text "5"'],
  [null, 'null'],
  [undefined, 'undefined'],
  [Object.create(null), 'an object'],
];

test.each([...noNumbers, [2 ** 31, '2147483648']])(
  '%j is not a number of milliseconds',
  (value, text) => {
    expect(() => assertMilliseconds(value, 'timeoutMs')).toThrow(
      new TypeError(`timeoutMs must be a number of milliseconds from 0 to 2147483647, not ${text}`),
    );
  },
);

test.each([...noNumbers, [0, '0'], [1.5, '1.5'], [2 ** 53, '9007199254740992']])(
  '%j is no count',
  (value, text) => {
    expect(() => assertCount(value, 'maxCalls')).toThrow(
      new TypeError(`maxCalls must be a whole number from 1 to 9007199254740991, not ${text}`),
    );
  },
);

test.each([...noNumbers, [0, '0'], [1.5, '1.5'], [10_001, '10001']])(
  '%j is no time limit',
  (value, text) => {
    expect(() => assertTimeLimit(value, 'timeoutMs', 10_000)).toThrow(
      new TypeError(
        `timeoutMs must be a whole number of milliseconds from 1 to 10000, not ${text}`,
      ),
    );
  },
);

test('a time limit is at most as long as a timer can wait', () => {
  expect(() => assertTimeLimit(2 ** 31, 'timeoutMs')).toThrow(TypeError);
  for (const value of [1, 10_000, 2 ** 31 - 1]) {
    expect(() => assertTimeLimit(value, 'timeoutMs')).not.toThrow();
  }
});

test.each([0, 0.5, 2 ** 31 - 1])('%j is a number of milliseconds', (value) => {
  expect(() => assertMilliseconds(value, 'timeoutMs')).not.toThrow();
});

test.each([1, 1_000_000])('%j is a count', (value) => {
  expect(() => assertCount(value, 'maxCalls')).not.toThrow();
});
