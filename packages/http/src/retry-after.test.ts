import { expect, test } from 'vitest';
import { parseRetryAfter } from './retry-after.ts';

const now = Date.UTC(2026, 0, 1, 12, 0, 0);

test.each([
  ['0', 0],
  ['7', 7_000],
  [' 7 ', 7_000],
  ['999999999', 999_999_999_000],
  ['Thu, 01 Jan 2026 12:01:30 GMT', 90_000],
  ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
])('Retry-After %j is a wait of %i ms', (header, ms) => {
  expect(parseRetryAfter(header, now)).toBe(ms);
});

test.each([
  null,
  '',
  '-5',
  '1e9',
  '7.5',
  '7, 8',
  '9'.repeat(400),
  '7\r\nSet-Cookie: a=b',
  'Xxx, 99 Jan 2026 12:00:00 GMT',
  'Invalid Date',
  '2026-01-01',
  'Jan 1 2027',
  'Thu, 01 Jan 2026 12:01:30 +0100',
])('Retry-After %j is ignored', (header) => {
  expect(parseRetryAfter(header, now)).toBeUndefined();
});
