/** The token endpoint's response, on the wire (Spec §2.3). */
import { z } from 'zod';
import { bearerText, secretText, uuid } from './claims.ts';
import { withoutPrototypeMembers } from './without-prototype-members.ts';

export const tokenResponseSchema = withoutPrototypeMembers(
  z.looseObject({
    access_token: bearerText.describe('The access token.'),
    token_type: z
      .string()
      .regex(/^[Bb][Ee][Aa][Rr][Ee][Rr]$/)
      .describe('"bearer", in any case (RFC 6749 §5.1).'),
    refresh_token: secretText.optional().describe('The answer may omit it.'),
    expires_in: z
      .number()
      .nonnegative()
      .optional()
      .describe('Lifetime of the access token in seconds.'),
    scope: z.string().optional().describe('Granted scopes, separated by blanks (RFC 6749 §3.3).'),
    tenant: uuid.optional().describe('Tenant identifier.'),
    jti: z.string().optional().describe('Token identifier.'),
  }),
);

/** The scopes of a wire `scope`: separated by blanks (RFC 6749 §3.3). */
export function splitScope(scope: string): string[] {
  return scope.split(' ').filter((name) => name !== '');
}

/** The wire `scope` of several scopes; {@link splitScope} reads it. */
export function joinScopes(scopes: readonly string[]): string {
  return scopes.join(' ');
}

export type TokenResponse = z.output<typeof tokenResponseSchema>;
/** The token response on the wire, before its secrets are wrapped. */
export type TokenResponsePayload = z.input<typeof tokenResponseSchema>;
