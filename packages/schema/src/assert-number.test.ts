import { expect, test } from 'vitest';
import { assertCount, assertMilliseconds } from './assert-number.ts';

const noNumbers = [NaN, -1, Infinity, '5', null, undefined, {}];

test.each([...noNumbers, 2 ** 31])('%j is not a number of milliseconds', (value) => {
  expect(() => assertMilliseconds(value, 'timeoutMs')).toThrow(
    new TypeError(
      `timeoutMs must be a number of milliseconds from 0 to 2147483647, not ${String(value)}`,
    ),
  );
});

test.each([...noNumbers, 0, 1.5, 2 ** 53])('%j is no count', (value) => {
  expect(() => assertCount(value, 'maxCalls')).toThrow(
    new TypeError(
      `maxCalls must be a whole number from 1 to 9007199254740991, not ${String(value)}`,
    ),
  );
});

test.each([0, 0.5, 2 ** 31 - 1])('%j is a number of milliseconds', (value) => {
  expect(() => assertMilliseconds(value, 'timeoutMs')).not.toThrow();
});

test.each([1, 1_000_000])('%j is a count', (value) => {
  expect(() => assertCount(value, 'maxCalls')).not.toThrow();
});
