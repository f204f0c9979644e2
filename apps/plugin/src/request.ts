/**
 * One request to the plug-in's own back end. The page's origin may be opaque, so every address is
 * absolute, nothing relies on cookies, and the back end must answer by CORS.
 */
import { ApiError } from './api-error.ts';

export interface RequestOptions {
  body?: object;
  /** The session's bearer. A secret. */
  sessionToken?: string;
  signal?: AbortSignal | undefined;
}

/** The back end may queue a call behind a renewal of its own access, so this is generous. */
const timeoutMs = 60_000;

/** @throws ApiError for anything but a 2xx */
export async function request(path: string, options: RequestOptions = {}): Promise<unknown> {
  const response = await send(path, options);
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body;
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown };
  throw new ApiError(typeof code === 'string' ? code : 'ANSWER_INVALID', {
    message: typeof message === 'string' ? message : `HTTP ${response.status}`,
    status: response.status,
    retryAfterSeconds: Number(response.headers.get('retry-after')) || undefined,
  });
}

async function send(path: string, options: RequestOptions): Promise<Response> {
  const { body, sessionToken, signal } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const headers = new Headers({ accept: 'application/json' });
  if (sessionToken !== undefined) headers.set('authorization', `Bearer ${sessionToken}`);
  if (body !== undefined) headers.set('content-type', 'application/json');
  try {
    return await fetch(new URL(path, location.href).href, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      credentials: 'omit',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
  } catch (cause) {
    throw new ApiError('NETWORK_UNREACHABLE', { message: 'No answer', status: 0, cause });
  }
}
