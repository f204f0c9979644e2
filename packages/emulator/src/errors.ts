/** The errors of this package for bad requests and bad answers, and the only place that maps them to HTTP. */
import type { Exchange, Failure } from './control-api.ts';

/**
 * - `INVALID_REQUEST`: a query, body or header breaks its schema; correct the request.
 * - `BODY_TOO_LARGE`, `MEDIA_TYPE_UNSUPPORTED`: send a smaller body, or JSON.
 * - `UNAUTHENTICATED`: nobody is signed in; `POST /control/session`.
 * - `FOREIGN_ORIGIN`: a page of another origin called, or at another name; only the emulator's own pages may.
 * - `ACCESS_TOKEN_INVALID`: expired, revoked or unknown; refresh it.
 * - `SCOPE_MISSING`: the access token does not grant this call.
 * - `TRIGGER_TOKEN_INVALID`: not the trigger token of an existing installation.
 * - `NOT_EMULATED`: the real platform may have this part of its API.
 * - `NOT_FOUND`, `METHOD_NOT_ALLOWED`: no such route.
 * - `TENANT_NOT_FOUND`, `USER_NOT_FOUND`, `INSTALLATION_NOT_FOUND`, `INSTANCE_NOT_FOUND`,
 *   `ENTRY_POINT_NOT_FOUND`, `EXCHANGE_NOT_FOUND`, `FAULT_NOT_FOUND`: there is nothing with this id.
 * - `ALREADY_INSTALLED`: the plug-in id is taken in this tenant.
 * - `UPDATE_IN_PROGRESS`: wait for the other update to settle.
 * - `EXAMINATION_IN_PROGRESS`: the doctor examines one back end at a time.
 * - `API_ACCESS_NOT_REQUESTED`, `EVENT_NOT_REQUESTED`: the manifest has no `apiAccess`, or does not request the event,
 *   so there is nothing to send.
 * - The codes of a failed installation or update: {@link InstallationFailedError}.
 */
export type PlatformErrorCode = keyof typeof statusOfCode;

const statusOfCode = {
  INVALID_REQUEST: 400,
  BODY_TOO_LARGE: 413,
  MEDIA_TYPE_UNSUPPORTED: 415,
  UNAUTHENTICATED: 401,
  FOREIGN_ORIGIN: 403,
  ACCESS_TOKEN_INVALID: 401,
  SCOPE_MISSING: 403,
  TRIGGER_TOKEN_INVALID: 401,
  NOT_EMULATED: 404,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  TENANT_NOT_FOUND: 404,
  USER_NOT_FOUND: 404,
  INSTALLATION_NOT_FOUND: 404,
  INSTANCE_NOT_FOUND: 404,
  ENTRY_POINT_NOT_FOUND: 404,
  EXCHANGE_NOT_FOUND: 404,
  FAULT_NOT_FOUND: 404,
  ALREADY_INSTALLED: 409,
  UPDATE_IN_PROGRESS: 409,
  EXAMINATION_IN_PROGRESS: 409,
  API_ACCESS_NOT_REQUESTED: 409,
  EVENT_NOT_REQUESTED: 409,
  MANIFEST_UNREACHABLE: 422,
  MANIFEST_INVALID: 422,
  REFUSED: 422,
  INVALID_RESPONSE: 422,
  NO_RESPONSE: 422,
} as const;

/** A request that the platform refuses, with its code and HTTP status. */
export class PlatformError extends Error {
  override readonly name: string = 'PlatformError';
  readonly code: PlatformErrorCode;

  constructor(code: PlatformErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  get status(): number {
    return statusOfCode[this.code];
  }
}

/** An installation or update failed (Spec §3, §7); carries the deliveries that led to it. */
export class InstallationFailedError extends PlatformError {
  override readonly name = 'InstallationFailedError';
  declare readonly code: Failure['code'];
  /** The events that were sent, oldest first. */
  readonly deliveries: Exchange[];

  constructor(
    { code, message }: Pick<Failure, 'code' | 'message'>,
    deliveries: Exchange[] = [],
    options?: ErrorOptions,
  ) {
    super(code, message, options);
    this.deliveries = deliveries;
  }
}

/**
 * A snapshot cannot be used; start without it. Its `stack` is the message alone.
 *
 * - `SNAPSHOT_INVALID`: not JSON, or not the shape of this version.
 * - `SNAPSHOT_ORIGIN_DIFFERENT`: it belongs to another origin; a platform at that origin can use it.
 */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
  readonly code: 'SNAPSHOT_INVALID' | 'SNAPSHOT_ORIGIN_DIFFERENT';

  constructor(code: SnapshotError['code'], message: string) {
    super(message);
    this.stack = `${this.name}: ${message}`;
    this.code = code;
  }
}
