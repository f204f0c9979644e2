/** A request that failed before any of it was written to a connection, so it has had no effect. */
export class RequestNotSentError extends TypeError {
  override readonly name = 'RequestNotSentError';
  readonly code = 'REQUEST_NOT_SENT';
}

/** Returns the error as a {@link RequestNotSentError}; a signal's reason is returned unchanged. */
export function toUnsent(error: unknown): unknown {
  if (!(error instanceof TypeError) || error.cause === undefined) return error;
  return new RequestNotSentError(error.message, { cause: error.cause });
}
