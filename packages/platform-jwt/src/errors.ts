/** Every reason to refuse a JWT, for logs and metrics: a closed list, so that it can be a label. */
export const platformJwtReasons = [
  /** Not three canonical base64url parts, too long, or no JSON inside. */
  'bad_token_format',
  /** `alg` is not RS256, RS384 or RS512, or not the algorithm of the key. */
  'alg_not_allowed',
  /** A header parameter that could change how the JWT is verified, or one of the wrong shape. */
  'header_not_allowed',
  /** `jku` is missing or under no trusted key location. Nothing was fetched. */
  'jku_not_allowed',
  /** The key document could not be loaded: the same JWT may be believed later. */
  'key_fetch_failed',
  /** The key document was not asked for: too many others were, of locations that nobody has vouched for. */
  'key_fetch_limited',
  /** The document is not an RSA signature key of enough strength. */
  'key_not_acceptable',
  /** No key of the location verifies it, or the verification itself failed. */
  'signature_invalid',
  /** The issuer is trusted with other keys only, or not at all. */
  'issuer_key_mismatch',
  /** A JWT of one kind where another is expected. */
  'sub_mismatch',
  /** A claim is missing, ambiguous, of the wrong shape, or meant for somebody else. */
  'claims_invalid',
  'expired',
  'not_yet_valid',
] as const;

export type PlatformJwtReason = (typeof platformJwtReasons)[number];

/**
 * Thrown by every verification that does not accept. The reason is for operators; the sender learns
 * only a generic text. Holds neither the JWT nor its claims nor the key document.
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
 * Whatever `thrown` is, as a refusal: no error inside a verification accepts.
 *
 * @param reason what a thrown value counts as that is no refusal already
 */
export function toRefusal(thrown: unknown, reason: PlatformJwtReason): PlatformJwtError {
  return thrown instanceof PlatformJwtError
    ? thrown
    : new PlatformJwtError(reason, { cause: thrown });
}
