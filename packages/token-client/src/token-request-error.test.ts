import { expect, test } from 'vitest';
import { endingOf, TokenRequestError } from './token-request-error.ts';

test.each([
  ['invalid_grant', 'answered'],
  ['token_endpoint_answered_503', 'answered'],
  ['token_response_invalid', 'answered'],
  ['token_endpoint_unreachable', 'timed out'],
  ['lease_lapsed', 'unknown'],
  ['code_unanswered', 'unknown'],
  ['client_id_not_usable', 'unknown'],
  ['address_not_allowed', 'unknown'],
] as const)(
  'I05: for its gate, a token request that failed with %s is %s',
  async (reason, ending) => {
    expect(await endingOf(Promise.reject(new TokenRequestError(reason)))).toBe(ending);
  },
);

test('I05: for its gate, a token request with tokens is answered, and one with any other error unknown', async () => {
  expect(await endingOf(Promise.resolve({}))).toBe('answered');
  expect(await endingOf(Promise.reject(new Error('disk full')))).toBe('unknown');
});
