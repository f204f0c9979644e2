/** The token answer, field by field (Spec §2.3). */
import { expect, test } from 'vitest';
import { tokenResponse } from './testing/samples.ts';
import { joinScopes, splitScope, tokenResponseSchema } from './token-response.ts';

const isTaken = (changes: object) =>
  tokenResponseSchema.safeParse({ ...tokenResponse, ...changes }).success;

test('access_token is a text that fits a header, and required', () => {
  expect(tokenResponseSchema.parse(tokenResponse).access_token.reveal()).toBe(
    tokenResponse.access_token,
  );
  for (const value of [undefined, null, '', 1, 'two words', 'a\r\nb']) {
    expect(isTaken({ access_token: value })).toBe(false);
  }
});

test('token_type is bearer, in any case, and required', () => {
  for (const value of ['bearer', 'Bearer', 'BEARER']) {
    expect(isTaken({ token_type: value })).toBe(true);
  }
  for (const value of [undefined, null, '', 'mac', 'dpop', 'bearer ', ['bearer']]) {
    expect(isTaken({ token_type: value })).toBe(false);
  }
});

test('refresh_token, expires_in, scope, tenant and jti may be missing', () => {
  const { access_token, token_type } = tokenResponse;

  expect(tokenResponseSchema.safeParse({ access_token, token_type }).success).toBe(true);
});

test('tenant is a UUID', () => {
  expect(isTaken({ tenant: tokenResponse.tenant.toUpperCase() })).toBe(true);
  for (const value of [null, '', 'acme', 1]) expect(isTaken({ tenant: value })).toBe(false);
});

test('jti is any text', () => {
  for (const value of ['', 'response-1', 'ä'.repeat(1000)]) {
    expect(isTaken({ jti: value })).toBe(true);
  }
  for (const value of [null, 1, ['response-1']]) expect(isTaken({ jti: value })).toBe(false);
});

test('a scope is split at its blanks, and joined again', () => {
  expect(splitScope('plugin:notify  user:read ')).toEqual(['plugin:notify', 'user:read']);
  expect(splitScope('')).toEqual([]);
  expect(joinScopes(['plugin:notify', 'user:read'])).toBe('plugin:notify user:read');
});
