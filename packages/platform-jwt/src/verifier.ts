/**
 * From an untrusted string to a typed event or to init claims. The order is: form, algorithm, key
 * location, signature, issuer, kind, claims, time; nothing is fetched before the first three hold.
 */
import {
  type InitClaims,
  initClaimsSchema,
  type LifecycleEvent,
  type LifecycleEventName,
  lifecycleEventSchemas,
} from '@dowel/schema';
import { compactVerify } from 'jose';
import { z } from 'zod';
import { type CompactJws, parseCompactJws } from './compact-jws.ts';
import { PlatformJwtError } from './errors.ts';
import { createKeySource } from './key-source.ts';
import { issuerMatches, keyLocationMatches, type TrustRule } from './trust-rules.ts';

export interface PlatformJwtVerifierOptions {
  trustRules: readonly TrustRule[];
  fetch?: typeof fetch;
  /** Epoch milliseconds. */
  now?: () => number;
  /** How far the platform's clock may be off. Default 300,000. */
  leewayMs?: number;
}

export type PlatformJwtVerifier = ReturnType<typeof createPlatformJwtVerifier>;

/** An event lives about a minute; more than this is not the platform's doing. */
const maxLifetimeSeconds = 3600;

/** What every kind of JWT carries. */
const commonClaimsSchema = z.looseObject({
  iss: z.string(),
  sub: z.string(),
  iat: z.number(),
  exp: z.number(),
});

export function createPlatformJwtVerifier({
  trustRules,
  fetch = globalThis.fetch,
  now = Date.now,
  leewayMs = 300_000,
}: PlatformJwtVerifierOptions) {
  const keys = createKeySource({ fetch, now });

  async function verify(jwt: string, sub: string): Promise<unknown> {
    const jws = parseCompactJws(jwt);
    const rules = rulesForKeyLocation(jws.jku);
    await verifySignature(jwt, jws, jws.jku ?? '');
    const claims = parseClaims(commonClaimsSchema, jws.payload);
    if (!rules.some((rule) => issuerMatches(rule, claims.iss))) {
      throw new PlatformJwtError('issuer_key_mismatch');
    }
    if (claims.sub !== sub) throw new PlatformJwtError('sub_mismatch');
    assertTimely(claims.iat, claims.exp);
    return claims;
  }

  function rulesForKeyLocation(jku: string | undefined): TrustRule[] {
    const rules = trustRules.filter((rule) => jku !== undefined && keyLocationMatches(rule, jku));
    if (rules.length === 0) throw new PlatformJwtError('jku_not_allowed');
    return rules;
  }

  async function verifySignature(jwt: string, jws: CompactJws, jku: string): Promise<void> {
    const { alg, key } = await keys.get(jku);
    if (alg !== jws.alg) throw new PlatformJwtError('alg_not_allowed');
    try {
      await compactVerify(jwt, key, { algorithms: [alg] });
    } catch (cause) {
      throw new PlatformJwtError('signature_invalid', { cause });
    }
  }

  function assertTimely(iat: number, exp: number): void {
    const nowSeconds = now() / 1000;
    const leewaySeconds = leewayMs / 1000;
    if (exp < iat || exp - iat > maxLifetimeSeconds) throw new PlatformJwtError('claims_invalid');
    if (iat > nowSeconds + leewaySeconds) throw new PlatformJwtError('not_yet_valid');
    if (exp < nowSeconds - leewaySeconds) throw new PlatformJwtError('expired');
  }

  return {
    /**
     * Verifies an event that arrived at the URL of `event` (Spec §4.1, §5).
     *
     * @throws PlatformJwtError with the reason of the first check that failed.
     */
    async verifyEvent(jwt: string, event: LifecycleEventName): Promise<LifecycleEvent> {
      return parseClaims(lifecycleEventSchemas[event], await verify(jwt, event));
    },

    /**
     * Verifies the init JWT that a user's browser presents.
     *
     * @throws PlatformJwtError with the reason of the first check that failed.
     */
    async verifyInit(jwt: string): Promise<InitClaims> {
      return parseClaims(initClaimsSchema, await verify(jwt, 'init'));
    },
  };
}

function parseClaims<Schema extends z.ZodType>(schema: Schema, payload: unknown): z.output<Schema> {
  const parsed = schema.safeParse(payload);
  // The zod error is left out on purpose: a claim's value may be a secret.
  if (!parsed.success) throw new PlatformJwtError('claims_invalid');
  return parsed.data;
}
