/** Faults of one token request. Several fields apply in this order. */
import type { TokenAnswer } from './authorization-server.ts';

export interface TokenFault {
  /** Waits before the request is read. */
  before?: () => Promise<unknown>;
  /** Sends this answer instead, and spends nothing. */
  refusal?: TokenAnswer;
  /** Never answers, and spends nothing. */
  hangs?: boolean;
  /** Waits after the token was spent. */
  after?: () => Promise<unknown>;
  /** Spends the token and ends the connection. */
  isLost?: boolean;
  /** Spends the token and answers something else. */
  change?: (answer: TokenAnswer) => TokenAnswer;
}

export function refuses(
  status: number,
  body: unknown = {},
  headers: Record<string, string> = {},
): TokenFault {
  return { refusal: { status, body, headers } };
}

/** Members that are `undefined` are left out of the answer. */
export function answersWith(changes: Record<string, unknown>): TokenFault {
  return {
    change: (answer) => ({ ...answer, body: { ...(answer.body as object), ...changes } }),
  };
}
