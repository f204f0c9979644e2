export type TokenClientErrorCode =
  /** The installation is gone, or never got a token. The caller cannot help it. */
  | 'GRANT_NOT_FOUND'
  /**
   * The grant is dead and the new access_token event that was asked for has not arrived in time.
   * Try again after `retryAfterSeconds`.
   */
  | 'TOKEN_UNAVAILABLE'
  /**
   * The token endpoint gave no usable answer, or was asked too often; the refresh token is kept.
   * Try again after `retryAfterSeconds`.
   */
  | 'REFRESH_FAILED';

/** Thrown by the token client's calls. */
export class TokenClientError extends Error {
  override readonly name = 'TokenClientError';
  readonly code: TokenClientErrorCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: TokenClientErrorCode,
    message: string,
    options?: ErrorOptions & { retryAfterSeconds?: number },
  ) {
    super(message, options);
    this.code = code;
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
}
