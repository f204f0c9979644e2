import type { Reason } from '@dowel/schema';

/** Why a token request failed: the server's OAuth error code, or one of our words. Holds no secret. */
export class TokenRequestError extends Error {
  override readonly name = 'TokenRequestError';
  readonly reason: Reason;
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
    reason: Reason,
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
