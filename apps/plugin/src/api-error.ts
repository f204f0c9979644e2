/** A request to the plug-in's back end that did not succeed. */
export interface ApiErrorDetails {
  /** The back end's message, or ours if it sent none. */
  message: string;
  /** HTTP status; 0 when no answer came. */
  status: number;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

/**
 * `code` is the back end's, or one of ours: `NETWORK_UNREACHABLE` (no answer came: try again),
 * `ANSWER_INVALID` (not the agreed shape), `SESSION_USER_CHANGED` (another person is signed in).
 */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, { message, status, retryAfterSeconds, cause }: ApiErrorDetails) {
    super(message, { cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
