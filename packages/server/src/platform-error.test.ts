import { expect, test } from 'vitest';
import { PlatformError } from './platform-error.ts';

test.each([Number.NaN, -1, Infinity, '5' as never])('an error has no time %j', (retryAfterMs) => {
  expect(() => new PlatformError('PLATFORM_BUSY', 'Busy', { retryAfterMs })).toThrow(
    'retryAfterMs must be a number of milliseconds',
  );
});

test('an error may have no time, or 0', () => {
  expect(new PlatformError('PLATFORM_BUSY', 'Busy').retryAfterMs).toBeUndefined();
  expect(new PlatformError('PLATFORM_BUSY', 'Busy', { retryAfterMs: 0 }).retryAfterMs).toBe(0);
});
