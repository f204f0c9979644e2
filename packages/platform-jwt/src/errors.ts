/** Every reason to refuse a JWT: a closed list, so that it can be logged and counted. */
export const platformJwtReasons = [
  /** Not three canonical base64url parts, too long, or without JSON inside. */
  'bad_token_format',
  /** `alg` is not RS256, RS384 or RS512, or not the algorithm of the key. */
  'alg_not_allowed',
  /** A header parameter that could change the verification, or has the wrong type. */
  'header_not_allowed',
  /** `jku` is missing, or is not under a trusted key location. Nothing was fetched. */
  'jku_not_allowed',
  /** The key document could not be loaded: the same JWT may be accepted later. */
  'key_fetch_failed',
  /** The key document was not fetched: too many others were, from unknown locations. */
  'key_fetch_limited',
  /** The document is not an RSA signature key that is strong enough. */
  'key_not_acceptable',
  /** No key of the location verifies the JWT, or the verification itself failed. */
  'signature_invalid',
  /** The issuer is not trusted, or not with this key. */
  'issuer_key_mismatch',
  /** A JWT of another kind than expected. */
  'sub_mismatch',
  /** A claim is missing, ambiguous, of the wrong type, or meant for somebody else. */
  'claims_invalid',
  'expired',
  'not_yet_valid',
] as const;

export type PlatformJwtReason = (typeof platformJwtReasons)[number];

/**
 * Thrown by every verification that does not accept. The reason is for operators; the sender gets
 * only a generic text. The error does not contain the JWT, its claims or the key document.
 */
export class PlatformJwtError extends Error {
  override readonly name = 'PlatformJwtError';
  readonly reason: PlatformJwtReason;

  constructor(reason: PlatformJwtReason, options?: ErrorOptions) {
    super(`The JWT was not accepted: ${reason}`, options);
    this.reason = reason;
  }

  /** Whether the same JWT may be accepted later. */
  get retryable(): boolean {
    return this.reason === 'key_fetch_failed' || this.reason === 'key_fetch_limited';
  }
}

/**
 * Converts any thrown value to a refusal, so that an error in a verification never accepts a JWT.
 *
 * @param reason used when `thrown` is not a refusal already
 */
export function toRefusal(thrown: unknown, reason: PlatformJwtReason): PlatformJwtError {
  return thrown instanceof PlatformJwtError
    ? thrown
    : new PlatformJwtError(reason, { cause: thrown });
}
