/** A client and its grants in a snapshot. Points in time are by the server's clock. */
import { z } from 'zod';

const accessTokenSchema = z.object({ value: z.string(), expiresAt: z.number() });

/** The tokens that came from one code. */
const grantSchema = z.object({
  code: z.string(),
  codeExpiresAt: z.number(),
  exchanged: z.boolean(),
  scopes: z.array(z.string()),
  accessToken: accessTokenSchema.nullable(),
  /** Older tokens that are still valid under lenient rules. */
  olderAccessTokens: z.array(accessTokenSchema),
  refreshToken: z.string().nullable(),
  spentRefreshTokens: z.array(z.object({ value: z.string(), spentAt: z.number() })),
});

/** The client of an installation. */
export const clientSchema = z.object({
  pluginId: z.string(),
  clientId: z.string(),
  clientSecret: z.string(),
  triggerToken: z.string(),
  grants: z.array(grantSchema),
});

export type Grant = z.infer<typeof grantSchema>;
export type Client = z.infer<typeof clientSchema>;
