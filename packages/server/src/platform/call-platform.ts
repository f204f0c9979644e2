/**
 * Calls to the tenant's platform with the plug-in's access token, which never leaves this package. A call that
 * changes something is sent at most once, unless nothing was sent or the platform answered 401.
 */
import { joinSignals } from '@dowel/http';
import type { Store } from '@dowel/installation-store';
import { assertTimeLimit } from '@dowel/schema';
import { type CallSource, isUnsent, type TokenClient, TokenClientError } from '@dowel/token-client';
import { isStoreAway, storeAwayMs } from '../base/errors.ts';
import { assertNames, assertObject, assertOneOf } from '../base/option-shapes.ts';
import { PlatformError, type PlatformErrorCode } from '../base/platform-error.ts';
import { PlatformAnswer } from './platform-answer.ts';
import { readCallHeaders } from './platform-headers.ts';
import { checkPath, type LiteralPath, type PlatformPath } from './platform-path.ts';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined };

/** The methods that the platform's API may have. */
export type PlatformMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface PlatformInit {
  /** Default `GET`, or `POST` with `json`. */
  method?: PlatformMethod;
  /** The body. At most 1 MiB as text. */
  json?: Json;
  /** Only conditional headers, languages and request ids; any other header is a TypeError. */
  headers?: Record<string, string>;
  /** Ends the call. In an operation the operation's own signal ends it, too. */
  signal?: AbortSignal;
  /** The time until the answer's headers, with all waits. Default 30,000. */
  timeoutMs?: number;
}

/** The API of one tenant's platform. */
export interface Platform {
  /**
   * Calls the platform, and gives its answer with any status. A redirect is no answer, and not followed. The body breaks
   * off after 1 MiB. Of the answer's headers the usual ones are kept, but no cookie. Reading the body throws
   * `PLATFORM_FAILED` or `OUTCOME_UNKNOWN` as well: when it breaks off, and `json()` when it is no JSON.
   *
   * @param path a literal such as `'/api/users'`, or a path with values, made by the tag `path`
   * @throws PlatformError without an answer: `ACCESS_UNAVAILABLE`, `OUTCOME_UNKNOWN`, `PLATFORM_FAILED`,
   * `OVERLOADED`, `ABORTED`, `INSTALLATION_ENDED`, `INSTALLATION_PAUSED`; TypeError for a path, header, body or member of
   * `init` that is not allowed
   */
  fetch: <const P extends string>(
    path: PlatformPath | LiteralPath<P>,
    init?: PlatformInit,
  ) => Promise<Response>;
}

/** The installation and its generation. */
export interface PlatformTarget {
  installationId: string;
  /** Undefined: the current generation. */
  generation: number | undefined;
}

/** Shared by all calls of one operation. */
export interface CallScope {
  signal?: AbortSignal | undefined;
  /** The `traceparent` of the request that the calls belong to. */
  traceparent?: string | undefined;
  /** What the calls are made for, for the log of calls. */
  source?: CallSource | undefined;
  /** The answers. {@link giveUpUnread} ends those that nobody reads. */
  answers?: PlatformAnswer[];
}

export interface CallContext {
  tokenClient: TokenClient;
  store: { installations: Pick<Store['installations'], 'get'> };
}

/** The limit of the body of a call, and of its answer. */
const maxBytes = 1_048_576;
/** The first tokens come with an event of the platform. */
const firstTokensMs = 30_000;

/** The platform of one installation. */
export function bindPlatform(
  context: CallContext,
  target: PlatformTarget,
  scope: CallScope = {},
): Platform {
  return {
    fetch: (path: string | PlatformPath, init: PlatformInit = {}) =>
      callPlatform(context, target, { path, init, scope }),
  };
}

