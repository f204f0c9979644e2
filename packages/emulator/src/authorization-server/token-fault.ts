/** The faults of one token request. Several faults happen in the order of these fields. */
import type { TokenAnswer } from './answer-token-request.ts';

export interface TokenFault {
  /** Waits before the server reads the request. */
  before?: () => Promise<unknown>;
  /** Spends nothing and never answers. */
  hangs?: boolean;
  /** Answers with this instead, and spends nothing. */
  refusal?: TokenAnswer;
  /** Waits after the code or refresh token was spent. */
  after?: () => Promise<unknown>;
  /** Spends the code or refresh token, and ends the connection. */
  isLost?: boolean;
  /** Spends the code or refresh token, and changes the answer. */
  change?: (answer: TokenAnswer) => TokenAnswer;
}

/**
 * Answers a request with its faults.
 *
 * @param answer gets the answer of the authorization server.
 * @returns what the client gets: `hangs` is no answer, `lost` a connection that ends without one.
 */
export async function meetFault(
  fault: TokenFault,
  answer: () => TokenAnswer | Promise<TokenAnswer>,
): Promise<TokenAnswer | 'hangs' | 'lost'> {
  await fault.before?.();
  if (fault.hangs) return 'hangs';
  if (fault.refusal) return fault.refusal;
  const given = await answer();
  await fault.after?.();
  return fault.isLost ? 'lost' : (fault.change?.(given) ?? given);
}

/** Creates a fault that answers with this and spends nothing. */
export function refuses(
  status: number,
  body: unknown = {},
  headers: Record<string, string> = {},
): TokenFault {
  return { refusal: { status, body, headers } };
}

/** Creates a fault that changes members of the answer. `undefined` leaves a member out. */
export function answersWith(changes: Record<string, unknown>): TokenFault {
  return {
    change: (answer) => ({ ...answer, body: { ...(answer.body as object), ...changes } }),
  };
}
