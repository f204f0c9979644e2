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
  /**
   * The request may still arrive at the server: no answer was read, or one of a gateway that has given
   * up on a server that may not have (RFC 9110 §15.6).
   */
  readonly mayArrive: boolean;
  /** What the server asked for with a passing failure. */
  readonly retryAfterMs: number | undefined;

  constructor(
    reason: string,
    {
      rejected = false,
      mayBeSpent = false,
      mayArrive = mayBeSpent,
      retryAfterMs,
    }: {
      rejected?: boolean;
      mayBeSpent?: boolean;
      mayArrive?: boolean;
      retryAfterMs?: number | undefined;
    } = {},
  ) {
    super(`The token request failed: ${reason}`);
    this.reason = reason;
    this.rejected = rejected;
    this.mayBeSpent = mayBeSpent;
    this.mayArrive = mayArrive;
    this.retryAfterMs = retryAfterMs;
  }
}
