/** The claims of every kind of JWT, and their rules (RFC 7519 §4.1, RFC 8725). */
import { z } from 'zod';
import { PlatformJwtError } from '../errors.ts';
import type { JsonObject } from './strict-json.ts';

/** An event is valid for about a minute, and never for more than an hour. */
const maxLifetimeSeconds = 3600;

const commonClaimsSchema = z.looseObject({
  sub: z.string(),
  /** Seconds since the epoch, as `exp` and `nbf` are. */
  iat: z.number(),
  exp: z.number(),
  nbf: z.number().optional(),
  aud: z.union([z.string(), z.array(z.string())]).optional(),
});

export interface ClaimExpectations {
  sub: string;
  /** Our names. A JWT without `aud` is for every receiver that trusts its issuer. */
  audience: readonly string[];
  /** Epoch milliseconds. */
  nowMs: number;
  leewayMs: number;
}

/** @throws PlatformJwtError `claims_invalid`, `sub_mismatch`, `not_yet_valid` or `expired` */
export function assertClaims(payload: JsonObject, expected: ClaimExpectations): void {
  const { sub, aud, ...times } = parseClaims(commonClaimsSchema, payload);
  // control A09
  if (sub !== expected.sub) throw new PlatformJwtError('sub_mismatch');
  if (aud !== undefined && ![aud].flat().some((name) => expected.audience.includes(name))) {
    throw new PlatformJwtError('claims_invalid');
  }
  assertTimely(times, expected);
}

function assertTimely(
  { iat, exp, nbf = iat }: { iat: number; exp: number; nbf?: number | undefined },
  { nowMs, leewayMs }: ClaimExpectations,
): void {
  const earliest = (nowMs - leewayMs) / 1000;
  const latest = (nowMs + leewayMs) / 1000;
  if (exp < iat || exp - iat > maxLifetimeSeconds) throw new PlatformJwtError('claims_invalid');
  if (Math.max(iat, nbf) > latest) throw new PlatformJwtError('not_yet_valid');
  if (exp < earliest) throw new PlatformJwtError('expired');
}

/** The error does not contain the schema's issues, because a claim's value may be a secret. */
export function parseClaims<Schema extends z.ZodType>(
  schema: Schema,
  payload: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(payload);
  if (!parsed.success) throw new PlatformJwtError('claims_invalid');
  return parsed.data;
}
