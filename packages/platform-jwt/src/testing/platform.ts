/** A platform with a real key on a real key host, and the verifier of a plug-in that trusts it. */

import { startHttpHost } from '@dowel/http/testing';
import { PlatformJwtError, type PlatformJwtReason } from '../errors.ts';
import { parseTrustRules } from '../keys/trust-rules.ts';
import { createPlatformJwtVerifier, type PlatformJwtVerifierOptions } from '../verifier.ts';
import { createSigningKey, type JwtPart, type SigningKey, signParts } from './signing-key.ts';

export const issuer = 'https://acme.platform.example';
export const tenantId = 'd290f1ee-6c54-4b01-90e6-d701748f0851';
export const pluginId = '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de';

/** Starts of claims, for tests that change some of them. */
export function installClaims(nowMs = Date.now()): Record<string, unknown> {
  const iat = Math.floor(nowMs / 1000);
  return { iss: issuer, sub: 'install', iat, exp: iat + 60, tenantId, pluginId };
}

export function initClaims(nowMs = Date.now()): Record<string, unknown> {
  const { iss, iat, exp } = installClaims(nowMs);
  const context = { 'ctx.tenantId': tenantId, 'ctx.userId': 'u-1', 'ctx.userName': 'Ada' };
  return { iss, sub: 'init', iat, exp, jti: 'nonce', ...context };
}

export interface SignOptions {
  header?: Record<string, unknown>;
  key?: SigningKey;
}

export type TestPlatform = Awaited<ReturnType<typeof startTestPlatform>>;

export async function startTestPlatform() {
  const host = await startHttpHost();
  const key = createSigningKey();
  const location = host.serve('/keys/acme.jwk.json', key.document);
  const trust = `https://*.platform.example=${host.origin}/keys/`;
  const header = { alg: key.alg, typ: 'JWT', jku: location };

  return {
    host,
    key,
    location,
    trust,
    header,
    createVerifier(options: Partial<PlatformJwtVerifierOptions> = {}) {
      return createPlatformJwtVerifier({ trustRules: parseTrustRules(trust), ...options });
    },
    /** Signs any claims like the platform. */
    sign(payload: JwtPart, options: SignOptions = {}): string {
      return signParts({ ...header, ...options.header }, payload, options.key ?? key);
    },
    signInstall(changes: Record<string, unknown> = {}, options: SignOptions = {}): string {
      const payload = { ...installClaims(), ...changes };
      return signParts({ ...header, ...options.header }, payload, options.key ?? key);
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}

/** The reason of a refusal; anything else that is thrown fails the test. */
export async function verdictOf(
  verification: Promise<unknown>,
): Promise<PlatformJwtReason | 'accepted'> {
  try {
    await verification;
    return 'accepted';
  } catch (error) {
    if (error instanceof PlatformJwtError) return error.reason;
    throw error;
  }
}
