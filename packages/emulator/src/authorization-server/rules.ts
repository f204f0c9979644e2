/**
 * The choices of an authorization server: RFC 6749 leaves them open, and the
 * specification does not show the platform's (Spec §4.2).
 */
import { z } from 'zod';

export const rulesSchema = z.object({
  accessTokenLifetimeSeconds: z.number().int().positive(),
  codeLifetimeSeconds: z.number().int().positive(),
  /** The scopes that new grants get, independent of the requested ones. */
  grantedScopes: z.array(z.string().min(1).max(128)).max(20).readonly(),
  /** Whether the exchange of a code gives a refresh token. */
  givesRefreshToken: z.boolean(),
  /**
   * What a refresh does with its refresh token. `rotate`: replaces and so spends it.
   * `repeat`: answers with the same one. `omit`: answers without one, so the client keeps it (RFC 6749 §6).
   */
  refreshTokens: z.enum(['rotate', 'repeat', 'omit']),
  /** A spent code or refresh token that is presented again ends its grant. */
  reuseEndsGrant: z.boolean(),
  /** For this time a spent refresh token is accepted again, as if its first answer was lost. */
  reuseGraceMs: z.number().int().nonnegative(),
  /** A refresh voids the access token before it. */
  refreshVoidsAccessToken: z.boolean(),
  /** The exchange of a code ends the client's older grants. */
  exchangeEndsOlderGrants: z.boolean(),
});

export type Rules = Readonly<z.infer<typeof rulesSchema>>;

/**
 * The strictest server that is allowed: codes and refresh tokens work once, and presenting one again
 * ends all that came from it (RFC 6749 §4.1.2, §10.4; RFC 9700 §4.14.2).
 */
export const strictRules: Rules = {
  accessTokenLifetimeSeconds: 3_600,
  codeLifetimeSeconds: 60,
  grantedScopes: ['plugin:notify'],
  givesRefreshToken: true,
  refreshTokens: 'rotate',
  reuseEndsGrant: true,
  reuseGraceMs: 0,
  refreshVoidsAccessToken: true,
  exchangeEndsOlderGrants: true,
};

/**
 * The most tolerant server that is allowed: refresh tokens stay, and tokens of older answers work until
 * they expire, as the specification's overlap of old and new access tokens implies (Spec §5). A code
 * still works only once.
 */
export const lenientRules: Rules = {
  ...strictRules,
  refreshTokens: 'repeat',
  reuseEndsGrant: false,
  refreshVoidsAccessToken: false,
  exchangeEndsOlderGrants: false,
};
