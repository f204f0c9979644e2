/**
 * The client of the plug-in's own back end. The page's origin may be opaque, so every address is
 * absolute, no request needs cookies, and the back end must allow CORS.
 */
import { type Adapter, PluginError } from '@dowel/adapter';
import { ApiError } from './api-error.ts';

export interface ColleagueNotification {
  recipientEmail: string;
  message: string;
}

const timeoutMs = 20_000;

/** Reads the public configuration, which names the trusted keys, from this origin only. @throws ApiError */
export function getJson(path: string): Promise<unknown> {
  const url = new URL(path, location.href);
  const signal = AbortSignal.timeout(timeoutMs);
  return read(fetch(url, { credentials: 'omit', redirect: 'error', signal }));
}

/** Sends a notification for the user. @throws ApiError, PluginError */
export async function notify(
  { fetch }: Pick<Adapter, 'fetch'>,
  notification: ColleagueNotification,
): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(notification);
  try {
    await read(fetch('/api/notifications', { method: 'POST', headers, body }));
  } catch (error) {
    // A valid token, but of another user: another person has signed in to the platform.
    if (!(error instanceof PluginError) || error.code !== 'ERR3') throw error;
    throw new ApiError('SESSION_USER_CHANGED', { message: error.diagnosis, status: 401 });
  }
}

async function read(request: Promise<Response>): Promise<unknown> {
  const response = await request.catch((cause: unknown) => {
    if (cause instanceof PluginError) throw cause;
    throw new ApiError('NETWORK_UNREACHABLE', { message: 'No answer', status: 0, cause });
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body;
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown };
  throw new ApiError(typeof code === 'string' ? code : 'ANSWER_INVALID', {
    message: typeof message === 'string' ? message : `HTTP ${response.status}`,
    status: response.status,
    retryAfterSeconds: Number(response.headers.get('retry-after')) || undefined,
  });
}
