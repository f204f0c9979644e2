/**
 * The client of the plug-in's own back end. The page's origin may be opaque, so every address is
 * absolute, no request needs cookies, and the back end must allow CORS.
 */
import { type Adapter, PluginError } from '@dowel/adapter';
import { createClient, type OperationError, type OperationTypes } from '@dowel/adapter/client';
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

/** The part of the back end's table of operations that this page calls. */
interface Operations {
  createNotification: OperationTypes<ColleagueNotification, object, never>;
}

/** Sends a notification for the user. @throws ApiError, PluginError */
export async function notify(
  adapter: Pick<Adapter, 'fetch'>,
  notification: ColleagueNotification,
): Promise<void> {
  const client = createClient<Operations>(adapter);
  const result = await client.createNotification.safe(notification);
  if (!result.ok) throw toApiError(result.error);
}

/** Returns the adapter's own errors unchanged, except when another person has signed in. */
function toApiError({ code, message, status, retryAfterMs, cause }: OperationError): Error {
  if (cause instanceof PluginError) {
    // A valid token, but of another user: another person has signed in to the platform.
    if (cause.code !== 'ERR3') return cause;
    return new ApiError('SESSION_USER_CHANGED', { message: cause.diagnosis, status: 401 });
  }
  const retryAfterSeconds = retryAfterMs && Math.ceil(retryAfterMs / 1_000);
  if (code === 'NO_ANSWER') {
    const name = status === 0 ? 'NETWORK_UNREACHABLE' : 'ANSWER_INVALID';
    const said = status === 0 ? 'No answer' : `HTTP ${status}`;
    return new ApiError(name, { message: said, status, retryAfterSeconds });
  }
  return new ApiError(code, { message, status, retryAfterSeconds });
}

async function read(request: Promise<Response>): Promise<unknown> {
  const response = await request.catch((cause: unknown) => {
    throw new ApiError('NETWORK_UNREACHABLE', { message: 'No answer', status: 0, cause });
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body;
  const { status } = response;
  throw new ApiError('ANSWER_INVALID', { message: `HTTP ${status}`, status });
}
