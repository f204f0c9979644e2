import type { Reason } from '@dowel/schema';
import type { RequestEnding } from './fair-gate.ts';

/** A token request failed. The reason is the server's OAuth error code, or one of ours. Contains no secret. */
export class TokenRequestError extends Error {
  override readonly name = 'TokenRequestError';
  readonly reason: Reason;
  /** A final refusal: the same code or token must not be presented again. */
  readonly rejected: boolean;
  /** The server may have used the code or refresh token, and no tokens of its answer can be used. */
  readonly mayBeSpent: boolean;
  /**
   * The request may still arrive at the server: there was no answer, or a gateway gave up on a server that
   * may continue (RFC 9110 §15.6).
   */
  readonly mayArrive: boolean;
  /** The server's Retry-After with a temporary failure. */
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

/** Reasons of requests that were not sent. */
const unsentReasons: ReadonlySet<Reason> = new Set<Reason>([
  'lease_lapsed',
  'code_unanswered',
  'client_id_not_usable',
  'address_not_allowed',
]);

/** Returns how a token request ended, as its gate needs it. */
export async function endingOf(request: Promise<unknown>): Promise<RequestEnding> {
  try {
    await request;
    return 'answered';
  } catch (error) {
    if (!(error instanceof TokenRequestError) || unsentReasons.has(error.reason)) return 'unknown';
    return error.reason === 'token_endpoint_unreachable' ? 'timed out' : 'answered';
  }
}
