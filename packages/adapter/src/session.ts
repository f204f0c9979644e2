/**
 * The session with the plug-in's own back end. The bearer is kept only in memory, not in storage or an
 * address, and is sent to one origin only. An init token opens at most one session.
 */
import { type AdapterContext, withLife } from './adapter-context.ts';
import { takeToken } from './init-token.ts';
import { refuse } from './options.ts';
import { fail, toPluginError } from './plugin-error.ts';
import { readRetryAfterMs } from './retry-after.ts';
import { untilAborted } from './until-aborted.ts';

export interface SessionOptions {
  /** The address where the back end opens sessions, relative to this page. Default `/api/session`. */
  sessionUrl?: string | undefined;
}

export interface Session {
  /** The bearer for the back end's API. A secret. */
  readonly sessionToken: string;
  /** Epoch milliseconds by the back end's clock. */
  readonly expiresAt: number;
}

/** To open a session; for every other answer and its body together. */
const timeoutMs = 60_000;

/**
 * `localhost:9000/api` would be a URL with the scheme `localhost`.
 *
 * @throws PluginError ERR_OPTIONS
 */
export function checkUrl(url: string, name: string): void {
  const page = 'https://page';
  const isAddress = URL.canParse(url, page) && /^https?:/.test(new URL(url, page).href);
  if (!isAddress) refuse(name, 'an http(s) URL or a path');
}

/**
 * Only the back end decides when a session has ended, because this device's clock may be wrong.
 *
 * @throws PluginError as `init`; ERR_SESSION, ERR_NETWORK
 */
export function getSession(context: AdapterContext): Promise<Session> {
  context.session ??= openSession(context).catch((error) => {
    context.session = undefined;
    throw error;
  });
  return context.session;
}

async function openSession(context: AdapterContext): Promise<Session> {
  const sending = send(context, context.options.sessionUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ initJwt: await takeToken(context), instanceId: context.page.srcId }),
    // Its minute begins when there is a token.
    signal: withLife(context, AbortSignal.timeout(timeoutMs)),
  });
  return readAnswer(sending, 'sessionToken', 'session');
}

/** The back end's answer, if it has this text. @throws PluginError ERR_SESSION, ERR_NETWORK */
export async function readAnswer<Answer>(
  sending: Promise<Response>,
  name: keyof Answer,
  what: 'session' | 'nonce',
): Promise<Answer> {
  const response = await sending.catch(failUnanswered);
  const { ok, status } = response;
  const answer = await response
    .json()
    .catch((error) => (error instanceof SyntaxError ? error : failUnanswered(error)));
  if (ok && answer?.[name]) return answer;
  const code = /^(429|5)/.test(`${status}`) ? 'ERR_NETWORK' : 'ERR_SESSION';
  // A missing route is often answered by a page in HTML.
  const reason = answer instanceof Error ? `HTTP ${status} without JSON (URL?)` : answer?.message;
  const error = toPluginError(code, `No ${what}: ${reason}`, answer);
  throw Object.assign(error, { retryAfterMs: readRetryAfterMs(response) });
}

/** Fetches with the session's bearer. Renews the session once if the back end answers 401. */
export async function fetchWithSession(
  context: AdapterContext,
  path: string | URL,
  init: RequestInit = {},
): Promise<Response> {
  const signal = withLife(context, init.signal);
  for (let isAgain = false; ; isAgain = true) {
    const headers = new Headers(init.headers);
    const used = getSession(context);
    headers.set('authorization', `Bearer ${(await untilAborted(signal, used)).sessionToken}`);
    const late = new AbortController();
    const limit = AbortSignal.timeout(timeoutMs);
    limit.onabort = () => late.abort(limit.reason);
    const response = await send(context, path, {
      ...init,
      headers,
      signal: AbortSignal.any([signal, late.signal]),
    });
    // A request for a stream of events or a large file names its type.
    const awaitsJson = /\/json\b(?!-)/.test(headers.get('accept') ?? '/json');
    if (response.ok && !awaitsJson) limit.onabort = null;
    if (response.status !== 401) return response;
    if (context.session === used) context.session = undefined;
    if (isAgain || init.body instanceof ReadableStream) return response;
  }
}

async function send(
  context: AdapterContext,
  path: string | URL,
  init: RequestInit,
): Promise<Response> {
  const url = new URL(path, location.href);
  if (url.origin !== new URL(context.options.sessionUrl, location.href).origin) {
    throw TypeError(`Not meant for ${url}`);
  }
  // A redirect could send the init token or the bearer to another origin.
  return fetch(url, { ...init, credentials: 'omit', redirect: 'error' });
}

function failUnanswered(cause: unknown): never {
  return fail('ERR_NETWORK', 'No answer (down? CORS? redirect?)', cause);
}