/** @throws PlatformError, TypeError */
export async function callPlatform(
  context: CallContext,
  target: PlatformTarget,
  { path, init, scope }: { path: string | PlatformPath; init: PlatformInit; scope: CallScope },
): Promise<Response> {
  const { installationId, generation } = target;
  const checked = checkPath(path);
  const { method, headers, body } = readCall(init, scope);
  const signal = joinSignals(init.signal, scope.signal);
  const { timeoutMs } = init;
  try {
    const response = await context.tokenClient.fetch(installationId, checked, {
      method,
      headers,
      generation,
      maxBodyBytes: maxBytes,
      source: scope.source,
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    const answer = new PlatformAnswer(response, (cause) => {
      if (signal?.aborted) return aborted(cause);
      return unanswered(
        method,
        cause,
        "The platform's answer broke off, is too long or is no JSON",
      );
    });
    keepUntilRead(scope, answer);
    return answer;
  } catch (error) {
    const reason = await findReason(context, target, error);
    throw toPlatformError(reason, { method, target, isAborted: signal?.aborted === true });
  }
}

const maxKept = 64;

/** Work without an end may call for days. An installation has fewer places than this for unread answers. */
function keepUntilRead({ answers }: CallScope, answer: PlatformAnswer): void {
  if (!answers) return;
  if (answers.length >= maxKept) {
    answers.splice(0, answers.length, ...answers.filter(({ isUnread }) => isUnread));
  }
  answers.push(answer);
}

/**
 * To be called when the work of a scope has ended. An answer that nobody reads would keep one of its tenant's places
 * until its time-out.
 */
export function giveUpUnread({ answers = [] }: CallScope): void {
  for (const answer of answers) answer.giveUp();
}

/** For the token client, an installation that has not yet got tokens is like one that has ended. */
async function findReason(
  { store }: CallContext,
  { installationId, generation }: PlatformTarget,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof TokenClientError) || error.code !== 'GRANT_NOT_FOUND') return error;
  try {
    const found = await store.installations.get(installationId);
    const isOver = found?.status === 'uninstalled';
    if (!found || isOver || (generation ?? found.generation) !== found.generation) return error;
    const options = { cause: error, retryAfterMs: firstTokensMs };
    return new PlatformError('ACCESS_UNAVAILABLE', 'The plug-in has no tokens here yet', options);
  } catch (storeError) {
    return storeError;
  }
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies PlatformMethod[];
const initNames = {
  method: true,
  json: true,
  headers: true,
  signal: true,
  timeoutMs: true,
} satisfies Record<keyof PlatformInit, true>;

/** Members of the usual `fetch` that are unknown here would be lost in silence. @throws TypeError */
function assertInit(init: PlatformInit): void {
  assertObject('The second argument of platform.fetch', init);
  if ('body' in init && init.body !== undefined) {
    throw new TypeError(
      "platform.fetch takes no body: give the value itself as json, such as { json: { text: 'Hi' } }",
    );
  }
  assertNames('', init, initNames, 'platform.fetch');
  assertOneOf('The method of platform.fetch', init.method, methods);
  const { timeoutMs } = init;
  if (timeoutMs !== undefined) assertTimeLimit(timeoutMs, 'The timeoutMs of platform.fetch');
}

function readCall(init: PlatformInit, scope: CallScope) {
  assertInit(init);
  const body = init.json === undefined ? undefined : JSON.stringify(init.json);
  const { method = body === undefined ? 'GET' : 'POST' } = init;
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
    throw new TypeError(`A ${method} has no body: leave json out, or choose another method`);
  }
  if (body !== undefined && Buffer.byteLength(body) > maxBytes) {
    throw new TypeError(`The body of the call is larger than ${maxBytes} bytes`);
  }
  const headers = readCallHeaders(init.headers, { hasBody: body !== undefined, ...scope });
  return { method, headers, body };
}

/** @param cause the store cannot be asked for now */
export function overloaded(cause: unknown): PlatformError {
  const options = { cause, retryAfterMs: storeAwayMs };
  return new PlatformError('OVERLOADED', 'The access token cannot be read for now', options);
}

/** Maps codes of the token client; CALL_TIMED_OUT depends on the method. */
const codes: Partial<Record<TokenClientError['code'], [PlatformErrorCode, string]>> = {
  GRANT_NOT_FOUND: ['INSTALLATION_ENDED', 'The plug-in is not installed here any more'],
  INSTALLATION_PAUSED: ['INSTALLATION_PAUSED', 'An operator has paused the plug-in here'],
  TOKEN_UNAVAILABLE: [
    'ACCESS_UNAVAILABLE',
    "The plug-in's access to the platform is being renewed",
  ],
  REFRESH_FAILED: ['ACCESS_UNAVAILABLE', "The plug-in's access to the platform is being renewed"],
  TOO_MANY_WAITING: ['OVERLOADED', 'Too many calls wait for the platform'],
  TOO_MANY_UNANSWERED: ['PLATFORM_FAILED', 'The platform does not answer earlier calls'],
};

/** Maps temporary failures to PlatformError; rethrows all others. */
function toPlatformError(
  error: unknown,
  {
    method,
    target: { installationId: id, generation },
    isAborted,
  }: { method: PlatformMethod; target: PlatformTarget; isAborted: boolean },
): unknown {
  if (isAborted) return aborted(error);
  if (error instanceof TokenClientError) {
    const known = codes[error.code];
    if (!known) return unanswered(method, error);
    const [code, message] = known;
    const retryAfterMs = error.retryAfterSeconds && error.retryAfterSeconds * 1_000;
    const installation = code === 'INSTALLATION_ENDED' ? { id, generation } : undefined;
    return new PlatformError(code, message, { cause: error, retryAfterMs, installation });
  }
  if (isStoreAway(error)) return overloaded(error);
  if (!isTransportError(error)) return error;
  // control H15
  if (!isUnsent(error)) return unanswered(method, error);
  return new PlatformError('PLATFORM_FAILED', 'The platform could not be reached', {
    cause: error,
  });
}

function aborted(cause: unknown): PlatformError {
  return new PlatformError('ABORTED', 'The call was aborted', { cause });
}

/** For a call that only reads, a lost answer is a failure, not an unknown outcome. */
function unanswered(
  method: PlatformMethod,
  cause: unknown,
  message = 'The platform did not answer',
): PlatformError {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead
    ? new PlatformError('PLATFORM_FAILED', message, { cause })
    : new PlatformError('OUTCOME_UNKNOWN', `${message}, and it may have acted`, { cause });
}

/** `fetch` throws a TypeError with a cause when its connection fails. */
function isTransportError(error: unknown): boolean {
  return error instanceof TypeError && error.cause !== undefined;
}
