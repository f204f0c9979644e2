/** Why a token request failed: the server's OAuth error code, or one of our words. Holds no secret. */
export class TokenRequestError extends Error {
  override readonly name = 'TokenRequestError';
  /**
   * `invalid_grant`, `invalid_client`, …, or `token_response_invalid`, `token_tenant_mismatch`,
   * `token_endpoint_unreachable`, `token_endpoint_answered_<status>`, `address_not_allowed`,
   * `client_id_not_usable`.
   */
  readonly reason: string;
  /** An answer was read, so the same code or token must not be presented again: no tokens will come. */
  readonly rejected: boolean;

  constructor(reason: string, rejected: boolean, options?: ErrorOptions) {
    super(`The token request failed: ${reason}`, options);
    this.reason = reason;
    this.rejected = rejected;
  }
}
