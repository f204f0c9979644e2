/**
 * Why a JWT was not believed. The reason is for logs, metrics and operators; the sender learns only
 * a generic text. No error carries the token, its claims or the key document.
 */
export type PlatformJwtReason =
  /** Not three canonical base64url parts, too long, or no JSON inside. */
  | 'bad_token_format'
  /** `alg` is not RS256, RS384 or RS512. */
  | 'alg_not_allowed'
  /** A header parameter that could change how the token is verified. */
  | 'header_not_allowed'
  /** `jku` is missing or under no trusted key location. Nothing was fetched. */
  | 'jku_not_allowed'
  /** The key document could not be loaded: try again later. */
  | 'key_fetch_failed'
  /** The document is not an RSA signature key of enough strength for this algorithm. */
  | 'key_not_acceptable'
  | 'signature_invalid'
  /** The issuer is trusted with other keys only, or not at all. */
  | 'issuer_key_mismatch'
  /** A token of one kind where another is expected. */
  | 'sub_mismatch'
  /** A required claim is missing or of the wrong shape. */
  | 'claims_invalid'
  | 'expired'
  | 'not_yet_valid';

/** Thrown by every verification; `reason` says which check failed, `retryable` whether later may help. */
export class PlatformJwtError extends Error {
  override readonly name = 'PlatformJwtError';
  readonly reason: PlatformJwtReason;

  constructor(reason: PlatformJwtReason, options?: ErrorOptions) {
    super(`The JWT was not accepted: ${reason}`, options);
    this.reason = reason;
  }

  get retryable(): boolean {
    return this.reason === 'key_fetch_failed';
  }
}
