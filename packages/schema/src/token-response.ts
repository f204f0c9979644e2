/** The token endpoint's answer, on the wire (Spec §2.3). */
import { z } from 'zod';
import { Secret } from './secret.ts';

const token = z
  .string()
  .min(1)
  .transform((value) => new Secret(value));

export const tokenResponseSchema = z.looseObject({
  access_token: token,
  token_type: z.string().regex(/^bearer$/i),
  /** Optional: the answer may omit it. */
  refresh_token: token.optional(),
  /** Seconds. */
  expires_in: z.number().nonnegative().optional(),
  /** Space-separated (RFC 6749 §3.3). */
  scope: z.string().optional(),
  tenant: z.guid().toLowerCase().optional(),
  jti: z.string().optional(),
});

export type TokenResponse = z.output<typeof tokenResponseSchema>;
/** The token response as it travels, before its secrets are wrapped. */
export type TokenResponsePayload = z.input<typeof tokenResponseSchema>;
