import { expect, test } from 'vitest';
import { renewsFrom } from './token-expiry.ts';

test('a token is renewed ten seconds before its end', () => {
  expect(renewsFrom({ issuedAt: 0, expiresAt: 60_000 })).toBe(50_000);
});

test('a short token is renewed after half of its life', () => {
  expect(renewsFrom({ issuedAt: 1_000, expiresAt: 5_000 })).toBe(3_000);
});

test('a token that ended before it was issued is renewed at its end', () => {
  expect(renewsFrom({ issuedAt: 5_000, expiresAt: 1_000 })).toBe(1_000);
});
