/** The one place that maps an error to an HTTP answer. */
import { StoreError } from '@dowel/installation-store';
import { isEndOf, PlatformError, type PlatformErrorCode } from './platform-error.ts';

const statuses = {
  /** The body or a field of it is wrong; the message names it. */
  BAD_REQUEST: 400,
  /** The platform rejected the notification: unknown recipient, or unacceptable text. */
  NOTIFICATION_REFUSED: 400,
  /** The name or password is wrong, or the code of a link is wrong, used or too old. */
  SIGN_IN_FAILED: 401,
  /** No operator is signed in. */
  SIGN_IN_REQUIRED: 401,
  /** The iframe's session is unknown, expired or ended; a new init JWT opens another. */
  SESSION_INVALID: 401,
  /** A state-changing request that does not come from the dashboard's own pages. */
  CSRF: 403,
  /** The present password of the account is another one. */
  PASSWORD_WRONG: 403,
  /** The operator's role does not allow this. */
  ROLE_MISSING: 403,
  /** The init JWT opens no session here. */
  SESSION_REFUSED: 403,
  /** The init JWT answers no fresh nonce of ours: ask for one before the handshake. */
  SESSION_NONCE_REQUIRED: 403,
  /** The installation was not granted the scope that this call needs. */
  SCOPE_MISSING: 403,
  NOT_FOUND: 404,
  /** This feature is switched off on the tenant's platform. */
  FEATURE_NOT_AVAILABLE: 404,
  METHOD_NOT_ALLOWED: 405,
  /** The option `config` refuses the widget's settings: configure the widget. */
  CONFIG_INVALID: 409,
  /** There is an account of this name already: choose another name. */
  ACCOUNT_EXISTS: 409,
  /** A run of the same action is under way, in any process: wait for its end, or stop it. */
  RUN_UNDER_WAY: 409,
  BODY_TOO_LARGE: 413,
  BAD_MEDIA_TYPE: 415,
  /** Too many refused requests from one address; try again after `Retry-After`. */
  TOO_MANY_ATTEMPTS: 429,
  /** Too many calls or notifications of this user, this tenant or this process; try again after `Retry-After`. */
  RATE_LIMITED: 429,
  /** The tenant's platform limits our calls; try again after `Retry-After`. */
  PLATFORM_LIMITED: 429,
  INTERNAL_ERROR: 500,
  /** The host framework had read the body before us; the log names the fix. */
  BODY_ALREADY_READ: 500,
  /** The tenant's platform sent an unexpected answer or none. */
  PLATFORM_FAILED: 502,
  /** The tenant's platform received the call; it is unknown whether it acted on it. */
  OUTCOME_UNKNOWN: 502,
  /** The tenant's platform answered 503 with a time: try again after `Retry-After`. */
  PLATFORM_BUSY: 503,
  /** Too much load, or a key host or database is down; try again after `Retry-After`. */
  OVERLOADED: 503,
  /** The operator's last export, or two of others, run in this process: wait for the end of one. */
  EXPORT_UNDER_WAY: 503,
  /** The plug-in's access is being renewed, or its first tokens have not come; try again after `Retry-After`. */
  ACCESS_UNAVAILABLE: 503,
  /** An operator has paused the plug-in in this tenant. Nothing was sent. */
  INSTALLATION_PAUSED: 503,
  /** The operation did not end in its time; it may have had an effect. */
  TIMED_OUT: 504,
} as const;

export type ApiErrorCode = keyof typeof statuses;

/** Codes that no operation may use for an error of its own. The last two exist in the browser only. */
export const builtInCodes: ReadonlySet<string> = new Set([
  ...Object.keys(statuses),
  'NO_ANSWER',
  'ABORTED',
]);

/** Becomes the answer `{code, message}` with the code's status. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  readonly headers: Record<string, string>;

  constructor(
    code: ApiErrorCode,
    message: string,
    { headers = {}, ...options }: ErrorOptions & { headers?: Record<string, string> } = {},
  ) {
    super(message, options);
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return statuses[this.code];
  }
}

/** The body of an answer to the platform. It accepts 200 characters. */
export function bodyForPlatform({ status, message }: ApiError) {
  return { code: status, message: message.slice(0, 200) };
}

/** The installation of a request's session. */
export interface SessionInstallation {
  id: string;
  generation: number;
}

/**
 * Converts any thrown value. Unknown errors become INTERNAL_ERROR without details.
 *
 * @param own its end is SESSION_INVALID; the end of another installation is INTERNAL_ERROR
 */
export function toApiError(error: unknown, own?: SessionInstallation): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof PlatformError) return ofPlatform(error, own);
  if (isStoreAway(error)) {
    const headers = { 'Retry-After': String(storeAwayMs / 1_000) };
    return new ApiError('OVERLOADED', 'Try again later', { cause: error, headers });
  }
  if (error instanceof StoreError && error.code === 'CURSOR_INVALID') {
    return new ApiError('BAD_REQUEST', error.message, { cause: error });
  }
  return internalError(error);
}

function ofPlatform(error: PlatformError, own: SessionInstallation | undefined): ApiError {
  const { code, message, retryAfterMs } = error;
  const isOwnEnd = own !== undefined && isEndOf(error, own);
  if (code === 'INSTALLATION_ENDED' && !isOwnEnd) return internalError(error);
  const headers =
    retryAfterMs === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1_000)) };
  return new ApiError(answerCodeOf(code), message, { cause: error, headers });
}

function answerCodeOf(code: PlatformErrorCode): ApiErrorCode {
  if (code === 'INSTALLATION_ENDED') return 'SESSION_INVALID';
  return code === 'ABORTED' ? 'OUTCOME_UNKNOWN' : code;
}

/** When a store that is away may be asked again. */
export const storeAwayMs = 5_000;

/** The database cannot be reached, or this process has no key for a row yet. Both may pass. */
export function isStoreAway(error: unknown): boolean {
  const mayPass = ['DATABASE_UNAVAILABLE', 'KEY_UNKNOWN'];
  return error instanceof StoreError && mayPass.includes(error.code);
}

/** The details are only in the log. */
export function internalError(cause: unknown): ApiError {
  return new ApiError('INTERNAL_ERROR', 'Something went wrong', { cause });
}
