/** The failure of an operation, as the page receives it. */
import { StoreError } from '@dowel/installation-store';
import {
  type ApiError,
  internalError,
  type SessionInstallation,
  toApiError,
} from '../base/errors.ts';
import { PlatformError } from '../base/platform-error.ts';
import type { ServerAnswer } from '../request/server-request.ts';

/** Thrown by `fail`; any other error is converted to it. */
export class OperationFault extends Error {
  override readonly name = 'OperationFault';
  readonly code: string;
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  /** The operation may have had an effect. */
  readonly mayHaveRun: boolean;
  readonly headers: Record<string, string>;

  constructor(
    code: string,
    message: string,
    {
      status,
      retryAfterMs,
      mayHaveRun = false,
      headers = {},
      ...options
    }: ErrorOptions & {
      status: number;
      retryAfterMs?: number | undefined;
      mayHaveRun?: boolean;
      headers?: Record<string, string>;
    },
  ) {
    super(message, options);
    this.code = code;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.mayHaveRun = mayHaveRun;
    this.headers = headers;
  }
}

/** How far a call came. */
interface FailedCall {
  /** The operation's own code was running, so an unknown error may have had an effect. */
  hasStarted: boolean;
  /** Undefined: the session was not found. */
  installation: SessionInstallation | undefined;
}

export function toFault(error: unknown, call: FailedCall): OperationFault {
  if (error instanceof OperationFault) return error;
  const { code, status, message, headers, cause } = toAnswered(error, call);
  const isUnknown = code === 'INTERNAL_ERROR';
  const mayHaveRun = isUnknown
    ? call.hasStarted
    : error instanceof PlatformError && error.mayHaveRun;
  const { 'Retry-After': retryAfter, ...others } = headers;
  return new OperationFault(code, message, {
    status,
    mayHaveRun,
    // `throw undefined` must be in the log, too.
    cause: cause ?? (isUnknown ? new TypeError(`${String(error)} was thrown`) : undefined),
    headers: others,
    retryAfterMs: retryAfter === undefined ? undefined : Number(retryAfter) * 1_000,
  });
}

/** A database that is away is `OVERLOADED`, and the call may be repeated, only before the operation's own code runs. */
function toAnswered(error: unknown, { hasStarted, installation }: FailedCall): ApiError {
  const isUnclear = hasStarted && error instanceof StoreError;
  return isUnclear ? internalError(error) : toApiError(error, installation);
}

const jsonType = 'application/json; charset=utf-8';

export function answerJson(value: unknown): ServerAnswer {
  return { status: 200, headers: { 'content-type': jsonType }, body: JSON.stringify(value) };
}

/** `{code, message, retryAfterMs?, mayHaveRun?}` */
export function answerFault(fault: OperationFault): ServerAnswer {
  const { code, message, status, retryAfterMs, mayHaveRun, headers } = fault;
  const body = {
    code,
    message: message.slice(0, 200),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(mayHaveRun && { mayHaveRun }),
  };
  const retryAfter =
    retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) };
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    status,
    headers: { ...Object.fromEntries(lowerCase), ...retryAfter, 'content-type': jsonType },
    body: JSON.stringify(body),
  };
}
