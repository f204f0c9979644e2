/** The faults of one request. Several faults happen in the order of these fields. */
import type { TokenAnswer } from './answer-token-request.ts';

export interface AnswerFault {
  /** Waits before the server reads the request. */
  before?: () => Promise<unknown>;
  /** Spends nothing and never answers. */
  hangs?: boolean;
  /** Answers with this instead, and spends nothing. */
  refusal?: TokenAnswer;
  /** Waits after the request was processed, so a code or refresh token is spent. */
  after?: () => Promise<unknown>;
  /** Processes the request, and ends the connection. */
  isLost?: boolean;
  /** Processes the request, sends half of the answer, and ends the connection. */
  isCutOff?: boolean;
  /** Processes the request, and changes the answer. */
  change?: (answer: TokenAnswer) => TokenAnswer;
}

/**
 * Answers a request with its faults.
 *
 * @param answer gets the answer of the server.
 * @returns what the client gets: `hangs` is no answer, `lost` a connection that ends without one.
 */
export async function meetFault(
  fault: AnswerFault,
  answer: () => TokenAnswer | Promise<TokenAnswer>,
): Promise<TokenAnswer | 'hangs' | 'lost'> {
  await fault.before?.();
  if (fault.hangs) return 'hangs';
  if (fault.refusal) return fault.refusal;
  const given = await answer();
  await fault.after?.();
  if (fault.isLost) return 'lost';
  const changed = fault.change?.(given) ?? given;
  return fault.isCutOff ? { ...changed, isCutOff: true } : changed;
}

/** Creates a fault that answers with this and spends nothing. */
export function refuses(
  status: number,
  body: unknown = {},
  headers: Record<string, string> = {},
): AnswerFault {
  return { refusal: { status, body, headers } };
}

/** Creates a fault that changes members of the answer. `undefined` leaves a member out. */
export function answersWith(changes: Record<string, unknown>): AnswerFault {
  return {
    change: (answer) => ({ ...answer, body: { ...(answer.body as object), ...changes } }),
  };
}
