import { StoreError } from '@dowel/installation-store';
import { expect, test } from 'vitest';
import { toApiError } from './errors.ts';

test.each(['DATABASE_UNAVAILABLE', 'KEY_UNKNOWN'] as const)(
  'what the store cannot do now (%s) is 503, and says when to come again',
  (code) => {
    const { status, headers, message } = toApiError(new StoreError(code, 'at db.internal'));

    expect({ status, headers }).toEqual({ status: 503, headers: { 'Retry-After': '5' } });
    expect(message).not.toContain('db.internal');
  },
);

test('a damaged stored value is answered as an internal error', () => {
  expect(toApiError(new StoreError('SECRET_INTEGRITY', 'damaged')).status).toBe(500);
});
