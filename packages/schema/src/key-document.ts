/**
 * The documents behind a `jku`. The platform's is not a JWKS, but one JWK together with the WebCrypto name of
 * its algorithm; other platforms publish a bare JWK or a JWKS (RFC 7517). Source: the platform's
 * published key files, recorded in docs/decisions/0002-event-keys.md. This file has only the shapes; packages/platform-jwt
 * checks whether a key is good enough.
 */
import { z } from 'zod';

/** Base64url of an unsigned big-endian integer (RFC 7518 §2). */
const bigInteger = z
  .string()
  .max(2048)
  .regex(/^[A-Za-z0-9_-]+$/);

/** A JWK of any type: the members that all keys of a JWKS have (RFC 7517 §4). */
const jwkSchema = z.looseObject({
  kty: z.string(),
  alg: z.string().optional(),
  use: z.string().optional(),
  key_ops: z.array(z.string()).optional(),
  kid: z.string().max(256).optional(),
});

/** An RSA key (RFC 7518 §6.3). */
export const rsaJwkSchema = jwkSchema.extend({
  kty: z.literal('RSA'),
  n: bigInteger,
  e: bigInteger,
});

export const jwksSchema = z.looseObject({ keys: z.array(jwkSchema) });

export const keyDocumentSchema = z.looseObject({
  alg: z.looseObject({
    name: z.literal('RSASSA-PKCS1-v1_5'),
    hash: z.looseObject({ name: z.enum(['SHA-256', 'SHA-384', 'SHA-512']) }),
  }),
  key: rsaJwkSchema,
});

export type Jwk = z.infer<typeof jwkSchema>;
export type RsaJwk = z.infer<typeof rsaJwkSchema>;
export type KeyDocument = z.infer<typeof keyDocumentSchema>;
