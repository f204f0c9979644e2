import { expect, test } from 'vitest';
import { PlatformError } from './platform-error.ts';

const timeOf = (retryAfterMs?: unknown) =>
  new PlatformError('PLATFORM_BUSY', 'Busy', { retryAfterMs: retryAfterMs as number }).retryAfterMs;

test.each([Number.NaN, -1, Infinity, '5', null])('%j is no time, so it is not known', (value) => {
  expect(timeOf(value)).toBeUndefined();
});

test.each([0, 0.5, 60_000])('%d ms is a time', (ms) => {
  expect(timeOf(ms)).toBe(ms);
});
