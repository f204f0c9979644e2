/**
 * The document behind a `jku`: not a JWKS, but one JWK beside the WebCrypto name of its algorithm.
 * Source: the platform's published key files, recorded in docs/decisions/0002-event-keys.md.
 */
import { z } from 'zod';

export const rsaJwkSchema = z.looseObject({
  kty: z.literal('RSA'),
  n: z.string().regex(/^[A-Za-z0-9_-]+$/),
  e: z.string().regex(/^[A-Za-z0-9_-]+$/),
  alg: z.enum(['RS256', 'RS384', 'RS512']),
  use: z.literal('sig').optional(),
});

export const keyDocumentSchema = z.looseObject({
  alg: z.looseObject({
    name: z.literal('RSASSA-PKCS1-v1_5'),
    hash: z.looseObject({ name: z.enum(['SHA-256', 'SHA-384', 'SHA-512']) }),
  }),
  key: rsaJwkSchema,
});

export type RsaJwk = z.infer<typeof rsaJwkSchema>;
export type KeyDocument = z.infer<typeof keyDocumentSchema>;
