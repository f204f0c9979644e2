/**
 * Claims of the init JWT that the platform's page hands to the plug-in's iframe. Names are flat,
 * with dots; which `ctx.*` arrive is asked for in the manifest's `context`.
 */
import { z } from 'zod';

export const initClaimsSchema = z.looseObject({
  iss: z.url({ protocol: /^https?$/ }).max(2048),
  sub: z.literal('init'),
  /** The nonce that the iframe chose. */
  jti: z.string().min(1).max(256),
  /** Seconds since the epoch. */
  iat: z.number().int().nonnegative(),
  exp: z.number().int().nonnegative(),
  'ctx.tenantId': z.guid().toLowerCase(),
  'ctx.userId': z.string().min(1).max(256),
  'ctx.userName': z.string().max(256).optional(),
  'ctx.userEmail': z.string().max(320).optional(),
  'ctx.userLanguage': z.string().max(35).optional(),
});

export type InitClaims = z.infer<typeof initClaimsSchema>;
