/**
 * The session with the plug-in's own back end. The bearer lives in this closure only: not in storage,
 * not in an address, and it is sent to one origin. An init token opens at most one session.
 */
import { type KnownOptions, refuse } from './options.ts';
import { fail } from './plugin-error.ts';

export interface SessionOptions {
  /** Where the back end opens sessions, seen from this page. Default `/api/session`. */
  sessionUrl?: string | undefined;
}

export const sessionOptions: KnownOptions = { sessionUrl: 'string' };

export interface Session {
  /** The bearer for the back end's API. A secret. */
  readonly sessionToken: string;
  /** Epoch milliseconds by the back end's clock. */
  readonly expiresAt: number;
}

export interface SessionClient {
  session: () => Promise<Session>;
  fetch: (path: string | URL, init?: RequestInit) => Promise<Response>;
}

export interface SessionRequest {
  initJwt: string;
  instanceId: string | null;
}

const timeoutMs = 60_000;

/**
 * @param takeRequest gives each init token away once
 * @param withLife adds the end of the adapter's life to a signal
 */
export function createSessionClient(
  { sessionUrl = '/api/session' }: SessionOptions,
  takeRequest: () => Promise<SessionRequest>,
  withLife: (signal?: AbortSignal | null) => AbortSignal,
): SessionClient {
  let current: Promise<Session> | undefined;
  // `localhost:9000/api` is a URL too: of the scheme `localhost`.
  if (!/^(https?:|[^:]*$)/i.test(sessionUrl)) refuse('sessionUrl', 'an http(s) address or a path');

  /** The back end alone says when a session has ended, for this device's clock may be wrong. */
  function session(): Promise<Session> {
    current ??= openSession().catch((error) => {
      current = undefined;
      throw error;
    });
    return current;
  }

  async function openSession(): Promise<Session> {
    const body = JSON.stringify(await takeRequest());
    const headers = { 'content-type': 'application/json' };
    const response = await send(sessionUrl, { method: 'POST', headers, body }).catch(
      failUnanswered,
    );
    const answer = await response
      .json()
      .catch((error) => (error instanceof SyntaxError ? error : failUnanswered(error)));
    if (answer?.sessionToken) return answer;
    const isPassing = /^(429|5)/.test(response.status as never);
    return fail(
      isPassing ? 'ERR_NETWORK' : 'ERR_SESSION',
      `No session: ${answer?.message}`,
      answer,
    );
  }

  async function send(path: string | URL, init: RequestInit): Promise<Response> {
    const url = new URL(path, location.href);
    if (url.origin !== new URL(sessionUrl, location.href).origin) {
      throw TypeError(`Not meant for ${url}`);
    }
    const signal = AbortSignal.any([withLife(init.signal), AbortSignal.timeout(timeoutMs)]);
    // A redirect would take the init token, or the bearer, to another origin.
    return fetch(url, { ...init, credentials: 'omit', redirect: 'error', signal });
  }

  async function fetchWithSession(path: string | URL, init: RequestInit = {}): Promise<Response> {
    for (let isAgain = false; ; isAgain = true) {
      const used = session();
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${(await used).sessionToken}`);
      const response = await send(path, { ...init, headers });
      if (response.status !== 401) return response;
      if (current === used) current = undefined;
      if (isAgain || init.body instanceof ReadableStream) return response;
    }
  }

  return { session, fetch: fetchWithSession };
}

function failUnanswered(cause: unknown): never {
  return fail('ERR_NETWORK', 'No answer: down, no CORS, or a redirect', cause);
}
