/** Notifications of the platform's users (createNotification). */
import {
  describeIssue,
  type Notification,
  type NotificationRequest,
  notificationSchema,
  type PlatformProfile,
  plainWords,
} from '@dowel/schema';
import { assertNames } from '../base/option-shapes.ts';
import { PlatformError, type PlatformErrorCode } from '../base/platform-error.ts';
import type { ShapeTally } from '../base/shape-tally.ts';
import { type CallContext, type CallScope, callPlatform, type Json } from './call-platform.ts';
import { PlatformPath } from './platform-path.ts';
import { readRetryAfter } from './retry-after.ts';
import { tallyAnswer } from './tally-answer.ts';

export interface NotifyOptions {
  /** Aborts the call. */
  signal?: AbortSignal | undefined;
}

/** Part of an operation's `platform`, if its scopes contain `plugin:notify`. */
export interface Notifier {
  /**
   * Notifies one user of the platform, from the widget that called.
   *
   * @throws PlatformError as `fetch`, and `NOTIFICATION_REFUSED`, `SCOPE_MISSING`, `FEATURE_NOT_AVAILABLE`,
   * `PLATFORM_LIMITED`, `PLATFORM_BUSY`, `RATE_LIMITED`; TypeError for a request that fits no notification
   */
  notify: (notification: NotificationRequest, options?: NotifyOptions) => Promise<void>;
}

/** @throws TypeError for an option that does not exist */
export function readNotifyOptions(options: NotifyOptions = {}): NotifyOptions {
  assertNames('', options, { signal: true }, 'notify');
  return { signal: options.signal };
}

export interface NotifyContext extends CallContext {
  profile: PlatformProfile;
  shapes: ShapeTally;
  now: () => number;
}

/** The widget that a notification comes from. */
export interface NotificationSource {
  installationId: string;
  generation: number | undefined;
  pluginId: string;
  instanceId: string;
}

/** @throws PlatformError; TypeError for an invalid notification */
export async function notify(
  context: NotifyContext,
  { pluginId, instanceId, ...target }: NotificationSource,
  { notification, scope }: { notification: NotificationRequest; scope: CallScope },
): Promise<void> {
  const { profile, shapes, now } = context;
  const response = await callPlatform(context, target, {
    path: PlatformPath.encoded(absolute(profile.notificationPath(pluginId, instanceId))),
    init: { method: 'POST', json: parseNotification(notification) as Json },
    scope,
  });
  // Not awaited: the body is not needed, and an endless one must not delay the answer.
  void tallyAnswer(shapes, response);
  if (!response.ok) throw refusalOf(response, now());
}

function parseNotification(notification: NotificationRequest): Notification {
  assertNames('', notification, notificationSchema.shape, 'A notification');
  const parsed = notificationSchema.safeParse(notification, { error: plainWords });
  if (parsed.success) return parsed.data;
  const [reason] = parsed.error.issues.map(describeIssue);
  throw new TypeError(`No notification: ${reason}`);
}

const refusals: Record<number, [PlatformErrorCode, string]> = {
  400: [
    'NOTIFICATION_REFUSED',
    'The platform does not know this recipient or this widget, or it refuses the text',
  ],
  403: [
    'SCOPE_MISSING',
    'The plug-in may not send notifications here: plugin:notify is not granted',
  ],
  404: ['FEATURE_NOT_AVAILABLE', 'Notifications are switched off on this platform'],
};

/** The platform's own text is not passed on: it may not be meant for this user. */
function refusalOf({ status, headers }: Response, now: number): PlatformError {
  const retryAfter = headers.get('retry-after');
  if (status === 429 || (status === 503 && retryAfter !== null)) {
    const code = status === 429 ? 'PLATFORM_LIMITED' : 'PLATFORM_BUSY';
    const retryAfterMs = readRetryAfter(retryAfter, now) * 1_000;
    return new PlatformError(code, 'The platform takes no more calls for now', { retryAfterMs });
  }
  const [code, message] = refusals[status] ?? [
    mayHaveActed(status) ? 'OUTCOME_UNKNOWN' : 'PLATFORM_FAILED',
    `The platform answered with status ${status}`,
  ];
  return new PlatformError(code, message);
}

/** The call failed on the way, or a gateway got no answer. A 503 means that the platform did not begin. */
function mayHaveActed(status: number): boolean {
  return status >= 500 && status !== 503;
}

/** A profile may leave out the first slash. */
function absolute(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}
