/** Why a token request failed: the server's OAuth error code, or one of our words. Holds no secret. */
export class TokenRequestError extends Error {
  override readonly name = 'TokenRequestError';
  /**
   * `invalid_grant`, `invalid_client`, …, or `token_response_invalid`, `token_tenant_mismatch`,
   * `token_endpoint_unreachable`, `token_endpoint_answered_<status>`, `address_not_allowed`,
   * `client_id_not_usable`, `scope_missing`, `lease_lapsed`, `code_unanswered`.
   */
  readonly reason: string;
  /** A definitive no: the same code or token must not be presented again, no tokens will come. */
  readonly rejected: boolean;
  /** The request may have reached the server, and no answer was read. */
  readonly mayBeSpent: boolean;
  /** What the server asked for with a passing failure. */
  readonly retryAfterMs: number | undefined;

  constructor(
    reason: string,
    {
      rejected = false,
      mayBeSpent = false,
      retryAfterMs,
    }: {
      rejected?: boolean;
      mayBeSpent?: boolean;
      retryAfterMs?: number | undefined;
    } = {},
  ) {
    super(`The token request failed: ${reason}`);
    this.reason = reason;
    this.rejected = rejected;
    this.mayBeSpent = mayBeSpent;
    this.retryAfterMs = retryAfterMs;
  }
}
