export type TokenClientErrorCode =
  /** The installation, or the life of it that the call named, has ended, or never got a token. The caller can do nothing. */
  | 'GRANT_NOT_FOUND'
  /** An operator has paused the installation. Nothing was sent. It fails until the operator resumes it. */
  | 'INSTALLATION_PAUSED'
  /**
   * The platform has not received the call: the grant is dead and the requested access_token event has not
   * arrived in time, or the call's own time limit has passed. Try again after `retryAfterSeconds`.
   */
  | 'TOKEN_UNAVAILABLE'
  /**
   * The token endpoint gave no usable answer, or there were too many requests. The refresh token is kept. The
   * cause is the TokenRequestError, if this process got one. Try again after `retryAfterSeconds`.
   */
  | 'REFRESH_FAILED'
  /** Too many calls of this process or installation wait for tokens. Try again after `retryAfterSeconds`. */
  | 'TOO_MANY_WAITING'
  /**
   * The call was not sent: earlier calls of its installation, or of many others at the same origin, got no
   * answer and left no place in time. Try again after `retryAfterSeconds`.
   */
  | 'TOO_MANY_UNANSWERED'
  /** The call was sent but not answered in time. The platform may or may not have acted on it. */
  | 'CALL_TIMED_OUT';

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

export function grantNotFound(): TokenClientError {
  return new TokenClientError('GRANT_NOT_FOUND', 'The installation has no token');
}

export function installationPaused(): TokenClientError {
  return new TokenClientError('INSTALLATION_PAUSED', 'An operator has paused the installation');
}

/** @param retryInMs rounded up to whole seconds, at least one. */
export function temporaryError(
  code: Exclude<TokenClientErrorCode, 'GRANT_NOT_FOUND' | 'INSTALLATION_PAUSED'>,
  message: string,
  retryInMs: number,
  cause?: unknown,
): TokenClientError {
  const retryAfterSeconds = Math.max(1, Math.ceil(retryInMs / 1000));
  return new TokenClientError(code, message, { retryAfterSeconds, cause });
}

/** The database cannot be used now. */
export function isDatabaseAway(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'DATABASE_UNAVAILABLE';
}

/** The database does not answer, as in a failover. One that is read-only or full may stay so for hours. */
export function mayPassSoon(error: unknown): boolean {
  return isDatabaseAway(error) && (error as { lack?: unknown }).lack === 'answers';
}

/** A stored secret does not decrypt. */
export function isDamaged(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'SECRET_INTEGRITY';
}
