/** The error of a call: what the back end answered, or that no answer arrived. Only a client can create it. */
export abstract class OperationError<Code extends string = string> extends Error {
  override name = 'OperationError';
  /** One of the operation's own codes, or a built-in one. */
  declare readonly code: Code;
  /** The HTTP status; 0 when there was no answer. */
  declare readonly status: number;
  /** When the same call may succeed. Undefined: the back end does not say. */
  declare readonly retryAfterMs?: number;
  /** The operation may have had an effect, so another call may have it twice. */
  declare readonly mayHaveRun: boolean;
}
