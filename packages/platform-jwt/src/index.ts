/** Is this JWT from our platform? Events and init tokens alike; fails closed. */
export { PlatformJwtError, type PlatformJwtReason } from './errors.ts';
export { isTrustedIssuer, parseTrustRules, type TrustRule } from './trust-rules.ts';
export {
  createPlatformJwtVerifier,
  type PlatformJwtVerifier,
  type PlatformJwtVerifierOptions,
} from './verifier.ts';
