/** Sends a notification for the user of a session. */
import type { FoundPluginSession } from '@dowel/installation-store';
import { type Notification, notificationSchema, type PlatformProfile } from '@dowel/schema';
import { type TokenClient, TokenClientError } from '@dowel/token-client';
import { ApiError, type ApiErrorCode } from '../errors.ts';
import { type NotificationGate, takePlace } from '../platform/notification-limits.ts';
import { readRetryAfter } from '../platform/retry-after.ts';
import { readJson } from '../request/read-body.ts';
import type { ServerAnswer, ServerRequest } from '../request/server-request.ts';
import { requireSession, type SessionCheck } from '../sessions/require-session.ts';

export interface NotificationContext extends SessionCheck {
  tokenClient: Pick<TokenClient, 'fetch'>;
  profile: PlatformProfile;
  notificationGate: NotificationGate;
}

/** @throws ApiError with the code of the refusal */
export async function sendNotification(
  context: NotificationContext,
  request: ServerRequest,
): Promise<ServerAnswer> {
  limitNotifications(context, await requireSession(context, request));
  const notification = await readJson(request, notificationSchema);
  // Checked again: the session may have ended while a slow body was read.
  const { installationId, pluginId, instanceId } = await requireSession(context, request);
  const path = context.profile.notificationPath(pluginId, instanceId);
  const response = await callPlatform(context.tokenClient, installationId, { path, notification });
  assertSent(response, context.now());
  return { status: 201, body: {} };
}

/** Before the body is read, so that a refused call costs little. */
function limitNotifications(
  { notificationGate }: NotificationContext,
  session: FoundPluginSession,
): void {
  const retryAfterSeconds = takePlace(notificationGate, session);
  if (retryAfterSeconds === undefined) return;
  throw new ApiError('RATE_LIMITED', 'Too many notifications were sent in a short time', {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}

async function callPlatform(
  tokenClient: Pick<TokenClient, 'fetch'>,
  installationId: string,
  { path, notification }: { path: string; notification: Notification },
): Promise<Response> {
  try {
    return await tokenClient.fetch(installationId, path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(notification),
    });
  } catch (cause) {
    if (cause instanceof TokenClientError) throw cause;
    throw new ApiError('PLATFORM_FAILED', 'The platform could not be reached', { cause });
  }
}

const refusals: Record<number, [ApiErrorCode, string]> = {
  400: ['NOTIFICATION_REFUSED', 'The platform does not know this recipient or refuses the text'],
  403: [
    'SCOPE_MISSING',
    'The plug-in may not send notifications here: plugin:notify is not granted',
  ],
  404: ['FEATURE_NOT_AVAILABLE', 'Notifications are switched off on this platform'],
};

/** The platform's own text is not passed on: it may not be meant for this user. */
function assertSent(response: Response, now: number): void {
  // Not awaited: the answer is decided, and an endless body must not delay it.
  response.body?.cancel().catch(() => undefined);
  if (response.ok) return;
  const { status } = response;
  const retryAfter = response.headers.get('retry-after');
  if (status === 429 || (status === 503 && retryAfter !== null)) {
    const code = status === 429 ? 'PLATFORM_LIMITED' : 'PLATFORM_BUSY';
    throw new ApiError(code, 'The platform takes no more calls for now', {
      headers: { 'Retry-After': String(readRetryAfter(retryAfter, now)) },
    });
  }
  const [code, message] = refusals[status] ?? [
    'PLATFORM_FAILED',
    `The platform answered with status ${status}`,
  ];
  throw new ApiError(code, message);
}
