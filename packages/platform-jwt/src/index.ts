/** Verifies that a JWT, an event or an init JWT, is from our platform. Fails closed. */
export { PlatformJwtError, type PlatformJwtReason, platformJwtReasons } from './errors.ts';
export type { RefusalExplanation } from './explain-refusal.ts';
export { hostOfClaims, readClaimedHost } from './jws/claimed-host.ts';
export { readUnverifiedClaims } from './jws/unverified-claims.ts';
export {
  type CachedLocation,
  describeRules,
  type FetchFailure,
  type RuleReport,
  type SignatureKey,
  type TrustReport,
} from './keys/describe-trust.ts';
export { shareKeys } from './keys/key-binding.ts';
export type { KeyLocationMemory } from './keys/known-locations.ts';
export type { Sender } from './keys/sender.ts';
export {
  type KeyLocation,
  keyOrigins,
  parseTrustRules,
  type StaticKeys,
  type TrustRule,
  type TrustRuleOptions,
} from './keys/trust-rules.ts';
export {
  createPlatformJwtVerifier,
  type PlatformJwtVerifier,
  type PlatformJwtVerifierOptions,
  type VerifyEventOptions,
  type VerifyOptions,
} from './verifier.ts';
