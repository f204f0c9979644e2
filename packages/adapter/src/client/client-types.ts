/**
 * The types of a client, inferred from the back end's table of operations. The page imports the table's type
 * only, so no line of the back end gets into the page.
 */
import type { OperationError } from './operation-error.ts';

/** `fetch` of an adapter, or of anything else that sends a request with the session and limits its time. */
export type SessionFetch = (path: string, init: RequestInit) => Promise<Response>;

/** The part of an operation that a client's types are read from. No object has this property at run time. */
export interface OperationTypes<Input, Output, Code extends string> {
  readonly '~types'?: { input: Input; output: Output; code: Code };
}

/** The codes that every operation may end with. docs/errors.md says when, and what to do. */
export type BuiltInCode =
  /** The input does not fit. `message` names the field. */
  | 'BAD_REQUEST'
  /** The platform does not know the recipient of a notification, or refuses its text. */
  | 'NOTIFICATION_REFUSED'
  /** The session ended, and so did the one that was opened after it. */
  | 'SESSION_INVALID'
  /** The operation needs a scope that this installation was not granted. */
  | 'SCOPE_MISSING'
  /** The back end has no such operation. Page and back end are of different versions. */
  | 'NOT_FOUND'
  /** The tenant's platform has this feature switched off. */
  | 'FEATURE_NOT_AVAILABLE'
  /** The input is larger than 1 MiB. */
  | 'BODY_TOO_LARGE'
  /** The request is not JSON. */
  | 'BAD_MEDIA_TYPE'
  /** Too many calls of this user or tenant. Try again after `retryAfterMs`. */
  | 'RATE_LIMITED'
  /** The tenant's platform limits the back end's calls. Try again after `retryAfterMs`. */
  | 'PLATFORM_LIMITED'
  /** The back end failed. Its log says why. */
  | 'INTERNAL_ERROR'
  /** The back end is mounted wrongly. Its log says how to fix it. */
  | 'BODY_ALREADY_READ'
  /** The operation did not end in its time. It may have had an effect. */
  | 'TIMED_OUT'
  /** The tenant's platform could not be reached, or sent an unexpected answer. */
  | 'PLATFORM_FAILED'
  /** The tenant's platform got the call, and nobody knows whether it acted on it. */
  | 'OUTCOME_UNKNOWN'
  /** The plug-in's access to the platform is being renewed. Try again after `retryAfterMs`. */
  | 'ACCESS_UNAVAILABLE'
  /** An operator has paused the plug-in in this tenant. Nothing was sent. */
  | 'INSTALLATION_PAUSED'
  /** The tenant's platform is busy. Try again after `retryAfterMs`. */
  | 'PLATFORM_BUSY'
  /** The back end has too much to do. Try again after `retryAfterMs`. */
  | 'OVERLOADED'
  /** No usable answer of the back end arrived. If no session was opened, `cause` is the adapter's error. */
  | 'NO_ANSWER'
  /** The signal of the call was aborted. */
  | 'ABORTED';

export interface CallOptions {
  /** Ends the call, in the back end too. */
  signal?: AbortSignal | undefined;
}

/** The result of `safe`. */
export type SafeResult<Output, Code extends string> =
  | { readonly ok: true; readonly value: Output }
  | { readonly ok: false; readonly error: OperationError<Code> };

/** One operation as the page calls it. `safe` returns the error instead of throwing it. */
export interface Call<Input, Output, Code extends string> {
  /** @throws OperationError; TypeError for an input that cannot be JSON. */
  (input: Input, options?: CallOptions): Promise<Output>;
  /** @throws TypeError for an input that cannot be JSON. */
  safe: (input: Input, options?: CallOptions) => Promise<SafeResult<Output, BuiltInCode | Code>>;
}

/** One function for each operation of the table. */
export type Client<Operations> = {
  readonly [Name in keyof Operations]: Operations[Name] extends OperationTypes<
    infer Input,
    infer Output,
    infer Code
  >
    ? Call<Input, Output, Code>
    : never;
};
